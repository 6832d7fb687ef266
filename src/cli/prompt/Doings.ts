import type { SessionCompacted } from "../../agent/AgentEvent.ts"
import { isTerminal } from "../../runtime/Event.ts"
import type { NanoUsd } from "../../cost/Money.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { isRoot } from "../../tool/WorkerPath.ts"
import * as WorkerTree from "../../ui/WorkerTree.ts"
import type { Standing } from "../terminal/StatusLine.ts"

/** Sizes of the context that are remembered, for a rewind. */
const kept = 200

/** What goes on in a session, counted from its events for the status line. */
export class Doings {
  private readonly tasks = new Set<string>()
  /** What the context held from which event on, the latest last. */
  private held: ReadonlyArray<{ readonly seq: number; readonly tokens: number | undefined }> = []
  private amount = 0
  private unpriced = false

  /** What the session had cost before the first event that is heard. */
  spent({ amount, unpriced }: { readonly amount: NanoUsd; readonly unpriced: boolean }): void {
    this.amount += amount
    this.unpriced ||= unpriced
  }

  private holds(seq: number, tokens: number | undefined): void {
    this.held = [...this.held, { seq, tokens }].slice(-kept)
  }

  /** What the model has counted, as much smaller as a summary is by estimate; the estimate where nothing was counted here. */
  private leftOf(estimate: SessionCompacted["tokens"]): number | undefined {
    const counted = this.held.at(-1)?.tokens
    if (estimate === undefined || counted === undefined) return estimate?.after
    return Math.round((counted * estimate.after) / Math.max(1, estimate.before))
  }

  hear({ event, seq, task, worker }: Envelope): void {
    switch (event._tag) {
      case "TaskQueued":
        if (task !== undefined) this.tasks.add(task)
        break
      case "SessionResumed":
        if (event.goesOn !== undefined) this.tasks.add(event.goesOn.task)
        break
      case "ModelAnswered":
        if (worker === undefined || isRoot(worker)) this.holds(seq, event.usage.inputTokens + event.usage.outputTokens)
        break
      case "ModelCharged":
        this.spent({ amount: event.amount ?? 0, unpriced: event.amount === undefined })
        break
      case "SessionCleared":
        this.holds(seq, undefined)
        break
      case "SessionRewound":
        this.held = this.held.filter((one) => one.seq < event.to)
        break
      case "SessionCompacted":
        if (worker === undefined || isRoot(worker)) this.holds(seq, this.leftOf(event.tokens))
        break
    }
    if (isTerminal(event) && task !== undefined) this.tasks.delete(task)
  }

  standing(
    window: number | undefined,
    workers: WorkerTree.WorkerTree = WorkerTree.empty
  ): Pick<Standing, "context" | "cost" | "tasks" | "workers"> {
    const tokens = this.held.at(-1)?.tokens
    return {
      workers: workers.nodes.filter(WorkerTree.isOpen).length,
      tasks: this.tasks.size,
      cost: { amount: this.amount, unpriced: this.unpriced },
      ...(tokens === undefined || tokens === 0 ? {} : { context: { tokens, window } })
    }
  }
}
