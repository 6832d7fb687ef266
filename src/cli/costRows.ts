import * as Budget from "../cost/Budget.ts"
import { type Limits, Scope } from "../cost/Budgets.ts"
import type { Total } from "../cost/Book.ts"
import { format, type NanoUsd } from "../cost/Money.ts"
import { total } from "../cost/totals.ts"
import { many } from "../ui/Words.ts"
import { columns, fit } from "./terminal/Layout.ts"
import type { Style } from "./terminal/Style.ts"
import { oneLine } from "../text/visible.ts"

/** Cells of the longest bar. */
const longest = 16
/** Columns of the longest name. */
const widest = 40

const short = (tokens: number): string =>
  tokens < 1000
    ? `${tokens}`
    : tokens < 1_000_000
      ? `${(tokens / 1000).toFixed(1)}k`
      : `${(tokens / 1_000_000).toFixed(2)}M`

/** A sum, with a mark that some of it is unknown. */
export const money = ({ amount, requests, unpriced }: Pick<Total, "amount" | "requests" | "unpriced">): string =>
  unpriced === 0 ? format(amount) : unpriced === requests ? "?" : `${format(amount)} + ?`

const bar = (part: number, most: number): string =>
  part === 0 || most === 0 ? "" : "█".repeat(Math.max(1, Math.round((longest * part) / most)))

/** Of any number of values; as arguments of a function they would be too many. */
const greatest = (values: ReadonlyArray<number>, least: number): number =>
  values.reduce((most, value) => Math.max(most, value), least)

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - columns(text)))

const counts = ({ requests, usage }: Pick<Total, "requests" | "usage">): string =>
  `${many(requests, "request")} · ${short(usage.inputTokens)} in, ${short(usage.outputTokens)} out`

/** Totals as a chart, by money or, where nothing has cost any, by tokens; a row for each, and one for all. */
export const chart = (totals: ReadonlyArray<Total>, width: number, style: Style): ReadonlyArray<string> => {
  const all = total(totals)
  const weight = ({ amount, usage }: Pick<Total, "amount" | "usage">) =>
    all.amount > 0 ? amount : usage.inputTokens + usage.outputTokens
  const names = totals.map(({ key }) => fit(oneLine(key) || "(none)", widest))
  const wide = greatest(names.map(columns), 5)
  const sums = totals.map(money)
  const sumWide = greatest(sums.map(columns), columns(money(all)))
  const most = greatest(totals.map(weight), 0)
  const row = (name: string, sum: string, bars: string, of: Pick<Total, "requests" | "usage">) =>
    fit(
      `${padded(name, wide)}  ${sum.padStart(sumWide)}  ${style.cyan(bars)}${" ".repeat(longest - bars.length)}  ${counts(of)}`,
      width
    )
  return [
    ...totals.map((one, at) => row(names[at] ?? "", sums[at] ?? "", bar(weight(one), most), one)),
    ...(totals.length > 1 ? [row("total", money(all), "", all)] : [])
  ]
}

/** How far the budgets are used, those that are set. */
export const budgetRows = (limits: Limits, spent: (scope: Scope) => NanoUsd | undefined): ReadonlyArray<string> =>
  Scope.literals.flatMap((scope) => {
    const limit = limits.get(scope)
    const used = spent(scope)
    if (limit === undefined || used === undefined) return []
    const share = limit === 0 ? 100 : Math.floor((100 * used) / limit)
    return [`budget of ${Budget.nameOf(scope)}: ${format(used)} of ${format(limit)} (${share} %)`]
  })
