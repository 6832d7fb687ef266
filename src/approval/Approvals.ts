import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import type { ApprovalRequest, Scope as DecisionScope } from "../tool/ApprovalRequest.ts"
import type { Preview } from "../tool/Preview.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { ApprovalRefused, DecisionRefused } from "./ApprovalError.ts"
import type { ApprovalPolicy } from "./ApprovalPolicy.ts"
import { Audit } from "./Audit.ts"
import { make } from "./Desk.ts"
import type { Explanation } from "./explain.ts"
import type { Grant, GrantLimits } from "./Grants.ts"
import type { Unmasked } from "./requestOf.ts"
import type { ProjectOptions, ProjectRules } from "./ProjectRules.ts"
import type { PatternRejected, Rule } from "./Rule.ts"
import { RuleStore, type RuleStoreFailed } from "./RuleStore.ts"

/** An answer; it must repeat the digest of the request it answers. */
export interface Decision {
  readonly approvalId: string
  readonly sessionId: string
  readonly digest: string
  readonly decision: "approve" | "deny"
  readonly scope: DecisionScope
  readonly reason?: string
  /** A denial that ends the task as well. */
  readonly stop?: boolean
  readonly by: string
}

export interface ApprovalsOptions {
  readonly policy: ApprovalPolicy
  /** Whether a session may be set to `allow` later; it may where `policy` is `allow` itself. */
  readonly danger?: boolean
  /** How long a person has once the request is shown, `Duration.infinity` for as long as they want; 30 seconds if unset (A8). */
  readonly timeout?: Duration.DurationInput
  /** Requests that may wait, the shown one included; 32 where absent. */
  readonly maxPending?: number
  /** Configured rules, of the user and of the project. */
  readonly rules?: ReadonlyArray<Rule>
  /** Whether the rules of the project count. */
  readonly trusted?: boolean
  /** The directory of the project: relative paths of calls and of rules start here, and rules for commands hold here. */
  readonly root?: string
  /** The user's home directory, for the protected places in it; that of the process where absent. */
  readonly home?: string
  /** Whether `always` is offered, which saves a rule; false where absent. */
  readonly always?: boolean
  readonly grants?: Partial<GrantLimits>
  /** Whether anybody can be asked; true where absent. Where not, what would be asked fails closed. */
  readonly attended?: boolean
}

/** Whether a tool wants a decision on a call; `always` where it does without having looked at the parameters. */
export type Wanted = Tool.Asks | "always"

/** A call that may run. */
export interface Clearance {
  /** What was shown, where anything was. */
  readonly preview: Preview | undefined
  /** Whether what was shown is still so; to be asked immediately before the call runs (A5). Absent where nobody judged the call. */
  readonly stillHolds: Effect.Effect<boolean> | undefined
  /** Which paths the call is not to find, by rules that forbid them or would ask; nothing is withheld where absent. */
  readonly withheld?: (path: string) => boolean
  /** What the rules say of the same tool called with other parameters. */
  readonly ruled?: (rawParams: unknown) => Rule["decision"] | undefined
}

/** A call that somebody wonders about. */
export interface Question {
  readonly tool: Tool.Any
  readonly parameters: unknown
  readonly session?: string
  readonly project?: string
  readonly workerPath?: ReadonlyArray<string>
  /** Whether the tool itself wants a decision; by its declaration where absent. */
  readonly asks?: Wanted
}

/** A session to be opened. */
export interface SessionOptions {
  readonly session: string
  /** What `Approvals.project` made, or the directory of a project that has the options of the layer. */
  readonly project: ProjectRules | string
  /** What happens to calls that need a decision; that of the layer if unset. */
  readonly policy?: ApprovalPolicy
}

