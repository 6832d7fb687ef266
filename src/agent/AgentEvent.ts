import * as Schema from "effect/Schema"
import { StoredMessage } from "../conversation/Message.ts"
import { ToolCallCompleted, ToolCallFailed, ToolCallInterrupted, ToolCallRequested } from "../gate/CallEvent.ts"
import { CostEvent } from "../cost/CostEvent.ts"
import { FinishReason, Usage } from "../model/ModelPart.ts"
import { TodoItem } from "../tool/ToolEvent.ts"

const call = { callId: Schema.String, tool: Schema.String }

/** A request went to a model. */
export class ModelRequested extends Schema.TaggedClass<ModelRequested>()("ModelRequested", {
  profile: Schema.String,
  model: Schema.String,
  messages: Schema.Number,
  functions: Schema.Number
}) {}

/** Routing has chosen the profile of a worker, for a reason, after the profile that was asked for. */
export class ModelRouted extends Schema.TaggedClass<ModelRouted>()("ModelRouted", {
  requested: Schema.String,
  selected: Schema.String,
  reason: Schema.String,
  weight: Schema.String
}) {}

/** A piece of the answer; transient. `offset` counts the characters of this answer before it. */
export class TextDelta extends Schema.TaggedClass<TextDelta>()("TextDelta", {
  text: Schema.String,
  offset: Schema.Number
}) {}

/** A piece of what the model thinks aloud; transient. */
export class ReasoningDelta extends Schema.TaggedClass<ReasoningDelta>()("ReasoningDelta", {
  text: Schema.String,
  offset: Schema.Number
}) {}

/** A piece of the arguments of a call; transient. */
export class ArgumentsDelta extends Schema.TaggedClass<ArgumentsDelta>()("ArgumentsDelta", {
  ...call,
  text: Schema.String,
  offset: Schema.Number
}) {}

/** An attempt failed and another follows: the deltas since `ModelRequested` are void. */
export class ModelAttemptFailed extends Schema.TaggedClass<ModelAttemptFailed>()("ModelAttemptFailed", {
  attempt: Schema.Number,
  reason: Schema.String,
  delayMillis: Schema.Number
}) {}

/** The whole answer, which is part of the conversation from here on. */
export class ModelAnswered extends Schema.TaggedClass<ModelAnswered>()("ModelAnswered", {
  message: StoredMessage,
  finish: FinishReason,
  usage: Usage,
  durationMillis: Schema.Number
}) {}

/** The request was interrupted; `text` is what had come of the answer, which a `MessageRecorded` keeps where there is any. */
export class ModelInterrupted extends Schema.TaggedClass<ModelInterrupted>()("ModelInterrupted", {
  text: Schema.String
}) {}

/** The runtime died during the call: it may have happened or not, and is not run again by itself. */
export class ToolCallOutcomeUnknown extends Schema.TaggedClass<ToolCallOutcomeUnknown>()("ToolCallOutcomeUnknown", {
  ...call,
  /** The JSON text of what it ran with. */
  arguments: Schema.optionalWith(Schema.String, { exact: true }),
  message: StoredMessage
}) {}

/** A message that comes with no other event: approvals in the protocol, results of manual tools, what was imported. */
export class MessageRecorded extends Schema.TaggedClass<MessageRecorded>()("MessageRecorded", {
  message: StoredMessage,
  /** What the imported file says of the message besides; it has no effect. */
  imported: Schema.optionalWith(Schema.Unknown, { exact: true })
}) {}

/**
 * The model of a worker, the root if unset, sees the summary `message`, and `kept` behind it, in place of what came before; the log
 * keeps it.
 */
export class SessionCompacted extends Schema.TaggedClass<SessionCompacted>()("SessionCompacted", {
  message: StoredMessage,
  /** The last messages, as they were. */
  kept: Schema.optionalWith(Schema.Array(StoredMessage), { exact: true }),
  /** The list of steps of the worker, which the summary names as far as they are open. */
  todos: Schema.optionalWith(Schema.Array(TodoItem), { exact: true }),
  /** About how many tokens of the context the conversation took, and takes now. */
  tokens: Schema.optionalWith(Schema.Struct({ before: Schema.Number, after: Schema.Number }), { exact: true }),
  /** Whether a person has written the summary, or changed that of the model. */
  edited: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {}

/** One model request and its calls are done; `totalTokens` is that of the task so far. */
export class IterationEnded extends Schema.TaggedClass<IterationEnded>()("IterationEnded", {
  usage: Usage,
  totalTokens: Schema.Number,
  calls: Schema.Number,
  durationMillis: Schema.Number,
  /** Tokens that the request and its answer, which `usage` counts, may have together; unset if unknown. */
  contextWindow: Schema.optionalWith(Schema.Number, { exact: true })
}) {}

/** The call `callId` of the parent has started this worker, at `depth` below the root. */
export class WorkerStarted extends Schema.TaggedClass<WorkerStarted>()("WorkerStarted", {
  callId: Schema.String,
  task: Schema.String,
  depth: Schema.Number,
  /** The named worker that it is. */
  named: Schema.optionalWith(Schema.String, { exact: true })
}) {}

/** The worker has a result, which is its last answer, or a question to its parent. */
export class WorkerCompleted extends Schema.TaggedClass<WorkerCompleted>()("WorkerCompleted", {
  status: Schema.Literal("done", "question"),
  /** What it needs to know. */
  question: Schema.optionalWith(Schema.String, { exact: true }),
  /** Of the worker and those below it. */
  usage: Usage,
  iterations: Schema.Number,
  durationMillis: Schema.Number
}) {}

/** The worker ended without a result. */
export class WorkerFailed extends Schema.TaggedClass<WorkerFailed>()("WorkerFailed", {
  message: Schema.String,
  durationMillis: Schema.Number
}) {}

/** The worker was interrupted, or its runtime died. */
export class WorkerInterrupted extends Schema.TaggedClass<WorkerInterrupted>()("WorkerInterrupted", {
  durationMillis: Schema.Number
}) {}

/** Ends its worker; there is exactly one for every `WorkerStarted`. */
export type WorkerEnded = WorkerCompleted | WorkerFailed | WorkerInterrupted

/** What happens inside a worker, besides what its tools tell. */
export const AgentEvent = Schema.Union(
  WorkerStarted,
  WorkerCompleted,
  WorkerFailed,
  WorkerInterrupted,
  ModelRouted,
  ModelRequested,
  TextDelta,
  ReasoningDelta,
  ArgumentsDelta,
  ModelAttemptFailed,
  ModelAnswered,
  ModelInterrupted,
  ToolCallRequested,
  ToolCallCompleted,
  ToolCallFailed,
  ToolCallInterrupted,
  ToolCallOutcomeUnknown,
  MessageRecorded,
  SessionCompacted,
  IterationEnded,
  ...CostEvent.members
)
export type AgentEvent = typeof AgentEvent.Type

export const isWorkerEnd = (event: { readonly _tag: string }): event is WorkerEnded =>
  event._tag === "WorkerCompleted" || event._tag === "WorkerFailed" || event._tag === "WorkerInterrupted"
