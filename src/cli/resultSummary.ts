import * as Either from "effect/Either"
import { many } from "../ui/Words.ts"

/** Characters of a result that stands in the line of its call. */
const short = 40

/** The result of a call in a few words; nothing where there is nothing to say. */
export const resultSummary = (text: string): string => {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed === "done") return ""
  const json = /^[[{]/.test(trimmed) ? Either.getOrUndefined(Either.try((): unknown => JSON.parse(trimmed))) : undefined
  if (Array.isArray(json)) return many(json.length, "item")
  const lines = trimmed.split("\n").length
  if (lines === 1 && trimmed.length <= short) return trimmed
  return json === undefined ? many(lines, "line") : many(Object.keys(json as object).length, "field")
}
