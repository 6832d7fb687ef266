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
/** Rows of a message. */
const messageLimit = 8
/** Rows of a prompt: a long one is cut in its middle. */
const promptFirst = 8
const promptLast = 3

const marks = { info: "·", warning: "!", error: "✗" } as const

const paintOf = (level: Level, style: Style) =>
  level === "error" ? style.red : level === "warning" ? style.yellow : style.dim

export const promptRows = ({ text }: Of<"Prompt">, { style, width }: NoteOptions): ReadonlyArray<string> => {
  const rows = wrap(makeVisible(text), Math.min(textWidth, width) - 2)
  const omitted = rows.length - promptFirst - promptLast
  const [first = "", ...rest] = (omitted < 2 ? rows : rows.slice(0, promptFirst)).map(style.bold)
  const cut =
    omitted < 2 ? [] : [style.dim(`… ${many(omitted, "more line")}`), ...rows.slice(-promptLast).map(style.bold)]
  return [`${style.cyan("›")} ${first}`, ...[...rest, ...cut].map((line) => `  ${line}`)]
}

export const noteRows = (
  { error, level, text, whole }: Of<"Note">,
  { style, width }: NoteOptions
): ReadonlyArray<string> => {
  const paint = paintOf(level, style)
  return wrap(makeVisible(advised(text, error)), width - 2)
    .slice(0, whole === true ? Infinity : messageLimit)
    .map((line, index) => `${index === 0 ? paint(marks[level]) : " "} ${paint(line)}`)
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
  const rows = wrap(makeVisible(advised(reason, error)), width - 2).slice(0, messageLimit)
  return [...rows.map((line, index) => `${index === 0 ? paint(mark) : " "} ${paint(line)}`), ...dimmed("  ")]
}

/** Milliseconds below which a time says nothing. */
export const noticed = 100

/** That the model has thought, folded. */
export const thoughtRow = ({ durationMillis, text }: Of<"Thought">, opens: boolean, style: Style): string => {
  const time = durationMillis === undefined || durationMillis < noticed ? "" : ` for ${duration(durationMillis)}`
  return style.dim(`· thought${time}${opens && text !== "" ? " (ctrl-o)" : ""}`)
}
