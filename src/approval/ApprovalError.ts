import * as Schema from "effect/Schema"
import { duration } from "../text/duration.ts"

const call = { tool: Schema.String, callId: Schema.String }

/** The request was denied; `stop` also ends the task. */
export class ApprovalDenied extends Schema.TaggedError<ApprovalDenied>()("ApprovalDenied", {
  ...call,
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  by: Schema.String,
  stop: Schema.Boolean
}) {
  override get message() {
    const { by, reason, tool } = this
    const why = reason === undefined ? "" : `: ${reason}`
    if (by === "user" || by.startsWith("user ")) return `User denied approval for ${tool}${why}`
    // These say themselves who decided.
    const who =
      by === "repetition" || by === "loop guard"
        ? ""
        : by === "policy"
          ? " by the mode"
          : by === "rule"
            ? " by a rule"
            : ` by ${by}`
    return `${tool} was denied${who}${why}`
  }
}

/** A mode that cannot be set here; the session keeps the one that it has. */
export class PolicyNotAllowed extends Schema.TaggedError<PolicyNotAllowed>()("PolicyNotAllowed", {
  policy: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** No one answered in time; the call counts as denied. */
export class ApprovalExpired extends Schema.TaggedError<ApprovalExpired>()("ApprovalExpired", {
  ...call,
  afterMillis: Schema.Number
}) {
  override get message() {
    return `No one answered the approval request for ${this.tool} within ${duration(this.afterMillis)}; it was not run. You may try again.`
  }
}

/** A decision is needed and no one is attached to answer: the task ends. */
export class ApprovalUnavailable extends Schema.TaggedError<ApprovalUnavailable>()("ApprovalUnavailable", call) {
  readonly stop = true
  override get message() {
    return `${this.tool} needs approval, and no one is attached to answer.`
  }
}

/** More requests wait than a person could read. */
export class ApprovalQueueFull extends Schema.TaggedError<ApprovalQueueFull>()("ApprovalQueueFull", {
  ...call,
  limit: Schema.Number
}) {
  override get message() {
    const waiting = this.limit === 1 ? "1 approval request is" : `${this.limit} approval requests are`
    return `${waiting} waiting already; ${this.tool} was not run. Make fewer calls at a time.`
  }
}

/** The targets changed after every approval, so no approval was valid. */
export class ApprovalStale extends Schema.TaggedError<ApprovalStale>()("ApprovalStale", {
  ...call,
  rounds: Schema.Number
}) {
  override get message() {
    return `The targets of ${this.tool} changed after each of ${this.rounds} approvals; it was not run. Look at them again before you repeat the call.`
  }
}

/** A call whose parameters or changes cannot be shown as a whole; no one was asked. */
export class ApprovalUnshowable extends Schema.TaggedError<ApprovalUnshowable>()("ApprovalUnshowable", {
  ...call,
  why: Schema.String
}) {
  override get message() {
    return `${this.tool} was not run: ${this.why}, so it cannot be shown for approval. Make smaller or plainer calls.`
  }
}

/** Why a call did not pass. */
export type ApprovalRefused =
  ApprovalDenied | ApprovalExpired | ApprovalUnavailable | ApprovalQueueFull | ApprovalStale | ApprovalUnshowable

const ended = {
  unknown: ["is unknown", "Answer one of the open requests."],
  granted: ["was granted already", "To stop what it started, interrupt the task."],
  denied: ["was denied already", "To allow it after all, let the model ask again."],
  expired: ["has expired", "To allow it after all, let the model ask again."],
  suspended: ["waits for the next runtime, because this one is stopping", "Answer it once its session is open again."],
  withdrawn: ["was withdrawn, because its call has ended or changed", "Answer the request that replaced it, if any."]
} as const

/** The request is not open; `state` is its last known state. */
export class ApprovalNotPending extends Schema.TaggedError<ApprovalNotPending>()("ApprovalNotPending", {
  approvalId: Schema.String,
  state: Schema.Literal("unknown", "granted", "denied", "expired", "suspended", "withdrawn")
}) {
  override get message() {
    const [what, next] = ended[this.state]
    return `Approval request ${this.approvalId} is not waiting: it ${what}. Nothing has changed. ${next}`
  }
}

const mismatch = {
  digest: ["does not match the digest of the request", "Read the request again and answer with its digest."],
  session: ["was sent to another session", "Answer it in the session that asked."],
  scope: ["has a scope that the request does not offer", "Choose one of its scopes."]
} as const

/** The decision does not match the waiting request. */
export class ApprovalMismatch extends Schema.TaggedError<ApprovalMismatch>()("ApprovalMismatch", {
  approvalId: Schema.String,
  what: Schema.Literal("digest", "session", "scope")
}) {
  override get message() {
    const [what, next] = mismatch[this.what]
    return `The decision on ${this.approvalId} ${what}. Nothing has changed. ${next}`
  }
}

/** Why a decision was refused. */
export type DecisionRefused = ApprovalNotPending | ApprovalMismatch
