import { many } from "../ui/Words.ts"

/** Characters of a result that stands in the line of its call. */
const short = 40

/** The result of a call in a few words; nothing where there is nothing to say. */
export const resultSummary = (text: string): string => {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed === "done") return ""
  const lines = trimmed.split("\n").length
  if (lines > 1) return many(lines, "line")
  return trimmed.length <= short ? trimmed : many(trimmed.length, "character")
}
