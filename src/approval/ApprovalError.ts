import * as Schema from "effect/Schema"

const call = { tool: Schema.String, callId: Schema.String }

/** The answer was no; `stop` ends the task as well. */
export class ApprovalDenied extends Schema.TaggedError<ApprovalDenied>()("ApprovalDenied", {
  ...call,
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  by: Schema.String,
  stop: Schema.Boolean
}) {
  override get message() {
    const who = this.by === "user" ? "User denied" : `The ${this.by} denied`
    return `${who} approval for ${this.tool}${this.reason === undefined ? "" : `: ${this.reason}`}`
  }
}

/** Nobody answered in time, which denies. */
export class ApprovalExpired extends Schema.TaggedError<ApprovalExpired>()("ApprovalExpired", {
  ...call,
  afterMillis: Schema.Number
}) {
  override get message() {
    return `Nobody answered the approval request for ${this.tool} within ${Math.round(this.afterMillis / 1000)} s; it was not run. You may try again.`
  }
}

/** A decision is needed and nobody can be asked: the task ends. */
export class ApprovalUnavailable extends Schema.TaggedError<ApprovalUnavailable>()("ApprovalUnavailable", call) {
  readonly stop = true
  override get message() {
    return `${this.tool} needs approval and nobody can be asked here. Run it in a terminal, or say beforehand what happens to such calls: --approve deny, --approve allow-read-only or --dangerously-allow-all.`
  }
}

/** More requests wait than a person could read. */
export class ApprovalQueueFull extends Schema.TaggedError<ApprovalQueueFull>()("ApprovalQueueFull", {
  ...call,
  limit: Schema.Number
}) {
  override get message() {
    return `${this.limit} approval requests wait already, so ${this.tool} was not asked for and not run. Make fewer calls at a time.`
  }
}

/** What was shown went on changing, so that no answer ever fitted it. */
export class ApprovalStale extends Schema.TaggedError<ApprovalStale>()("ApprovalStale", {
  ...call,
  rounds: Schema.Number
}) {
  override get message() {
    return `What ${this.tool} would touch changed after each of ${this.rounds} approvals; it was not run. Look at it again before you repeat the call.`
  }
}

/** Why a call did not pass. */
export type ApprovalRefused = ApprovalDenied | ApprovalExpired | ApprovalUnavailable | ApprovalQueueFull | ApprovalStale

const ended = {
  unknown: "was never asked or is long gone",
  granted: "has been granted already",
  denied: "has been denied already",
  expired: "has expired",
  withdrawn: "was withdrawn"
} as const

/** There is no such open request; `state` says what became of it, as far as that is still known. */
export class ApprovalNotPending extends Schema.TaggedError<ApprovalNotPending>()("ApprovalNotPending", {
  approvalId: Schema.String,
  state: Schema.Literal("unknown", "granted", "denied", "expired", "withdrawn")
}) {
  override get message() {
    return `Approval request ${this.approvalId} is not waiting: it ${ended[this.state]}. Nothing has changed.`
  }
}

/** The decision is for something else than what waits. */
export class ApprovalMismatch extends Schema.TaggedError<ApprovalMismatch>()("ApprovalMismatch", {
  approvalId: Schema.String,
  what: Schema.Literal("digest", "session", "scope")
}) {
  override get message() {
    return this.what === "scope"
      ? `The scope of the decision on ${this.approvalId} was not offered. Nothing has changed.`
      : `The decision on ${this.approvalId} is bound to another ${this.what} than the waiting request. Nothing has changed.`
  }
}

/** Why a decision was refused. */
export type DecisionRefused = ApprovalNotPending | ApprovalMismatch
