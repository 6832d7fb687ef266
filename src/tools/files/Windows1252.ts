/** The characters of windows-1252 at 0x80 to 0x9F; a space marks an undefined one. */
const upper = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"

/** A character that no text has. */
const implausible = /(?![\t\n\v\f\r])\p{Cc}/u

const meant = (found: string): string => {
  const character = upper.charAt(found.charCodeAt(0) - 0x80)
  return character === " " ? found : character
}

/** Bytes as Western European text, of which Latin-1 is a part; undefined where they do not look like any. */
export const decodeWindows1252 = (bytes: Uint8Array): string | undefined => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("latin1")
    .replaceAll(/[\u0080-\u009f]/g, meant)
  return implausible.test(text) ? undefined : text
}
