import { type ApprovalPolicy, modes } from "../../approval/ApprovalPolicy.ts"
import { format, type NanoUsd } from "../../cost/Money.ts"
import { visibleLine } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { columns, fit } from "./Layout.ts"
import { toned } from "./modeText.ts"
import { off } from "./sandboxText.ts"
import type { Style } from "./Style.ts"

/** What the status line says of a session, as far as it is known. */
export interface Standing {
  readonly mode: ApprovalPolicy
  /** The model profile. */
  readonly profile: string
  /** The branch that is checked out, and whether its files have changes. */
  readonly branch?: { readonly name: string; readonly dirty: boolean } | undefined
  /** Where commands run, in two words. */
  readonly sandbox?: string | undefined
  /** What the last request of the root worker held, and what the model takes. */
  readonly context?: { readonly tokens: number; readonly window?: number | undefined } | undefined
  /** What the session has cost, and whether the price of some of it is unknown. */
  readonly cost?: { readonly amount: NanoUsd; readonly unpriced: boolean } | undefined
  /** Sub-workers that run. */
  readonly workers: number
  /** Tasks that run or wait. */
  readonly tasks: number
}

const between = " · "

/** `1,234` as `1k`, so that it stays short. */
const short = (tokens: number): string => (tokens < 1000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`)

const contextText = ({ tokens, window }: NonNullable<Standing["context"]>): string =>
  window === undefined || window <= 0
    ? `ctx ${short(tokens)}`
    : `ctx ${Math.min(100, Math.round((100 * tokens) / window))}%`

/** The share of the context from which on it stands out. */
const nearlyFull = 0.8

const isNearlyFull = ({ tokens, window }: NonNullable<Standing["context"]>): boolean =>
  window !== undefined && window > 0 && tokens / window >= nearlyFull

/** Nothing where nothing was spent. */
export const costText = ({ amount, unpriced }: NonNullable<Standing["cost"]>): string =>
  amount === 0 ? (unpriced ? "$?" : "") : `${format(amount)}${unpriced ? "+?" : ""}`

/** The parts after the mode, in their order; the last is the first to go. */
const partsOf = (
  { branch, context, cost, profile, sandbox, tasks, workers }: Standing,
  style: Style
): ReadonlyArray<string> => [
  style.dim(visibleLine(profile)),
  ...(branch === undefined ? [] : [style.dim(`${visibleLine(branch.name)}${branch.dirty ? "*" : ""}`)]),
  ...(sandbox === undefined ? [] : [(sandbox.startsWith(off) ? style.yellow : style.dim)(visibleLine(sandbox))]),
  ...(context === undefined ? [] : [(isNearlyFull(context) ? style.yellow : style.dim)(contextText(context))]),
  ...(cost === undefined || costText(cost) === "" ? [] : [style.dim(costText(cost))]),
  ...(workers === 0 ? [] : [style.dim(many(workers, "worker"))]),
  ...(tasks === 0 ? [] : [style.dim(many(tasks, "task")), style.dim("esc stops")])
]

/** The mode in its colour; white on red where every call runs. */
const markOf = (mode: ApprovalPolicy, style: Style): string => {
  const { mark, tone } = modes[mode]
  return tone === "calm" ? style.bold(mark) : toned(mode, mark, style)
}

/**
 * The state of a session in one row: the mode first, then model, branch, sandbox, context, money, workers and tasks. Where there is
 * too little room parts go from the right, the mode never.
 */
export const statusLine = (standing: Standing, width: number, style: Style): string => {
  const parts = [markOf(standing.mode, style), ...partsOf(standing, style)]
  const room = Math.max(1, width - 2)
  let shown = parts.length
  const row = () => parts.slice(0, shown).join(style.dim(between))
  while (shown > 1 && columns(row()) > room) shown -= 1
  return ` ${fit(row(), room)}`
}
