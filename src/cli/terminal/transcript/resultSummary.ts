import { many } from "../../../ui/Words.ts"

/** Characters of a result that stands in the line of its call. */
const short = 40

/** The first line of a successful command's result, which is omitted here. */
const ended = /^exit code 0\n/

/** What the lines of a change say above it. */
const changed = /^(?:created|modified) /

/** The result of a call in a few words; nothing where there is nothing to say. */
export const resultSummary = (tool: string, text: string): string => {
  const trimmed = (tool === "run_shell" ? text.replace(ended, "") : text).trim()
  if (trimmed === "" || trimmed === "done") return ""
  if ((tool === "write_file" || tool === "edit_file") && changed.test(trimmed)) return ""
  const lines = trimmed.split("\n")
  if (tool === "run_shell" && lines[0] === "[no output]") return "no output"
  if (lines.length > 1) return many(lines.length, "line")
  return trimmed.length <= short ? trimmed : many(trimmed.length, "character")
}
