import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Screen } from "../Screen.ts"
import type { Lines } from "./Lines.ts"

export interface Reader {
  readonly lines: Lines["Type"]
  readonly screen: Pick<Screen["Type"], "progress">
  /** What Ctrl-C does; if unset, it leaves the question. */
  readonly interrupt?: Effect.Effect<void>
}

/** Reads one line behind a question; none where the person leaves it. Pasted lines are no answer. */
export const readLine = (
  question: string,
  { interrupt, lines, screen }: Reader
): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<Option.Option<string>>()
    const leave = Effect.asVoid(Deferred.succeed(answer, Option.none()))
    yield* screen.progress(question)
    return yield* Deferred.await(answer).pipe(
      lines.focus((entry) => {
        switch (entry._tag) {
          case "Line":
            return entry.pasted
              ? screen.progress(`one line is an answer, several are none\n${question}`)
              : Effect.asVoid(Deferred.succeed(answer, Option.some(entry.text)))
          case "Interrupt":
            return Effect.zipRight(screen.progress("\n"), interrupt ?? leave)
          case "End":
            return Effect.zipRight(screen.progress("\n"), leave)
        }
      })
    )
  })
