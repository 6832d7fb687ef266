import { foreign, type Line, own } from "../approval/rendering/Line.ts"
import type { RewindPreviewed } from "../runtime/RuntimeEvent.ts"
import { visibleLine } from "../text/visible.ts"
import { many } from "../ui/Words.ts"
import { diffLines } from "./terminal/transcript/folding.ts"

/** How a change reads from the file's point of view. */
const verbs = { created: "bring back", modified: "restore", deleted: "delete" } as const

/** What a rewind would do: each file with its diff, what is left alone, and what no rewind brings back. */
export const rewindLines = (
  { commands, files, left, messages }: RewindPreviewed,
  /** Where it goes back to, in a user's words. */
  to: string
): ReadonlyArray<Line> => [
  own("title", `Back to ${to}: takes back ${many(messages, "message")}, puts back ${many(files.length, "file")}`),
  ...files.flatMap(({ change, diff, path }) => [
    own("title", `${verbs[change]} ${visibleLine(path)}`),
    ...(diff === undefined ? [] : diffLines(diff))
  ]),
  ...left.map(({ path, reason }) => own("warning", `! left as it is: ${visibleLine(path)} · ${visibleLine(reason)}`)),
  own("field", "Only changes by the file tools are put back, not those by commands."),
  ...(commands.length === 0
    ? []
    : [
        own("field", "These ran since; git status shows what they may have changed:"),
        ...commands.map((one) => foreign("context", `$ ${visibleLine(one)}`))
      ])
]
