import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { endOf } from "./endOf.ts"
import type { Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { named } from "./Step.ts"

const outcome = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.match(exit, {
    onSuccess: () => "succeeded",
    onFailure: endOf
  })

/** Logs what ran, for how long and how it ended; `durationMillis` and `outcome` are annotations. */
export const timing: Middleware<Named> = named<Named>("timing", "", (call, next) =>
  Effect.flatMap(monotonicMillis, (startedAt) =>
    Effect.onExit(
      Effect.suspend(() => next(call)),
      (exit) =>
        Effect.flatMap(monotonicMillis, (now) =>
          Effect.annotateLogs(Effect.logInfo(`${call.kind} ${call.name} ${outcome(exit)}`), {
            [call.kind]: call.name,
            durationMillis: Math.round(now - startedAt),
            outcome: outcome(exit)
          })
        )
    )
  )
)
