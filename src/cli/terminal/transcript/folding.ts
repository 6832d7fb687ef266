import { foreign, type Line, own } from "../../../approval/rendering/Line.ts"
import { exact } from "../../../approval/rendering/Exact.ts"
import type { Diff, Display } from "../../../ui/Display.ts"
import { duration } from "../../../text/duration.ts"
import { many } from "../../../ui/Words.ts"
import { plain } from "../Style.ts"
import { title } from "./callHead.ts"
import type { CallBlock } from "./CallBlock.ts"
import { phaseOf } from "./callRows.ts"
import { type FoldedBlock, foldedLines } from "./Folded.ts"
import type { Output } from "./Output.ts"
import { noticed } from "./noteRows.ts"
import { delegated } from "./resultSummary.ts"
import { painted } from "./sgr.ts"

const outputLines = (output: Output): ReadonlyArray<Line> => {
  const { dropped, first, rest } = output.whole
  const shown = (lines: ReadonlyArray<string>) => lines.map((line) => foreign("value", painted(line, false)))
  return [...shown(first), ...(dropped === 0 ? [] : [own("field", `… ${many(dropped, "line")} …`)]), ...shown(rest)]
}

/** The lines of a diff as a pager shows them. */
export const diffLines = ({ omitted, text }: Omit<Diff, "call">): ReadonlyArray<Line> => [
  ...text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) =>
      foreign(
        /^\+(?!\+\+ )/.test(line) ? "added" : /^-(?!-- )/.test(line) ? "removed" : "diff",
        /^[ +-]/.test(line) ? line.slice(0, 1) + exact(line.slice(1)) : exact(line)
      )
    ),
  ...(omitted === 0 ? [] : [own("field", `… ${many(omitted, "more line")}`)])
]

/** All that is known of a call. */
export const foldedCall = (block: CallBlock): FoldedBlock => ({
  title: title(block.call, phaseOf(block), plain, block.worker),
  lines: foldedBody(block)
})

const foldedBody = ({ call, diffs, ended, output, remarks }: CallBlock): ReadonlyArray<Line> => [
  ...remarks.flatMap(({ text }) => foldedLines(text, "context")),
  ...diffs.flatMap(diffLines),
  ...(output === undefined ? [] : outputLines(output)),
  ...(ended === undefined || ended.text === "" || (output !== undefined && ended.outcome === "done")
    ? []
    : foldedLines(delegated(call.tool, ended.text)?.text ?? ended.text))
]

/** What a model has thought aloud. */
export const foldedThought = ({
  durationMillis,
  text
}: Extract<Display, { readonly _tag: "Thought" }>): FoldedBlock => ({
  title:
    durationMillis === undefined || durationMillis < noticed ? "Thought" : `Thought for ${duration(durationMillis)}`,
  lines: foldedLines(text)
})
