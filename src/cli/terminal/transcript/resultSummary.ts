import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { delegateTool, DelegationResult } from "../../../agent/Delegation.ts"
import { needInputTool } from "../../../agent/NeedInput.ts"
import { many } from "../../../ui/Words.ts"

/** Characters of a result that stands in the line of its call. */
const short = 40

/** The first line of a successful command's result, which is omitted here. */
const ended = /^exit code 0\n/

/** The result of one that goes on: a note of the session says so, with its id. */
const behind = /^running in the background as /

/** What the lines of a change say above it. */
const changed = /^(?:created|modified) /

/** What a change says that changed nothing. */
const same = /has this content already$|^\[the files already match the patch\]$/
const changes: ReadonlySet<string> = new Set(["write_file", "edit_file", "apply_patch"])

/** Whether a call left the files as they were. */
export const isUnchanged = (tool: string, text: string): boolean => changes.has(tool) && same.test(text.trim())

const decode = Schema.decodeUnknownOption(Schema.parseJson(DelegationResult))

/** What a sub-worker gave, out of the result of the call that started it. */
export const delegated = (tool: string, text: string): DelegationResult | undefined =>
  tool === delegateTool ? Option.getOrUndefined(decode(text)) : undefined

/** The result of a call in a few words; nothing where there is nothing to say. */
export const resultSummary = (tool: string, text: string): string => {
  const given = delegated(tool, text)
  if (tool === needInputTool || (tool === "run_shell" && behind.test(text))) return ""
  if (given !== undefined) return given.status === "question" ? "needs to know more" : ""
  const trimmed = (tool === "run_shell" ? text.replace(ended, "") : text).trim()
  if (trimmed === "" || trimmed === "done") return ""
  if (isUnchanged(tool, trimmed)) return "unchanged"
  if ((tool === "write_file" || tool === "edit_file") && changed.test(trimmed)) return ""
  const lines = trimmed.split("\n")
  if (tool === "run_shell" && lines[0] === "[no output]") return "no output"
  if (lines.length > 1) return many(lines.length, "line")
  return trimmed.length <= short ? trimmed : many(trimmed.length, "character")
}
