import { isTerminal } from "../../runtime/Event.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { isRoot } from "../../tool/WorkerPath.ts"
import * as WorkerTree from "../../ui/WorkerTree.ts"
import type { Standing } from "../terminal/StatusLine.ts"

/** What goes on in a session, counted from its events for the status line. */
export class Doings {
  private readonly tasks = new Set<string>()
  private tokens: number | undefined

  hear({ event, task, worker }: Envelope): void {
    switch (event._tag) {
      case "TaskQueued":
        if (task !== undefined) this.tasks.add(task)
        break
      case "ModelAnswered":
        if (worker === undefined || isRoot(worker)) this.tokens = event.usage.inputTokens + event.usage.outputTokens
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
  ): Pick<Standing, "context" | "tasks" | "workers"> {
    return {
      workers: workers.nodes.filter(WorkerTree.isOpen).length,
      tasks: this.tasks.size,
      ...(this.tokens === undefined || this.tokens === 0 ? {} : { context: { tokens: this.tokens, window } })
    }
  }
}
