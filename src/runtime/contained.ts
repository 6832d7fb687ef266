import * as Effect from "effect/Effect"
import { logCrash } from "../redaction/logCrash.ts"
import { catchOwnEnd } from "../middleware/endOf.ts"
import { blameOf } from "../middleware/PartCrashed.ts"

/** A crash behind a command, which dies of it or ends itself, rejects that command; the next one still runs. */
export const contained =
  <C extends { readonly _tag: string }>(
    perform: (command: C) => Effect.Effect<void>,
    reject: (command: C, reason: string) => Effect.Effect<void>
  ) =>
  (command: C): Effect.Effect<void> =>
    catchOwnEnd(
      Effect.suspend(() => perform(command)),
      (cause) =>
        Effect.zipRight(
          logCrash(`The command ${command._tag} crashed`, cause),
          reject(command, `${command._tag} crashed. ${blameOf(cause)}; see the log.`)
        )
    )
