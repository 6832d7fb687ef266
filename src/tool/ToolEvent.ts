import * as Schema from "effect/Schema"
import { FileStep } from "../checkpoint/FileStep.ts"
import { ApprovalOutcome, ApprovalRequest, Scope } from "./ApprovalRequest.ts"

/** For events that the runtime itself makes from values it already knows. */
export const trusted = { disableValidation: true } as const

/**
 * An event as `new` makes it of trusted fields, which must be all that it has, `_tag` too: without a walk through defaults, which
 * takes 3 µs and every call makes three of them.
 */
export const made = <E extends object>(of: { readonly prototype: E }, fields: NoInfer<E>): E =>
  Object.assign(Object.create(of.prototype), fields)

const call = { callId: Schema.String, tool: Schema.String }

/** A call waits for a decision; `ahead` others are shown before it. */
export class ApprovalRequested extends Schema.TaggedClass<ApprovalRequested>()("ApprovalRequested", {
  request: ApprovalRequest,
  ahead: Schema.Number
}) {}

/** A waiting request has `ahead` others before it now; at 0 it is shown and its time runs. */
export class ApprovalMoved extends Schema.TaggedClass<ApprovalMoved>()("ApprovalMoved", {
  ...call,
  approvalId: Schema.String,
  ahead: Schema.Number
}) {}