/** What only the owner of a session may do with its approvals. */
export interface SessionApprovals {
  readonly policy: Effect.Effect<ApprovalPolicy>
  /** Whether it was done: `allow` is refused where the runtime was not started with danger allowed. */
  readonly setPolicy: (policy: ApprovalPolicy, by?: string) => Effect.Effect<boolean>
  /** What was granted and still holds. */
  readonly grants: Effect.Effect<ReadonlyArray<Grant>>
  /** The rules that count, configured and saved. */
  readonly rules: Effect.Effect<ReadonlyArray<Rule>>
  /** Takes back a grant, or a saved rule of the project; whether there was one. */
  readonly revoke: (id: string, by?: string) => Effect.Effect<boolean, RuleStoreFailed>
  /** A new task begins: what was denied too often may be asked again, and rules are read anew. */
  readonly beginTask: Effect.Effect<void>
  /** The task is over, and with it what was granted for it. */
  readonly endTask: Effect.Effect<void>
  /**
   * Nothing is asked from here on. The requests of `waiting` stay open, for the next owner to take up again, and nobody can
   * answer them here any more; every other one is withdrawn by the shutdown, not by the interruption that follows.
   */
  readonly suspend: (waiting: ReadonlyArray<string>) => Effect.Effect<void>
  /** Takes up stored requests again, which can be answered from here on, also before their call asks again (A12). */
  readonly restore: (requests: ReadonlyArray<ApprovalRequest>) => Effect.Effect<void>
  /** Drops the restored requests of a worker that no call has asked for again, and gives them. */
  readonly abandon: (workerPath: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ApprovalRequest>>
  /**
   * Vouches for one call that had been decided on and started before a restart, and that goes on: with the object in its
   * metadata under `startedKey` nobody is asked about it again. What forbids it holds all the same.
   */
  readonly vouch: Effect.Effect<object>
}

/** Who decides on calls. State is kept here alone: nothing that a client posts is evidence of a decision. */
export class Approvals extends Context.Tag("tollgate/approval/Approvals")<
  Approvals,
  {
    /**
     * Reads the rules of a project once for all its sessions. Fails where a configured rule cannot be used; a saved one that
     * cannot is left out.
     */
    readonly project: (options: ProjectOptions) => Effect.Effect<ProjectRules, PatternRejected>
    /**
     * Opens a session until the scope closes, and with it all that it was granted and denied. Only the rules, the root and the
     * home of its own project count for its calls, whatever other projects the process holds. The last scope of several that
     * hold the same session ends it; the project and the mode are those of the first.
     */
    readonly session: (options: SessionOptions) => Effect.Effect<SessionApprovals, never, Scope>
    /**
     * Suspends until the call is decided; interrupting it withdraws the request. `asks` says whether the tool itself wants a
     * decision; a rule can want one all the same. The preview is made only for somebody to see.
     */
    readonly request: (
      call: ToolCall,
      asks: Wanted,
      preview: Effect.Effect<Preview | undefined>
    ) => Effect.Effect<Clearance, ApprovalRefused>
    /** Answers an open request, once; an approval for longer also answers what it covers of the others that wait. */
    readonly decide: (decision: Decision) => Effect.Effect<void, DecisionRefused>
    /** The open requests; the first is the one that is shown. */
    readonly pending: Effect.Effect<ReadonlyArray<ApprovalRequest>>
    /** The parameters and the diff of an open request as they are, where it masks something: for the screen alone. */
    readonly unmasked: (approvalId: string) => Effect.Effect<Unmasked | undefined>
    /** What happens in a session to calls that need a decision. */
    readonly policy: (session: string) => Effect.Effect<ApprovalPolicy>
    /** What was granted and still holds, of one session or of all. */
    readonly grants: (session?: string) => Effect.Effect<ReadonlyArray<Grant>>
    /** The rules that count in a directory by the project of the layer, configured and saved. */
    readonly rules: (directory: string) => Effect.Effect<ReadonlyArray<Rule>>
    /** Which rule, grant or mode would decide a call, and why. Nothing is asked and nothing is recorded. */
    readonly explain: (question: Question) => Effect.Effect<Explanation>
  }
>() {
  /** With an audit and saved rules that are gone with the layer. */
  static readonly layer = (options: ApprovalsOptions): Layer.Layer<Approvals> =>
    Layer.orDie(Approvals.layerAudited(options)).pipe(Layer.provide([Audit.layerMemory, RuleStore.layerMemory]))

  /** With whatever audit and saved rules there are. */
  static readonly layerAudited = (
    options: ApprovalsOptions
  ): Layer.Layer<Approvals, PatternRejected, Audit | RuleStore> => Layer.effect(Approvals, make(options))

  /** Decides by rule without asking anyone, e.g. in tests. */
  static readonly layerDecide = (
    decide: (
      request: ApprovalRequest
    ) => Pick<Decision, "decision"> & Partial<Pick<Decision, "scope" | "reason" | "stop">>
  ): Layer.Layer<Approvals> =>
    Layer.orDie(Layer.effect(Approvals, make({ policy: "ask" }, decide))).pipe(
      Layer.provide([Audit.layerMemory, RuleStore.layerMemory])
    )
}
