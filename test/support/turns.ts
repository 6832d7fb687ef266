import * as Effect from "effect/Effect"

/** How often the event loop went round while an effect ran. */
export const turnsDuring = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    let turns = 0
    let next: NodeJS.Immediate
    const turn = () => {
      turns++
      next = setImmediate(turn)
    }
    next = setImmediate(turn)
    return self.pipe(
      Effect.ensuring(Effect.sync(() => clearImmediate(next))),
      Effect.map(() => turns)
    )
  })
