const copy = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  return Object.fromEntries(Object.entries(value).map(([name, below]) => [name.toWellFormed(), copy(below)]))
}

/** The escape of a half of a pair, or what looks like one behind a backslash of the text. */
const half = /\\u[dD][89a-fA-F]/

/** JSON data whose texts are Unicode: a half of a pair becomes U+FFFD. */
export const wellFormed = <A>(value: A, json: string = JSON.stringify(value)): A =>
  half.test(json) ? (copy(value) as A) : value

/** In JSON text: a backslash of the text, a pair, or a half of one. */
const escapes = /\\(?:\\|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2})/g

/** Characters of the escape of a half. */
const length = 6

/**
 * JSON text with U+FFFD for each half of a pair, which `JSON.stringify` writes as an escape: readers in other languages refuse the
 * whole text for one (RFC 8259, 8.2).
 */
export const unicodeJson = (json: string): string =>
  half.test(json) ? json.replaceAll(escapes, (found) => (found.length === length ? "\ufffd" : found)) : json
