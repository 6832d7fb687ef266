import * as Either from "effect/Either"
import { parseJson } from "../text/Json.ts"

/** Parameters that say most about a call, in this order. */
const telling = ["command", "path", "file", "pattern", "query", "url", "name", "from", "to", "text"]

const rank = (name: string): number => {
  const index = telling.indexOf(name)
  return index < 0 ? telling.length : index
}

const word = (value: unknown): string => {
  if (typeof value !== "string") return JSON.stringify(value) ?? ""
  const line = value.replaceAll(/\s+/gu, " ").trim()
  return value.includes("\n") ? `${line.slice(0, 40)}${line.length > 40 ? "…" : ""}` : line
}

/** The arguments of a call on one line: the telling ones bare, the others by name, long texts left out. */
export const brief = (json: string): string => {
  const parsed = parseJson(json === "" ? "{}" : json)
  if (Either.isLeft(parsed)) return json.replaceAll(/\s+/gu, " ")
  if (typeof parsed.right !== "object" || parsed.right === null) return word(parsed.right)
  const fields: ReadonlyArray<readonly [string, unknown]> = Object.entries(parsed.right)
  const short = fields.filter(([, value]) => typeof value !== "string" || !value.includes("\n"))
  return [...(short.length === 0 ? fields : short)]
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value], index) =>
      index === 0 && rank(name) < telling.length ? word(value) : `${name}=${word(value)}`
    )
    .join(" ")
}
