import { ExactValues } from "../redaction/ExactValues.ts"

/** Takes given values out of what a server says, however they are spelled in its texts; it has no others to tell. */
export const veiling = (secrets: ReadonlyArray<string>): (<A>(said: A) => A) => {
  const exact = new ExactValues(secrets)
  if (exact.isEmpty) return (said) => said
  const veiled = (value: unknown): unknown => {
    if (typeof value === "string") return exact.replace(value, true).out
    if (Array.isArray(value)) return value.map(veiled)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [veiled(key), veiled(one)]))
  }
  return <A>(said: A) => veiled(said) as A
}
