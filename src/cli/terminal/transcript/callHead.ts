import { makeVisible } from "../../../text/visible.ts"
import type { ApprovalRequest } from "../../../tool/ApprovalRequest.ts"
import type { CallShown } from "../../../ui/Display.ts"
import { diffSize, type Sized } from "../diffRows.ts"
import { columns, fit } from "../Layout.ts"
import type { Style } from "../Style.ts"
import { type Phase, worded } from "../../../ui/verbs.ts"

export interface HeadOptions {
  readonly style: Style
  /** Columns; more than a screen has if there is none. */
  readonly width: number
}

/** A person has allowed it. */
export const approvedMark = "approved"
/** Columns that no screen has. */
const unbounded = 1000
/** The least that a title keeps of a row. */
const leastTitle = 0.6

/** One row: the text from the left, cut where it must be, and the parts on the right, of which that of a person and the last give way. */
export const aligned = (left: string, right: ReadonlyArray<string>, { style, width }: HeadOptions): string => {
  if (width >= unbounded) return [left, ...right.map((part) => style.dim(part))].join(style.dim(" · "))
  const room = width - Math.min(columns(left) + 2, Math.floor(width * leastTitle))
  let parts = right
  const text = () => parts.join(" · ")
  while (parts.length > 1 && columns(text()) > room) {
    parts = parts[0] === approvedMark ? parts.slice(1) : parts.slice(0, -1)
  }
  const end = fit(text(), room)
  if (end === "") return fit(left, width)
  const shown = fit(left, width - columns(end) - 2)
  return `${shown}${" ".repeat(width - columns(shown) - columns(end))}${style.dim(end)}`
}

/** Added and removed lines, as `+1 −1`. */
export const sizeText = (diffs: ReadonlyArray<Sized>, style: Style): string => {
  if (diffs.length === 0) return ""
  const sizes = diffs.map(diffSize)
  const sum = (key: "added" | "removed") => sizes.reduce((sum, size) => sum + size[key], 0)
  return `  ${style.green(`+${sum("added")}`)} ${style.red(`−${sum("removed")}`)}`
}

/** What a call does: who does it, the verb and its object; `to` is the sub-worker that it has started. */
export const title = (
  call: Pick<CallShown, "tool" | "arguments" | "worker">,
  phase: Phase,
  style: Style,
  to?: string
): string => {
  const { object, verb } = worded(call, phase)
  const path = call.worker.length > 1 ? style.dim(`${call.worker.slice(1).map(makeVisible).join(" › ")} › `) : ""
  const name = style.bold(makeVisible(to === undefined ? verb : `${verb} to ${to}`))
  return `${path}${name}${object === "" ? "" : ` ${makeVisible(object.replaceAll("\n", " "))}`}`
}

/** The head of a call that waits for a person. */
export const waitingHead = (request: ApprovalRequest, options: HeadOptions): string => {
  const { preview, risk, tool, workerPath } = request
  const call = { tool, arguments: JSON.stringify(request.arguments) ?? "", worker: workerPath }
  const size = sizeText(preview?.diff === undefined ? [] : [{ text: preview.diff }], options.style)
  const { style } = options
  return aligned(`${style.yellow("⏸")} ${title(call, "asked", style)}${size}`, [`${risk} risk`], options)
}
