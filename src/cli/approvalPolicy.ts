import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import { Configuration } from "../config/Configuration.ts"
import { UsageError } from "./Outcome.ts"

export interface PolicyOptions {
  readonly mode: Option.Option<ApprovalPolicy>
  /** The earlier name of the mode. */
  readonly approve: Option.Option<ApprovalPolicy>
  /** To allow everything has a flag of its own, which no configuration and no other flag stands for. */
  readonly allowAll: boolean
}

const others = "ask, edits, plan, sandboxed or deny"

/** What happens to calls that need approval: by the flags, by the configuration, else a person is asked if there is one. */
export const policyOf = (
  { allowAll, approve, mode }: PolicyOptions,
  canAsk: boolean
): Effect.Effect<ApprovalPolicy, UsageError, Configuration> =>
  Effect.flatMap(Configuration, ({ entries, settings }) => {
    const usage = (reason: string) => new UsageError({ reason })
    const flag = Option.isSome(mode) ? "--mode" : "--approve"
    const named = Option.orElse(mode, () => approve)
    if (Option.isSome(mode) && Option.isSome(approve)) return usage("--mode and --approve cannot be combined.")
    if (allowAll) {
      return Option.isSome(named)
        ? usage(`--dangerously-allow-all and ${flag} cannot be combined.`)
        : Effect.succeed<ApprovalPolicy>("allow")
    }
    const policy = Option.getOrElse(named, () => settings.approvals?.policy ?? "ask")
    if (policy === "allow") {
      const source = entries.find(({ key }) => key === "approvals.policy")?.source ?? "configuration"
      return usage(
        `approvals.policy allow (${source}) runs every call without asking. Confirm with --dangerously-allow-all, or choose ${others}.`
      )
    }
    if (policy !== "ask" || canAsk) return Effect.succeed(policy)
    return Option.isSome(named)
      ? usage(`${flag} ask needs a terminal. Choose ${flag} deny, allow-read-only or fail.`)
      : Effect.succeed<ApprovalPolicy>("fail")
  })
