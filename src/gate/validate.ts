import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import { isDeepStrictEqual } from "node:util"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { ParametersInvalid, type Issue } from "../tool/Parameters.ts"
import { undecoded, type ToolCall } from "../tool/ToolCall.ts"
import { ParametersChanged } from "./GateError.ts"
import { Passage } from "./Passage.ts"

type Invalid = ParametersInvalid | ParametersChanged

/** The call with its parameters decoded from `rawParams`, or what is wrong with them. */
export const decoded = <Call extends ToolCall>(call: Call): Call | Invalid => {
  const passage = Passage.of(call)
  const last = passage?.decoded
  if (last !== undefined && last.rawParams === call.rawParams) {
    if (last.params === call.params) return call
    return call.params === undecoded ? { ...call, params: last.params } : new ParametersChanged({ tool: call.name })
  }
  const params = call.tool.codec.decode()(call.rawParams)
  if (Either.isLeft(params)) return new ParametersInvalid({ tool: call.name, issues: params.left })
  if (passage !== undefined) passage.decoded = { rawParams: call.rawParams, params: params.right }
  return { ...call, params: params.right }
}

/** Whether parameters that were decoded twice are the same. */
export const same = (one: unknown, other: unknown): boolean => Equal.equals(one, other) || isDeepStrictEqual(one, other)

export const isInvalid = (call: ToolCall | Invalid): call is Invalid => "_tag" in call

/** Called with parameters that a model got wrong; a crash of it is logged. */
export type ValidationObserver = (call: ToolCall, issues: ReadonlyArray<Issue>) => Effect.Effect<void>

/** Decodes the parameters before anything inside runs; the gate does so in any case, this tells an observer. */
export const validate = (observer?: ValidationObserver): Middleware<ToolCall, { fails: Invalid }> => {
  const refused = (call: ToolCall, why: Invalid): Effect.Effect<never, Invalid> =>
    observer === undefined || why._tag === "ParametersChanged"
      ? Effect.fail(why)
      : Effect.zipRight(
          Effect.ignoreLogged(Effect.sandbox(Effect.suspend(() => observer(call, why.issues)))),
          Effect.fail(why)
        )
  const around: Middleware<ToolCall, { fails: Invalid }> = (call, next) => {
    const ready = decoded(call)
    return isInvalid(ready) ? refused(call, ready) : next(ready)
  }
  return named("validation", observer === undefined ? "" : "observed", around)
}
