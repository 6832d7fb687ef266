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
    return `${this.tool} needs approval and nobody can be asked here. Run it in a terminal, or choose with --approve deny or --approve allow.`
  }
}

export type ApprovalRefused = ApprovalDenied | ApprovalExpired | ApprovalUnavailable

/** There is no such open request: it never was, is decided, expired or withdrawn. */
export class ApprovalNotPending extends Schema.TaggedError<ApprovalNotPending>()("ApprovalNotPending", {
  approvalId: Schema.String
}) {
  override get message() {
    return `No approval request ${this.approvalId} is waiting: it was decided, expired or withdrawn. Nothing has changed.`
  }
}

/** The decision is for something else than what waits. */
export class ApprovalMismatch extends Schema.TaggedError<ApprovalMismatch>()("ApprovalMismatch", {
  approvalId: Schema.String,
  what: Schema.Literal("digest", "session")
}) {
  override get message() {
    return `The decision on ${this.approvalId} is bound to another ${this.what} than the waiting request. Nothing has changed.`
  }
}
