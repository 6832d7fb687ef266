import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"

/** Items that wait; the oldest gives way. */
const most = 64

/** Tells what comes in one after the other; what never hears anything takes no fiber. */
export interface Telling<A> {
  readonly add: (item: A) => void
  /** Returns once all that came is told, and takes no more. */
  readonly end: Effect.Effect<void>
}

export const make = <A>(tell: (item: A) => Effect.Effect<void>, runtime: Runtime.Runtime<never>): Telling<A> => {
  const waiting: Array<A> = []
  let running: Fiber.RuntimeFiber<void> | undefined
  let ended = false
  const all: Effect.Effect<void> = Effect.suspend(() => {
    const next = waiting.shift()
    return next === undefined ? Effect.void : Effect.zipRight(tell(next), all)
  })
  return {
    add: (item) => {
      if (ended) return
      waiting.push(item)
      if (waiting.length > most) waiting.shift()
      if (running === undefined || running.unsafePoll() !== null) running = Runtime.runFork(runtime)(all)
    },
    end: Effect.suspend(() => {
      ended = true
      return running === undefined ? Effect.void : Effect.zipRight(Fiber.await(running), all)
    })
  }
}
