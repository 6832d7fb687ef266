import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { logCrash } from "../redaction/logCrash.ts"
import { endsWithin } from "../system/endsWithin.ts"
import { patience } from "./Closing.ts"

/**
 * A scope for what code of the user holds, which is closed in time at the end of the one around it; the log says where it crashes then,
 * or does not end.
 */
export const letGo = (who: string, what: string): Effect.Effect<Scope.Scope, never, Scope.Scope> =>
  Effect.acquireRelease(Scope.make(), (own, exit) => {
    const closed = Effect.catchAllCause(Scope.close(own, exit), (cause) =>
      logCrash(`${who} crashed as it let go of ${what}`, cause)
    )
    return Effect.flatMap(endsWithin(closed, patience), (inTime) =>
      inTime ? Effect.void : Effect.logError(`${who} did not let go of ${what} within ${Duration.format(patience)}.`)
    )
  })
