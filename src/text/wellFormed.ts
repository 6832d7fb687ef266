const copy = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  return Object.fromEntries(Object.entries(value).map(([name, below]) => [name.toWellFormed(), copy(below)]))
}

/** JSON data whose texts are Unicode: a half of a pair becomes U+FFFD. */
export const wellFormed = <A>(value: A, json: string = JSON.stringify(value)): A =>
  /\\u[dD][89a-fA-F]/.test(json) ? (copy(value) as A) : value
