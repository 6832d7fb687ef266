import { approvedLines } from "../../../approval/rendering/Prompt.ts"
import { duration } from "../../../text/duration.ts"
import { makeVisible } from "../../../text/visible.ts"
import type { Diff } from "../../../ui/Display.ts"
import { many } from "../../../ui/Words.ts"
import { rowsOf } from "../approval/approvalRows.ts"
import { diffRows } from "../diffRows.ts"
import { columns, fit, wrap } from "../Layout.ts"
import type { Style } from "../Style.ts"
import { aligned, approvedMark, sizeText, title } from "./callHead.ts"
import type { CallBlock, CallRemark } from "./CallBlock.ts"
import type { OutputLine } from "./Output.ts"
import { messageRows } from "./noteRows.ts"
import { isUnchanged, resultSummary } from "./resultSummary.ts"
import { painted } from "./sgr.ts"
import type { Phase } from "../../../ui/verbs.ts"

export interface RowsOptions {
  readonly style: Style
  readonly width: number
  /** Whether what is left out can be opened. */
  readonly opens: boolean
}

/** In front of what stands under the head of a call. */
const indent = "  "
/** Rows of a diff, and of what a person was asked. */
const diffLimit = 40
const askedLimit = 16
/** Rows of a call that runs beside others. */
const besideRows = 2

/** Tools whose head names the file that they change. */
const namesFile = new Set(["write_file", "edit_file"])

export const left = (count: number, { opens, style }: RowsOptions, one = "line"): string =>
  style.dim(`… ${many(count, one)}${opens ? " (ctrl-o)" : ""}`)

/** A line of output behind its gutter. */
export const outputRow = ({ channel, text }: OutputLine, { style, width }: RowsOptions): string => {
  const line = fit(painted(text, style.coloured), width - indent.length - 2)
  return `${indent}${channel === "stderr" ? style.yellow("┃") : style.dim("│")} ${line}`
}

export const remarkRows = ({ level, text }: CallRemark, { style, width }: RowsOptions): ReadonlyArray<string> => {
  const mark = { info: "·", warning: "!", error: "✗" }[level]
  const paint = level === "error" ? style.red : level === "warning" ? style.yellow : style.dim
  return messageRows(text, width - indent.length - 2, paint, style).map(
    (row, index) => `${indent}${index === 0 ? paint(mark) : " "} ${row}`
  )
}

/** The lines of a diff as a person may see them. */
const diffLines = (text: string): ReadonlyArray<string> =>
  makeVisible(text)
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.replaceAll("\t", "    "))
    .filter((line) => !/^(?:Index: |=+$)/.test(line))

const changeRows = ({ call, omitted, text }: Diff, options: RowsOptions): ReadonlyArray<string> => {
  const { style, width } = options
  const lines = diffLines(text)
  const rows = diffRows(lines, { style, width: width - indent.length, names: !namesFile.has(call.tool) })
  const shown = rows.slice(0, diffLimit)
  const more = omitted + (rows.length > shown.length ? lines.length - 1 - (shown.at(-1)?.line ?? 0) : 0)
  const end = more === 0 ? [] : [`${indent}${left(more, options, "more line")}`]
  return [...shown.map((row) => `${indent}${row.text}`), ...end]
}

/** Whether the head of a call says all there is to it. */
const saysAll = (block: CallBlock, { style, width }: RowsOptions): boolean =>
  !block.call.arguments.includes("\\n") && columns(title(block.call, "ended", style)) + 4 <= width / 2

/** What a person was asked, where neither the head nor a diff shows it. */
const askedRows = (block: CallBlock, options: RowsOptions): ReadonlyArray<string> => {
  const { request } = block
  if (request === undefined || block.diffs.length > 0) return []
  const { style, width } = options
  const diff = request.preview?.diff
  if (diff !== undefined) return changeRows({ call: block.call, text: diff, omitted: 0 }, options)
  if (saysAll(block, options)) return []
  const rows = rowsOf(approvedLines(request), width - indent.length, style)
  const shown = rows.slice(0, askedLimit).map(({ text }) => `${indent}${text}`)
  return rows.length > shown.length
    ? [...shown, `${indent}${left(rows.length - shown.length, options, "more row")}`]
    : shown
}

const marks = (style: Style) => ({
  done: style.green("•"),
  failed: style.red("✗"),
  interrupted: style.yellow("◼"),
  unknown: style.yellow("?")
})

/** How a command ended, out of the words for it. */
const exit = /^exit code (\d+)$/

/** Who has refused it, out of the words for that. */
const refusal = /^(?:you|user \S+) said no\b/

/** What stands on the right of a call that has ended, and what went wrong where that needs rows of its own. */
const ending = (block: CallBlock): { readonly parts: ReadonlyArray<string>; readonly reason: string } => {
  const { approved, call, ended, output } = block
  if (ended === undefined) return { parts: [], reason: "" }
  const { durationMillis, outcome, text } = ended
  const time = durationMillis === 0 ? [] : [duration(durationMillis)]
  const allowed = approved ? [approvedMark] : []
  switch (outcome) {
    case "done": {
      const summary = output === undefined ? makeVisible(resultSummary(call.tool, text)) : ""
      return { parts: [...allowed, ...(summary === "" ? [] : [summary]), ...time], reason: "" }
    }
    case "failed": {
      const code = exit.exec(text)?.[1]
      const short = code === undefined ? refusal.exec(text)?.[0] : `exit ${code}`
      return {
        parts: [...allowed, ...(short === undefined ? [] : [short]), ...time],
        reason: short === text || code !== undefined ? "" : text
      }
    }
    case "interrupted":
    case "unknown":
      return { parts: [...allowed, outcome, ...time], reason: text }
  }
}

