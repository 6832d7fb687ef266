import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AuditEntry } from "../audit/AuditChain.ts"
import { lazy } from "../system/lazy.ts"
import type { ApprovalOutcome, ApprovalRequest, Scope, WiderKind } from "../tool/ApprovalRequest.ts"
import type { Preview } from "../tool/Preview.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { Touches } from "../tool/Touches.ts"
import { ApprovalDenied, ApprovalExpired, type ApprovalRefused, type DecisionRefused } from "./ApprovalError.ts"
import type { Draft } from "./Request.ts"
import type { Rule } from "./Rule.ts"

/** An answer; it must repeat the digest of the request it answers. */
export interface Decision {
  /** The id of the request. */
  readonly approvalId: string
  /** The session that the request is of. */
  readonly sessionId: string
  /** The digest of the request, which names exactly what was shown. */
  readonly digest: string
  /** Whether the call may run. */
  readonly decision: "approve" | "deny"
  /** How long an approval holds; one of the scopes of the request. */
  readonly scope: Scope
  /** An approval for the task or the session covers what `wider` of the request says, instead of the same call. */
  readonly wider?: WiderKind
  /** Why, for the model and the audit. */
  readonly reason?: string
  /** A denial that ends the task as well. */
  readonly stop?: boolean
  /** Parameters instead of those of the request: nothing runs yet, and the call is asked about anew with them. */
  readonly parameters?: unknown
  /** Who answers, as the audit names them. */
  readonly by: string
}

/** A decision that changed nothing, for the audit. */
export const refusedEntry = (
  { approvalId, by, decision, digest, scope, sessionId }: Decision,
  error: DecisionRefused
): AuditEntry => ({
  kind: "decision_refused",
  session: sessionId,
  approval: approvalId,
  digest,
  decision,
  scope,
  decided_by: by,
  outcome: `${error._tag}: ${error._tag === "ApprovalNotPending" ? error.state : error.what}`
})

const isProper = lazy(() =>
  Schema.is(
    Schema.Struct({
      reason: Schema.optional(Schema.String),
      stop: Schema.optional(Schema.Boolean),
      by: Schema.String
    })
  )
)

/** The decision with what is told of it; the compiler has not seen all code that decides. */
export const proper = (decision: Decision): Effect.Effect<Decision> =>
  isProper()(decision)
    ? Effect.succeed(decision)
    : Effect.die(new TypeError("the reason, stop or by of a decision is not what its type allows"))

/** A decision without a person, e.g. in a test. One that crashes, or has a scope that the request does not offer, denies. */
export type Decide = (
  request: ApprovalRequest
) => Pick<Decision, "decision"> & Partial<Pick<Decision, "scope" | "reason" | "stop">>

/** How a request ended and by whom. */
export interface Resolution {
  readonly outcome: ApprovalOutcome
  readonly by: string
  readonly scope?: Scope
  readonly reason?: string
  /** A denial that ends the task as well. */
  readonly stop?: boolean
  /** What the person put in place of the parameters; then the request is withdrawn for another one. */
  readonly edited?: { readonly parameters: unknown }
}

/** Why a request is withdrawn whose parameters the person has changed. */
export const parametersEdited = "The parameters were edited."

export const resolutionOf = ({
  by,
  decision,
  parameters,
  reason,
  scope,
  stop
}: Omit<Decision, "approvalId" | "sessionId" | "digest">): Resolution =>
  decision === "approve" && parameters !== undefined
    ? { outcome: "withdrawn", by, reason: parametersEdited, edited: { parameters } }
    : {
        ...(decision === "approve" ? { outcome: "granted", scope } : { outcome: "denied" }),
        by,
        ...(reason === undefined ? {} : { reason }),
        ...(stop === undefined ? {} : { stop })
      }

/** Whether a tool wants a decision on a call; `always` where it does without having looked at the parameters. */
export type Wanted = Tool.Asks | "always"

/** A call that may run. */
export interface Clearance {
  /** What was shown, where anything was. */
  readonly preview: Preview | undefined
  /** Whether the shown state is still current; checked immediately before the call runs. Unset if the call was not judged. */
  readonly stillHolds: Effect.Effect<boolean> | undefined
  /** The person put other parameters in place of these: the call has to be asked about anew with them. */
  readonly edited?: { readonly parameters: unknown }
  /** Who approved it while an earlier call of its answer waited. */
  readonly approvedBy?: string
  /** It runs only because the sandbox holds it; nobody has looked at it. */
  readonly confined?: true
  /** Which paths are withheld from the call, by rules that deny or would ask. Default: none. */
  readonly withheld?: (path: string) => boolean
  /** Where withheld paths begin. */
  readonly withheldFrom?: ReadonlyArray<string>
  /** What the rules say of the same tool where it touches something else. */
  readonly ruled?: (touches: Touches) => Rule["decision"] | undefined
}

/** For a call that neither its tool nor a rule wants a decision on; whoever gets this very value need not run it. */
export const free: Effect.Effect<Clearance> = Effect.succeed({ preview: undefined, stillHolds: undefined })

/** What the end of a request means for its call. */
export const clearanceOf = (
  { callId, name: tool }: ToolCall,
  { preview, stillHolds }: Draft,
  { by, edited, outcome, reason, stop = false }: Resolution,
  timeoutMillis: number
): Effect.Effect<Clearance, ApprovalRefused> => {
  if (edited !== undefined) return Effect.succeed({ preview: undefined, stillHolds: undefined, edited })
  switch (outcome) {
    case "granted":
      return Effect.succeed({ preview, stillHolds })
    case "expired":
      return new ApprovalExpired({ tool, callId, afterMillis: timeoutMillis })
    case "denied":
    case "withdrawn":
      return new ApprovalDenied({ tool, callId, stop, by, ...(reason === undefined ? {} : { reason }) })
  }
}
