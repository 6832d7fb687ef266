import * as Schema from "effect/Schema"
import { Preview } from "./Preview.ts"

/** For how long an answer holds: for this call, until the task ends, until the session ends, or in the project from now on. */
export const Scope = Schema.Literal("once", "task", "session", "always")
export type Scope = typeof Scope.Type

/** One of the last messages before a request, redacted and cut. */
export const ContextMessage = Schema.Struct({ role: Schema.String, content: Schema.String })
export type ContextMessage = typeof ContextMessage.Type

/** How bad a shell command is, and the commands in it that make it so, the worst first. */
export const RequestSeverity = Schema.Struct({
  level: Schema.Literal("reads", "ordinary", "destructive", "forbidden"),
  because: Schema.Array(Schema.Struct({ command: Schema.String, reason: Schema.String }))
})
export type RequestSeverity = typeof RequestSeverity.Type

/** What a call touches, as its tool declares, redacted; unset if the tool declares nothing. */
export const RequestTouches = Schema.Struct({
  /** Absolute. */
  paths: Schema.Array(Schema.Struct({ op: Schema.Literal("read", "write", "remove", "list"), path: Schema.String })),
  /** `name:port` */
  hosts: Schema.Array(Schema.String),
  names: Schema.Array(Schema.String),
  /** How many commands a shell text has; `null` if it is not a plain list of them, unset if there is none. */
  commands: Schema.optionalWith(Schema.NullOr(Schema.Number), { exact: true })
})
export type RequestTouches = typeof RequestTouches.Type

/** What an answer for longer can cover besides the same call: files of its directory, or commands that begin as it does. */
export const WiderKind = Schema.Literal("directory", "beginning")
export type WiderKind = typeof WiderKind.Type

/** A call that waits for a decision, as the runtime shows it. */
export const ApprovalRequest = Schema.Struct({
  id: Schema.String,
  callId: Schema.String,
  sessionId: Schema.String,
  tool: Schema.String,
  /** From the root worker to the one that asks. */
  workerPath: Schema.Array(Schema.String),
  /** Of a shell command, by how bad it is; of any other call, its tool's. */
  risk: Schema.Literal("low", "medium", "high"),
  /** The severity of a shell command; unset for other calls. */
  severity: Schema.optionalWith(RequestSeverity, { exact: true }),
  /** SHA-256, in hexadecimal, of what a decision is bound to; a decision must repeat it. */
  digest: Schema.String,
  /** The parameters, whole and as they are but for their secrets; a frontend makes visible what its reader would not see. */
  arguments: Schema.Unknown,
  /** How many secrets in the parameters and the diff are masked; then only `once` is offered. Default: 0. */
  masked: Schema.optionalWith(Schema.Number, { exact: true }),
  /** A person has put these parameters in place of those that were asked for. */
  edited: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  touches: Schema.optionalWith(RequestTouches, { exact: true }),
  /** One line that says what would happen. */
  message: Schema.String,
  /** Why it is asked about: the rule with its level, or the tool's own word, and the mode. */
  because: Schema.optionalWith(Schema.String, { exact: true }),
  preview: Schema.optionalWith(Preview, { exact: true }),
  /** What may be answered; no other scope is accepted. */
  scopes: Schema.Array(Scope),
  /** What `task` and `session` would allow, in words. */
  grant: Schema.optionalWith(Schema.String, { exact: true }),
  /** What `task` and `session` allow where the answer says `wider`: the rule in words. */
  wider: Schema.optionalWith(Schema.Struct({ kind: WiderKind, rule: Schema.String }), { exact: true }),
  /** The rule that `always` would save, in words. */
  rule: Schema.optionalWith(Schema.String, { exact: true }),
  /** How many identical calls in a row this is, itself included. */
  repeats: Schema.optionalWith(Schema.Number, { exact: true }),
  /** The last messages of the conversation, at most ten. */
  context: Schema.optionalWith(Schema.Array(ContextMessage), { exact: true }),
  /** Epoch milliseconds. */
  requestedAt: Schema.Number,
  /** How long the person has, from the moment the request is shown; 0 for as long as they want. */
  timeoutMillis: Schema.Number
})
export type ApprovalRequest = typeof ApprovalRequest.Type

/** How a request ended; each ends exactly once. */
export const ApprovalOutcome = Schema.Literal("granted", "denied", "expired", "withdrawn")
export type ApprovalOutcome = typeof ApprovalOutcome.Type
