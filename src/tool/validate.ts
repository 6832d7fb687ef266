import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { ParametersInvalid, type Issue } from "./Parameters.ts"
import type { ToolCall } from "./ToolCall.ts"

/** Stands for the parameters of a call that have not been decoded yet. */
export const undecoded: unique symbol = Symbol.for("tollgate/tool/undecoded")

/** The call with decoded parameters, the same call where they are decoded already, or what is wrong with them. */
export const decoded = <Call extends ToolCall>(call: Call): Call | ParametersInvalid => {
  if (call.params !== undecoded) return call
  const params = call.tool.codec.decode()(call.rawParams)
  return Either.isRight(params)
    ? { ...call, params: params.right }
    : new ParametersInvalid({ tool: call.name, issues: params.left })
}

export const isInvalid = (call: ToolCall | ParametersInvalid): call is ParametersInvalid => "_tag" in call

/** `decoded` as an effect. */
export const validated = <Call extends ToolCall>(call: Call): Effect.Effect<Call, ParametersInvalid> => {
  const ready = decoded(call)
  return isInvalid(ready) ? Effect.fail(ready) : Effect.succeed(ready)
}

/** Told of parameters that a model got wrong; should it crash, the log says so. */
export type ValidationObserver = (call: ToolCall, issues: ReadonlyArray<Issue>) => Effect.Effect<void>

/** Decodes the parameters before anything inside runs (T9). */
export const validate = (observer?: ValidationObserver): Middleware<ToolCall, { fails: ParametersInvalid }> => {
  const around: Middleware<ToolCall, { fails: ParametersInvalid }> = <Self extends ToolCall, A, E, R>(
    call: Self,
    next: (call: Self) => Effect.Effect<A, E, R>
  ) =>
    Effect.suspend((): Effect.Effect<A, E | ParametersInvalid, R> => {
      const ready = decoded(call)
      if (!isInvalid(ready)) return next(ready)
      return observer === undefined
        ? Effect.fail(ready)
        : Effect.zipRight(
            Effect.ignoreLogged(Effect.sandbox(Effect.suspend(() => observer(call, ready.issues)))),
            Effect.fail(ready)
          )
    })
  return named("validation", observer === undefined ? "" : "observed", around)
}
