const letters: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
}

/** Bytes in octal, a unit in hexadecimal as JSON has it, a code point that was made visible, or one character. */
const escapes = /(?:\\[0-3][0-7]{2})+|\\u[0-9a-fA-F]{4}|\\u\{(?:10|[0-9A-F])?[0-9A-F]{1,4}\}|\\./gs

const ofBytes = (octal: string): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Uint8Array.from(octal.slice(1).split("\\"), (digits) => Number.parseInt(digits, 8))
  )

const meant = (escaped: string): string => {
  const sign = escaped.slice(1, 2)
  if (escaped.length === 2) return letters[sign] ?? sign
  return sign === "u" ? String.fromCodePoint(Number.parseInt(escaped.replace(/\W|u/g, ""), 16)) : ofBytes(escaped)
}

/** A name of a diff without the quotes that git or JSON has written it in, whether or not it was made visible; one that has none is as it is. */
export const unquoted = (name: string): string => {
  const inside = /^"((?:[^"\\]|\\.)*)"$/s.exec(name)?.[1]
  return inside === undefined ? name : inside.replaceAll(escapes, meant)
}
