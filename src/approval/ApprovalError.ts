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
    return `${this.tool} needs approval, and nobody can be asked here.`
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

/** A call whose parameters or changes nobody could read as a whole; nobody was asked. */
export class ApprovalUnshowable extends Schema.TaggedError<ApprovalUnshowable>()("ApprovalUnshowable", {
  ...call,
  why: Schema.String
}) {
  override get message() {
    return `${this.tool} was not run: ${this.why}, so nobody could read what to approve. Make smaller or plainer calls.`
  }
}

/** Why a call did not pass. */
export type ApprovalRefused =
  ApprovalDenied | ApprovalExpired | ApprovalUnavailable | ApprovalQueueFull | ApprovalStale | ApprovalUnshowable

const ended = {
  unknown: ["was never asked or is long gone", "Answer one of the requests that are open."],
  granted: ["has been granted already", "To stop what it started, interrupt the task."],
  denied: ["has been denied already", "To have it done after all, let the model ask again."],
  expired: ["has expired", "To have it done after all, let the model ask again."],
  suspended: ["waits for the next runtime, for this one stops", "Answer it once its session is open again."],
  withdrawn: [
    "was withdrawn, for its call is over or would do something else by now",
    "Answer the request that came after it, if one did."
  ]
} as const

/** There is no such open request; `state` says what became of it, as far as that is still known. */
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
  digest: ["is for something else than the request shows", "Read the request again and answer with its digest."],
  session: ["was sent to another session than that of the request", "Answer it in its own session."],
  scope: ["names a scope that the request does not offer", "Answer with one that it does."]
} as const

/** The decision is for something else than what waits. */
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
