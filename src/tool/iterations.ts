import * as Effect from "effect/Effect"
import { toText } from "./WorkerPath.ts"
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

/** Turns what the agent's loop tells into progress. */
export interface Iterations {
  readonly iterated: (seen: IterationSeen) => Effect.Effect<void>
  /** The task is over, and so are the lines of all its workers that were seen. */
  readonly ended: (task: string) => Effect.Effect<void>
}

export const make = (board: ProgressBoard["Type"]): Iterations => {
  const lines = new Map<string, Set<string>>()
  return {
    iterated: ({ iteration, maxIterations, task, totalTokens, worker }) =>
      Effect.suspend(() => {
        const id = `${task}/${toText(worker)}`
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
      })
  }
}
