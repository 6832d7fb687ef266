import { isTerminal } from "../../runtime/Event.ts"
import type { NanoUsd } from "../../cost/Money.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { isRoot } from "../../tool/WorkerPath.ts"
import * as WorkerTree from "../../ui/WorkerTree.ts"
import type { Standing } from "../terminal/StatusLine.ts"

/** What goes on in a session, counted from its events for the status line. */
export class Doings {
  private readonly tasks = new Set<string>()
  private tokens: number | undefined
  private amount = 0
  private unpriced = false

  /** What the session had cost before the first event that is heard. */
  spent({ amount, unpriced }: { readonly amount: NanoUsd; readonly unpriced: boolean }): void {
    this.amount += amount
    this.unpriced ||= unpriced
  }

  hear({ event, task, worker }: Envelope): void {
    switch (event._tag) {
      case "TaskQueued":
        if (task !== undefined) this.tasks.add(task)
        break
      case "ModelAnswered":
        if (worker === undefined || isRoot(worker)) this.tokens = event.usage.inputTokens + event.usage.outputTokens
        break
      case "ModelCharged":
        this.spent({ amount: event.amount ?? 0, unpriced: event.amount === undefined })
        break
      case "SessionCleared":
      case "SessionCompacted":
        this.tokens = undefined
        break
    }
    if (isTerminal(event) && task !== undefined) this.tasks.delete(task)
  }

  standing(
    window: number | undefined,
    workers: WorkerTree.WorkerTree = WorkerTree.empty
  ): Pick<Standing, "context" | "cost" | "tasks" | "workers"> {
    return {
      workers: workers.nodes.filter(WorkerTree.isOpen).length,
      tasks: this.tasks.size,
      cost: { amount: this.amount, unpriced: this.unpriced },
      ...(this.tokens === undefined || this.tokens === 0 ? {} : { context: { tokens: this.tokens, window } })
    }
  }
}
