import * as Effect from "effect/Effect"
import type { Notifications } from "./Notifications.ts"
import type { ProgressBoard } from "./ProgressBoard.ts"

/** What the agent's loop says at the end of one model request and its calls. */
export interface IterationSeen {
  /** The task that it is a part of; with the worker it names the line of progress. */
  readonly task: string
  readonly worker: ReadonlyArray<string>
  readonly iteration: number
  readonly maxIterations: number
  /** Of the task so far. */
  readonly totalTokens: number
}

/** A budget passed a threshold. */
export interface BudgetSeen {
  /** Whose budget, e.g. `session`, `day`. */
  readonly budget: string
  /** Of the budget, e.g. 75. */
  readonly percent: number
  readonly message: string
}

/** Turns what the agent's loop tells into progress and notifications (T16). */
export interface Iterations {
  readonly iterated: (seen: IterationSeen) => Effect.Effect<void>
  /** The task is over, and so are the lines of all its workers that were seen. */
  readonly ended: (task: string) => Effect.Effect<void>
  readonly budget: (seen: BudgetSeen) => Effect.Effect<void>
}

const levelOf = (percent: number) => (percent >= 90 ? "error" : percent >= 75 ? "warning" : "info")

export const make = (board: ProgressBoard["Type"], notifications: Notifications["Type"]): Iterations => {
  const lines = new Map<string, Set<string>>()
  return {
    iterated: ({ iteration, maxIterations, task, totalTokens, worker }) =>
      Effect.suspend(() => {
        const id = `${task}/${worker.join("/")}`
        const known = lines.get(task) ?? new Set()
        const label = `${worker.join(" › ")}: iteration ${iteration}, ${totalTokens} tokens`
        const update = board.update(id, { label, current: iteration })
        if (known.has(id)) return update
        lines.set(task, known.add(id))
        return Effect.zipRight(board.start({ id, label, kind: "steps", total: maxIterations }), update)
      }),
    ended: (task) =>
      Effect.suspend(() => {
        const known = lines.get(task) ?? []
        lines.delete(task)
        return Effect.forEach(known, board.done, { discard: true })
      }),
    budget: ({ budget, message, percent }) =>
      Effect.asVoid(
        notifications.show({
          level: levelOf(percent),
          title: `${Math.round(percent)} % of the ${budget} budget`,
          message,
          action: { label: "Show the cost", command: "/cost" }
        })
      )
  }
}
