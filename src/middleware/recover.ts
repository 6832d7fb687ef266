import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { endOf } from "./endOf.ts"
import type { Middleware } from "./Middleware.ts"
import type { Named } from "./Named.ts"
import { named } from "./Step.ts"

/** A bug in a handler, told without its stack: `tool NAME crashed`. */
export class Crashed extends Schema.TaggedError<Crashed>()("Crashed", {
  kind: Schema.Literal("tool", "command"),
  name: Schema.String
}) {
  override get message() {
    return `${this.kind} ${this.name} crashed`
  }
}

/**
 * Turns a defect into the failure `Crashed`; `onDefect` receives the defect with its stack, which no one else sees.
 * Interruption passes.
 */
export const recover = <Call extends Named>(
  onDefect: (call: Call, detail: string) => Effect.Effect<void>
): Middleware<Call, { fails: Crashed }> => {
  const around: Middleware<Call, { fails: Crashed }> = (call, next) =>
    Effect.catchAllCause(
      Effect.suspend(() => next(call)),
      (cause): Effect.Effect<never, Crashed | Effect.Effect.Error<ReturnType<typeof next>>> =>
        endOf(cause) === "crashed"
          ? Effect.zipRight(
              Effect.ignoreLogged(Effect.sandbox(onDefect(call, Cause.pretty(cause)))),
              new Crashed({ kind: call.kind, name: call.name })
            )
          : Effect.failCause(cause)
    )
  return named("recovery", "", around)
}
