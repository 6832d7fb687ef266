import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { pausing, settling } from "../quiet.ts"
import type { Screen } from "../Screen.ts"
import type { Lines } from "./Lines.ts"

export interface Reader {
  readonly lines: Lines["Type"]
  readonly screen: Pick<Screen["Type"], "progress">
  /** What Ctrl-C does, which may be to leave the question. */
  readonly interrupt: (leave: Effect.Effect<void>) => Effect.Effect<void>
}

/** Reads one line that was typed behind a question, and nothing that was typed before; none where the person leaves it. */
const once = (question: string, { interrupt, lines, screen }: Reader, pause: Duration.Duration) =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<Option.Option<string> | "pasted">()
    const leave = Effect.asVoid(Deferred.succeed(answer, Option.none()))
    let isPut = false
    const put = Effect.zipRight(
      lines.quiet(pause),
      Effect.suspend(() => {
        isPut = true
        return screen.progress(question)
      })
    )
    return yield* Effect.raceFirst(Deferred.await(answer), Effect.zipRight(put, Deferred.await(answer))).pipe(
      lines.focus((entry) => {
        switch (entry._tag) {
          case "Line":
            return isPut
              ? Effect.asVoid(Deferred.succeed(answer, entry.pasted ? "pasted" : Option.some(entry.text)))
              : Effect.void
          case "Interrupt":
            return Effect.zipRight(screen.progress("\n"), interrupt(leave))
          case "End":
            return Effect.zipRight(screen.progress("\n"), leave)
        }
      })
    )
  })

/** Reads one line behind a question, which is put once nothing is typed any more; pasted lines are no answer. */
export const readLine = (
  question: string,
  reader: Reader,
  pause: Duration.Duration = settling
): Effect.Effect<Option.Option<string>> =>
  Effect.flatMap(once(question, reader, pause), (answer) =>
    answer === "pasted"
      ? Effect.zipRight(
          reader.screen.progress("one line is an answer, several are none\n"),
          readLine(question, reader, pausing)
        )
      : Effect.succeed(answer)
  )
