import { duration } from "../../../text/duration.ts"
import { makeVisible } from "../../../text/visible.ts"
import type { Display, Level } from "../../../ui/Display.ts"
import { many } from "../../../ui/Words.ts"
import { advised } from "../../../ui/advice.ts"
import { hanging, wrap } from "../Layout.ts"
import type { Style } from "../Style.ts"

interface NoteOptions {
  readonly style: Style
  readonly width: number
}

type Of<Tag extends Display["_tag"]> = Extract<Display, { readonly _tag: Tag }>

/** Columns of running text; longer lines are hard to read. */
export const textWidth = 100
/** Rows at both ends of a prompt and of a message, whose end says what to do. */
const promptEnds = [8, 3] as const
const messageEnds = [5, 3] as const

const marks = { info: "·", warning: "!", error: "✗" } as const

const paintOf = (level: Level, style: Style) =>
  level === "error" ? style.red : level === "warning" ? style.yellow : style.dim

/** Rows of a text, of a long one its two ends and how much is left out. */
const ends = (rows: ReadonlyArray<string>, [first, last]: readonly [number, number], style: Style) => {
  const omitted = rows.length - first - last
  return omitted < 2
    ? rows
    : [...rows.slice(0, first), style.dim(`… ${many(omitted, "more line")}`), ...rows.slice(-last)]
}

/** Rows of a message. */
export const messageRows = (
  text: string,
  width: number,
  paint: (row: string) => string,
  style: Style
): ReadonlyArray<string> => ends(wrap(makeVisible(text), width).map(paint), messageEnds, style)

export const promptRows = ({ text }: Of<"Prompt">, { style, width }: NoteOptions): ReadonlyArray<string> => {
  const rows = wrap(makeVisible(text), Math.min(textWidth, width) - 2).map(style.bold)
  return ends(rows, promptEnds, style).map((row, index) => `${index === 0 ? style.cyan("›") : " "} ${row}`)
}

export const noteRows = (
  { error, level, text, whole }: Of<"Note">,
  { style, width }: NoteOptions
): ReadonlyArray<string> => {
  const paint = paintOf(level, style)
  const said = advised(text, error)
  const rows =
    whole === true ? wrap(makeVisible(said), width - 2).map(paint) : messageRows(said, width - 2, paint, style)
  return rows.map((row, index) => `${index === 0 ? paint(marks[level]) : " "} ${row}`)
}

/** How a task ended and what it took; `told` is a failure that stands above already. */
export const taskRows = (
  ended: Of<"TaskEnded">,
  told: string | undefined,
  { style, width }: NoteOptions
): ReadonlyArray<string> => {
  const { usage } = ended
  const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens
  const isCounted = ended.requests > 0 || ended.calls > 0
  const counts = [
    // None where the person has run a tool.
    ...(ended.requests === 0 ? [] : [many(ended.requests, "request")]),
    `${many(ended.calls, "call")}${ended.failedCalls === 0 ? "" : `, ${ended.failedCalls} failed`}${(ended.deniedCalls ?? 0) === 0 ? "" : `, ${ended.deniedCalls} denied`}`
  ]
  const figures = [
    ...(isCounted ? counts : []),
    ...(tokens === 0 ? [] : [many(tokens, "token")]),
    duration(ended.durationMillis)
  ].join(" · ")
  const dimmed = (head: string) => hanging(head, figures, width).trimEnd().split("\n").map(style.dim)
  // Nothing was asked of a model or a tool, e.g. where a summary takes effect.
  if (ended.outcome === "completed" && !isCounted) return []
  if (ended.outcome === "completed") return dimmed("─ ")
  const [mark, paint] = ended.outcome === "failed" ? (["✗", style.red] as const) : (["◼", style.yellow] as const)
  const reason = told === ended.reason ? "the task ended with this call." : ended.reason
  const error = ended.error === undefined ? undefined : { _tag: ended.error, message: ended.reason }
  const rows = messageRows(advised(reason, error), width - 2, paint, style)
  return [...rows.map((row, index) => `${index === 0 ? paint(mark) : " "} ${row}`), ...dimmed("  ")]
}

/** Milliseconds below which a time says nothing. */
export const noticed = 100

/** That the model has thought, folded. */
export const thoughtRow = ({ durationMillis, text }: Of<"Thought">, opens: boolean, style: Style): string => {
  const time = durationMillis === undefined || durationMillis < noticed ? "" : ` for ${duration(durationMillis)}`
  return style.dim(`· thought${time}${opens && text !== "" ? " (ctrl-o)" : ""}`)
}
