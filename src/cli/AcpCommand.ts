import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Agent from "../acp/Agent.ts"
import { Configuration } from "../config/Configuration.ts"
import { builtin, layerConfigured } from "../host/Host.ts"
import { models } from "../host/models.ts"
import { type PolicyOptions, policyOf } from "./approvalPolicy.ts"
import { checkProfile } from "./checkProfile.ts"
import { flagsOf } from "./flags.ts"
import { UsageError } from "./Outcome.ts"

export interface AcpOptions extends PolicyOptions {
  readonly profile: Option.Option<string>
}

/** Serves an editor that has started this process, until it closes standard input. */
export const acp = (options: AcpOptions) => {
  const served = Layer.unwrapEffect(
    Effect.gen(function* () {
      const policy = yield* policyOf(options, true)
      yield* checkProfile({ ...options, session: Option.none(), last: false })
      return layerConfigured({ policy, attended: true }, builtin, models)
    })
  )
  return process.stdin.isTTY
    ? new UsageError({
        reason: "This command speaks with an editor that has started it. See docs/acp.md for how to set one up."
      })
    : Agent.serve(Layer.provideMerge(served, Configuration.layer(flagsOf(options))))
}
