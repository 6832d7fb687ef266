import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Middleware } from "../middleware/Middleware.ts"
import { ParametersInvalid, type Issue } from "./Parameters.ts"
import type { ToolCall } from "./ToolCall.ts"

/** Stands for the parameters of a call that have not been decoded yet. */
export const undecoded: unique symbol = Symbol.for("tollgate/tool/undecoded")

/** The call with decoded parameters; the same call where they are decoded already. */
export const validated = <Call extends ToolCall>(call: Call): Effect.Effect<Call, ParametersInvalid> => {
  if (call.params !== undecoded) return Effect.succeed(call)
  const params = call.tool.codec.decode()(call.rawParams)
  return Either.isRight(params)
    ? Effect.succeed({ ...call, params: params.right })
    : Effect.fail(new ParametersInvalid({ tool: call.name, issues: params.left }))
}

/** Told of parameters that a model got wrong. */
export type ValidationObserver = (call: ToolCall, issues: ReadonlyArray<Issue>) => Effect.Effect<void>

/** Decodes the parameters before anything inside runs (T9). */
export const validate =
  (observer?: ValidationObserver): Middleware<ToolCall, { fails: ParametersInvalid }> =>
  (call, next) => {
    const decoded = validated(call)
    return Effect.flatMap(
      observer === undefined ? decoded : Effect.tapError(decoded, (error) => observer(call, error.issues)),
      next
    )
  }