/** What went wrong, in rows of its own. */
const reasonRows = (block: CallBlock, reason: string, { style, width }: RowsOptions): ReadonlyArray<string> => {
  if (reason === "") return []
  const paint = block.ended?.outcome === "failed" ? style.red : style.yellow
  return messageRows(reason, width - indent.length, paint, style).map((row) => `${indent}${row}`)
}

const outputRows = (block: CallBlock, options: RowsOptions): ReadonlyArray<string> => {
  const { ended, output, streamed } = block
  if (output === undefined) return []
  const failed = ended?.outcome !== "done"
  const lines = output.shown(failed).filter(({ at }) => at >= streamed)
  const rows = lines.map((line) => outputRow(line, options))
  const omitted = output.count - streamed - rows.length
  return omitted === 0 ? rows : [`${indent}${options.style.dim("│")} ${left(omitted, options)}`, ...rows]
}

const bodyRows = (block: CallBlock, options: RowsOptions): ReadonlyArray<string> => [
  ...block.remarks.flatMap((remark) => remarkRows(remark, options)),
  ...askedRows(block, options),
  ...block.diffs.flatMap((diff) => changeRows(diff, options)),
  ...outputRows(block, options)
]

/**
 * How a head speaks of a call: in the past only of what has happened. What failed, was refused or was interrupted was asked for
 * alone, unless it has come as far as its verb says: a program that ran to a bad end, a sub-worker that was started.
 */
const endedPhase = ({ call, ended, worker }: CallBlock): Phase =>
  (ended?.outcome === "done" && !isUnchanged(call.tool, ended.text)) ||
  ended?.result !== undefined ||
  worker !== undefined
    ? "ended"
    : "asked"

export const phaseOf = (block: CallBlock): Phase =>
  block.ended === undefined && block.started ? "running" : endedPhase(block)

/** The head of a call by what is known of it. */
const head = (block: CallBlock, mark: string, phase: Phase, parts: ReadonlyArray<string>, options: RowsOptions) => {
  const asked = block.request?.preview?.diff
  const size = sizeText(
    block.diffs.length === 0 && asked !== undefined ? [{ text: asked }] : block.diffs,
    options.style
  )
  // What stands under the call that started its worker need not name that worker.
  const call = block.depth === 0 ? block.call : { ...block.call, worker: [] }
  return aligned(`${mark} ${title(call, phase, options.style, block.worker)}${size}`, parts, options)
}

/** All that is printed of a call once it has ended; its head comes first unless it is printed already. */
export const endedRows = (block: CallBlock, options: RowsOptions): ReadonlyArray<string> => {
  const { parts, reason } = ending(block)
  const mark = marks(options.style)[block.ended?.outcome ?? "interrupted"]
  const rows = [...bodyRows(block, options), ...reasonRows(block, reason, options)]
  if (!block.begun) return [head(block, mark, endedPhase(block), parts, options), ...rows]
  return [...rows, fit(`${indent}${mark} ${options.style.dim(closing(block, parts))}`, options.width)]
}

/** Rows of the result of a call that a person has asked for. */
const resultLimit = 100

/** What a call gave, visible. */
export const resultOf = ({ ended }: CallBlock): string =>
  ended === undefined || (ended.outcome !== "done" && ended.result === undefined)
    ? ""
    : makeVisible(ended.result ?? ended.text).trimEnd()

/** What a call gave in rows; none where its head or its output says it. */
export const resultRows = (block: CallBlock, text: string, options: RowsOptions): ReadonlyArray<string> => {
  if (block.output !== undefined || resultSummary(block.call.tool, text) === text || text === "done") return []
  const rows = text.split("\n").flatMap((line) => wrap(line, options.width - indent.length))
  const shown = rows.slice(0, resultLimit).map((row) => `${indent}${row}`)
  return rows.length > shown.length
    ? [...shown, `${indent}${left(rows.length - shown.length, options, "more row")}`]
    : shown
}

/** How a call ended whose head stands further up. */
const closing = ({ ended, worker }: CallBlock, parts: ReadonlyArray<string>): string => {
  const outcome = ended?.outcome ?? "interrupted"
  if (worker === undefined) return parts.join(" · ") || outcome
  return `${makeVisible(worker)} ${[outcome, ...parts.filter((part) => part !== outcome)].join(" · ")}`
}

/** The head of a call that goes on, as it stays above what follows. */
export const beginRow = (block: CallBlock, options: RowsOptions): string =>
  head(block, options.style.cyan("•"), endedPhase(block), [], options)

/** The head of a call that goes on, as it is by now. */
const openRow = (block: CallBlock, options: RowsOptions): string => {
  const { style } = options
  if (block.waits) return head(block, style.yellow("⏸"), "asked", ["needs an answer"], options)
  return head(block, block.started ? style.cyan("•") : style.dim("○"), phaseOf(block), [], options)
}

/** What is seen of a call before it has ended; less of one beside another. */
export const liveRows = (block: CallBlock, beside: boolean, options: RowsOptions): ReadonlyArray<string> => {
  const output = (block.output?.latest ?? []).map((line) => outputRow(line, options))
  const remarks = block.remarks.slice(-2).flatMap((remark) => remarkRows(remark, options))
  const rows = output.length > 0 ? output : remarks
  return [openRow(block, options), ...(beside ? rows.slice(-besideRows) : rows)]
}
