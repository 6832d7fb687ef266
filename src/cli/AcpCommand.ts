import * as Effect from "effect/Effect"
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
export const acp = (options: AcpOptions) =>
  Effect.gen(function* () {
    if (process.stdin.isTTY) {
      return yield* new UsageError({
        reason: "This command speaks with an editor that has started it. See docs/acp.md for how to set one up."
      })
    }
    const policy = yield* policyOf(options, true)
    yield* checkProfile({ ...options, session: Option.none(), last: false })
    const served = layerConfigured({ policy, attended: true }, builtin, models)
    yield* Effect.provide(Agent.serve, served)
  }).pipe(Effect.provide(Configuration.layer(flagsOf(options))))
