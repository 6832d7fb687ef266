import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** A bug behind a command rejects that command; the next one still runs. */
export const contained =
  <C extends { readonly _tag: string }>(
    perform: (command: C) => Effect.Effect<void>,
    reject: (command: C, reason: string) => Effect.Effect<void>
  ) =>
  (command: C): Effect.Effect<void> =>
    Effect.catchAllDefect(
      Effect.suspend(() => perform(command)),
      (defect) =>
        Effect.zipRight(
          Effect.logError(`The command ${command._tag} crashed`, Cause.die(defect)),
          reject(command, `${command._tag} crashed. This is a bug in Tollgate; see its log.`)
        )
    )