/** The request was decided, expired or was withdrawn; there is one for every `ApprovalRequested`. */
export class ApprovalResolved extends Schema.TaggedClass<ApprovalResolved>()("ApprovalResolved", {
  ...call,
  approvalId: Schema.String,
  outcome: ApprovalOutcome,
  scope: Schema.optionalWith(Scope, { exact: true }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  /** Who or what decided, e.g. `user`, `timeout`, `rule 3 of the project`. */
  by: Schema.String,
  waitedMillis: Schema.Number
}) {}

/** The call has passed the gate; for a tool that is not read-only this is durable before the handler runs. */
export class ToolCallStarted extends Schema.TaggedClass<ToolCallStarted>()("ToolCallStarted", {
  ...call,
  readOnly: Schema.Boolean,
  /** What it runs with, where that is not what was asked for: a hook, another step or a person has changed it. */
  parameters: Schema.optionalWith(Schema.Unknown, { exact: true }),
  /** It may run beside adjacent calls of the same tool. */
  concurrent: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Who approved it before its turn, with a request for an earlier call of the same answer. */
  approvedBy: Schema.optionalWith(Schema.String, { exact: true }),
  /** Why no decision was needed, where the toolset leaves its gate out. */
  unguarded: Schema.optionalWith(Schema.String, { exact: true })
}) {}

/** A frontend is asked to run a call of a tool that is its own; its answer repeats `requestId`. */
export class ClientCallRequested extends Schema.TaggedClass<ClientCallRequested>()("ClientCallRequested", {
  ...call,
  requestId: Schema.String,
  parameters: Schema.Unknown,
  timeoutMillis: Schema.Number
}) {}

/** An attempt failed and attempt number `attempt` follows after the delay. */
export class ToolCallRetried extends Schema.TaggedClass<ToolCallRetried>()("ToolCallRetried", {
  ...call,
  attempt: Schema.Number,
  delayMillis: Schema.Number,
  reason: Schema.String
}) {}

/** A tool had a bug; `detail` has its stack, which neither the model nor the user's screen sees. */
export class ToolDefectCaught extends Schema.TaggedClass<ToolDefectCaught>()("ToolDefectCaught", {
  ...call,
  detail: Schema.String
}) {}

/** An abandoned call ended after all. */
export class ToolStragglerEnded extends Schema.TaggedClass<ToolStragglerEnded>()("ToolStragglerEnded", call) {}

/** Output of a running tool; transient. */
export class ToolOutput extends Schema.TaggedClass<ToolOutput>()("ToolOutput", {
  ...call,
  channel: Schema.Literal("stdout", "stderr"),
  text: Schema.String
}) {}

/** Progress of a running tool; transient. `total` is unset if unknown. */
export class ToolProgressed extends Schema.TaggedClass<ToolProgressed>()("ToolProgressed", {
  ...call,
  label: Schema.optionalWith(Schema.String, { exact: true }),
  current: Schema.optionalWith(Schema.Number, { exact: true }),
  total: Schema.optionalWith(Schema.Number, { exact: true })
}) {}

/** The lines that a diff adds and removes. */
export const DiffSize = Schema.Struct({ added: Schema.Number, removed: Schema.Number })
export type DiffSize = typeof DiffSize.Type

/** The first lines of a unified diff; `omitted` counts those that follow them, and `size` then has that of the whole. */
export const FileDiff = Schema.Struct({
  text: Schema.String,
  omitted: Schema.Number,
  size: Schema.optionalWith(DiffSize, { exact: true })
})
export type FileDiff = typeof FileDiff.Type

/** A tool changed a file, by its own word; the disk is not watched. */
export class FileChanged extends Schema.TaggedClass<FileChanged>()("FileChanged", {
  ...call,
  path: Schema.String,
  change: Schema.Literal("created", "modified", "deleted", "renamed"),
  oldPath: Schema.optionalWith(Schema.String, { exact: true }),
  /** Bytes after the change; 0 for a deleted file. */
  size: Schema.Number,
  /** The change as a unified diff, or its beginning. */
  diff: Schema.optionalWith(FileDiff, { exact: true })
}) {}

/** A call is about to change these files; what it replaces was kept, so that a rewind can bring it back. */
export class CheckpointSaved extends Schema.TaggedClass<CheckpointSaved>()("CheckpointSaved", {
  ...call,
  files: Schema.Array(FileStep)
}) {}

/** One step of what a worker plans to do. */
export const TodoItem = Schema.Struct({
  text: Schema.String,
  status: Schema.Literal("pending", "active", "done", "dropped")
})
export type TodoItem = typeof TodoItem.Type

/** The worker has a new list of steps, in place of the one before. */
export class TodosChanged extends Schema.TaggedClass<TodosChanged>()("TodosChanged", {
  ...call,
  items: Schema.Array(TodoItem)
}) {}

/** A hook changed what would have happened, or failed; `reason` is for people. */
export class HookIntervened extends Schema.TaggedClass<HookIntervened>()("HookIntervened", {
  ...call,
  hook: Schema.String,
  event: Schema.Literal("pre", "post"),
  action: Schema.Literal("aborted", "answered", "replaced", "failed", "skipped"),
  reason: Schema.String
}) {}

/** The reviewer `by` did not answer and `decision` applies instead: `ask` leaves it to the mode. Once for each call. */
export class ReviewerFailed extends Schema.TaggedClass<ReviewerFailed>()("ReviewerFailed", {
  ...call,
  by: Schema.String,
  decision: Schema.Literal("ask", "deny"),
  reason: Schema.String
}) {}

/** What a server offers stands otherwise to what was approved than a call before knew; only `approved` ones are used. */
export class McpServerChanged extends Schema.TaggedClass<McpServerChanged>()("McpServerChanged", {
  ...call,
  server: Schema.String,
  changes: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      name: Schema.String,
      /** `approved`, `pending`, `changed` or `gone`. */
      state: Schema.String
    })
  )
}) {}

export const NoticeLevel = Schema.Literal("info", "success", "warning", "error")
export type NoticeLevel = typeof NoticeLevel.Type

/** Something that a person should notice in passing. */
export class Notified extends Schema.TaggedClass<Notified>()("Notified", {
  level: NoticeLevel,
  title: Schema.String,
  message: Schema.String,
  /** 0 stays until it is dismissed. */
  durationMillis: Schema.Number
}) {}

/** What happens inside one call, from the gate to its end. */
export const ToolEvent = Schema.Union(
  ApprovalRequested,
  ApprovalMoved,
  ApprovalResolved,
  ToolCallStarted,
  ClientCallRequested,
  ToolCallRetried,
  ToolDefectCaught,
  ToolStragglerEnded,
  ToolOutput,
  ToolProgressed,
  CheckpointSaved,
  FileChanged,
  TodosChanged,
  HookIntervened,
  ReviewerFailed,
  McpServerChanged,
  Notified
)
export type ToolEvent = typeof ToolEvent.Type
