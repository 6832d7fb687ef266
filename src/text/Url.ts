/**
 * The URL that a text is, or none. `URL.canParse` is no help: once it is compiled, Node 20 reads a text of Latin-1 as if it
 * were UTF-8, and says no to `https://bücher.example/`.
 */
export const parsed = (text: string, base?: URL | string): URL | undefined => {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** A text without percent signs: each of their codes as the character of that number. */
export const percentDecoded = (text: string): string =>
  text.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
