import type { AuditKind, AuditRow } from "./AuditChain.ts"

/** How decisions about one tool went. */
export interface ToolStats {
  readonly tool: string
  readonly asked: number
  readonly granted: number
  readonly denied: number
  readonly expired: number
  readonly withdrawn: number
  /** Decided by a rule, a grant or a policy, without asking. */
  readonly automatic: number
  /** Mean and longest time that people took to answer, in milliseconds. */
  readonly meanMillis: number
  readonly maxMillis: number
}

const none = (tool: string) => ({
  tool,
  asked: 0,
  granted: 0,
  denied: 0,
  expired: 0,
  withdrawn: 0,
  automatic: 0,
  answered: 0,
  totalMillis: 0,
  maxMillis: 0
})

/** Entries about a call that needed a decision; an unknown tool name does not count. */
const asks: ReadonlySet<AuditKind> = new Set(["requested", "resolved", "automatic"])

/** Sums up rows of an audit as they come. */
export class StatsFold {
  private readonly byTool = new Map<string, ReturnType<typeof none>>()

  add(row: AuditRow): void {
    if (row.tool === null || !asks.has(row.kind)) return
    let stats = this.byTool.get(row.tool)
    if (stats === undefined) this.byTool.set(row.tool, (stats = none(row.tool)))
    if (row.kind === "requested") stats.asked += 1
    else if (row.kind === "automatic") stats.automatic += 1
    else if (row.kind === "resolved") {
      const outcome = row.outcome
      if (outcome === "granted" || outcome === "denied" || outcome === "expired" || outcome === "withdrawn") {
        stats[outcome] += 1
      }
      if (row.decided_by === "user" && row.waited_millis !== null) {
        stats.answered += 1
        stats.totalMillis += row.waited_millis
        stats.maxMillis = Math.max(stats.maxMillis, row.waited_millis)
      }
    }
  }

  /** The tool that was asked for most often first. */
  result(): ReadonlyArray<ToolStats> {
    return [...this.byTool.values()]
      .map(({ answered, totalMillis, ...stats }) => ({
        ...stats,
        meanMillis: answered === 0 ? 0 : Math.round(totalMillis / answered)
      }))
      .toSorted((a, b) => b.asked + b.automatic - (a.asked + a.automatic) || a.tool.localeCompare(b.tool))
  }
}
