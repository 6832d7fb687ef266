import { isTerminal } from "../../runtime/Event.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import type { Standing } from "../terminal/StatusLine.ts"

/** What goes on in a session, counted from its events for the status line. */
export class Doings {
  private readonly running = new Set<string>()
  private readonly tasks = new Set<string>()
  private tokens: number | undefined

  hear({ event, task, worker }: Envelope): void {
    const isRoot = worker === undefined || worker.length <= 1
    const key = JSON.stringify([task, worker])
    switch (event._tag) {
      case "TaskQueued":
        if (task !== undefined) this.tasks.add(task)
        break
      case "WorkerStarted":
        this.running.add(key)
        break
      case "WorkerCompleted":
      case "WorkerFailed":
      case "WorkerInterrupted":
        this.running.delete(key)
        break
      case "ModelAnswered":
        if (isRoot) this.tokens = event.usage.inputTokens + event.usage.outputTokens
        break
      case "SessionCleared":
      case "SessionCompacted":
        this.tokens = undefined
        break
    }
    if (isTerminal(event) && task !== undefined) {
      this.tasks.delete(task)
      for (const each of this.running) if (each.startsWith(`[${JSON.stringify(task)},`)) this.running.delete(each)
    }
  }

  standing(window: number | undefined): Pick<Standing, "context" | "tasks" | "workers"> {
    return {
      workers: this.running.size,
      tasks: this.tasks.size,
      ...(this.tokens === undefined || this.tokens === 0 ? {} : { context: { tokens: this.tokens, window } })
    }
  }
}
