import * as Schema from "effect/Schema"
import { RestoredFile } from "../checkpoint/FileStep.ts"
import { FileLeft, FileRestore } from "../checkpoint/Rewinding.ts"
import { StoredMessage } from "../conversation/Message.ts"
import { CutOff, Usage } from "../model/ModelPart.ts"
import { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { MemoryKind, MemoryScope } from "../memory/MemoryEntry.ts"

/** The sender of the command behind an event; `user` if unset. */
const by = { by: Schema.optionalWith(Schema.String, { exact: true }) }

/** The command that an event answers, and its sender. */
const cause = { commandId: Schema.optionalWith(Schema.String, { exact: true }), ...by }

/** The tag of the typed error behind a message, if there is one. */
const error = { error: Schema.optionalWith(Schema.String, { exact: true }) }

export class RuntimeStopped extends Schema.TaggedClass<RuntimeStopped>()("RuntimeStopped", cause) {}

export class SessionCreated extends Schema.TaggedClass<SessionCreated>()("SessionCreated", {
  ...cause,
  project: Schema.String,
  /** Where its tools work; the project itself if unset. */
  directory: Schema.optionalWith(Schema.String, { exact: true }),
  /** The branch that was checked out, where git names one. */
  branch: Schema.optionalWith(Schema.String, { exact: true }),
  profile: Schema.String
}) {}
/** The session was read from a file and follows as data: it grants nothing, and nothing of it runs. */
export class SessionImported extends Schema.TaggedClass<SessionImported>()("SessionImported", {
  /** The kind of the file: `json`, `markdown`, `html`, `messages`, `claude-code` or `codex`. */
  format: Schema.String,
  title: Schema.String,
  messages: Schema.Number,
  /** The number of the last event that the import wrote. */
  last: Schema.Number,
  warnings: Schema.Array(Schema.String),
  /** What the file says of the session that it is of. */
  origin: Schema.Unknown
}) {}
/** Something of the imported file that is no message for a model: a system message, or an event. It has no effect. */
export class HistoryImported extends Schema.TaggedClass<HistoryImported>()("HistoryImported", {
  entry: Schema.Unknown
}) {}
/** A stored session is open again; `epoch` counts its owners. */
export class SessionResumed extends Schema.TaggedClass<SessionResumed>()("SessionResumed", {
  ...cause,
  project: Schema.String,
  epoch: Schema.Number,
  /** Calls with an unknown outcome, closed just now. */
  unknownCalls: Schema.Number,
  /** What the last run left open and was ended just now: it crashed. */
  repaired: Schema.optionalWith(
    Schema.Struct({
      tasks: Schema.Number,
      calls: Schema.Number,
      workers: Schema.Number,
      /** Requests for approval, withdrawn. */
      requests: Schema.Number
    }),
    { exact: true }
  ),
  /** The task that goes on where it stopped, and the requests that it waits for again, under their ids and digests. */
  goesOn: Schema.optionalWith(Schema.Struct({ task: Schema.String, approvals: Schema.Array(ApprovalRequest) }), {
    exact: true
  })
}) {}
/**
 * The session began as a copy of another one: its events up to `last` are those of the other, which is untouched; what was open
 * in them was ended, and nothing that was granted there holds here.
 */
export class SessionForked extends Schema.TaggedClass<SessionForked>()("SessionForked", {
  ...cause,
  /** The session that it was copied from. */
  origin: Schema.String,
  /** The number of the last event that was copied. */
  last: Schema.Number,
  /** Its title from now on, which tells it from other copies. */
  title: Schema.optionalWith(Schema.String, { exact: true })
}) {}
/** The session is closed for now and can be resumed. */
export class SessionSuspended extends Schema.TaggedClass<SessionSuspended>()("SessionSuspended", {
  ...cause,
  /** The task that has not ended, and the ids of the requests that it waits for. */
  waits: Schema.optionalWith(Schema.Struct({ task: Schema.String, approvals: Schema.Array(Schema.String) }), {
    exact: true
  })
}) {}
/** The session is over: what was granted to it is gone. */
export class SessionEnded extends Schema.TaggedClass<SessionEnded>()("SessionEnded", cause) {}
/** The session has another title, which no prompt changes. */
export class SessionRenamed extends Schema.TaggedClass<SessionRenamed>()("SessionRenamed", {
  ...cause,
  title: Schema.String
}) {}
/** The session is gone, with all that belonged to it; what it has cost and its entries in the audit stay. */
export class SessionDeleted extends Schema.TaggedClass<SessionDeleted>()("SessionDeleted", {
  ...cause,
  deleted: Schema.String
}) {}
/** What a rewind of a session would do; nothing was changed. */
export class RewindPreviewed extends Schema.TaggedClass<RewindPreviewed>()("RewindPreviewed", {
  ...cause,
  of: Schema.String,
  to: Schema.Number,
  files: Schema.Array(FileRestore),
  left: Schema.Array(FileLeft),
  /** Commands that ran since, the last of them: what they have changed is not put back. */
  commands: Schema.Array(Schema.String),
  /** Messages that would no longer count. */
  messages: Schema.Number,
  digest: Schema.String
}) {}
/**
 * The session is where it was before event `to`: what stands from there up to this event no longer counts, and the model does not
 * see it; the log keeps it.
 */
export class SessionRewound extends Schema.TaggedClass<SessionRewound>()("SessionRewound", {
  ...cause,
  to: Schema.Number,
  /** The number of the first event whose message the model may see. */
  visibleFrom: Schema.Number,
  /** The files that were put back. */
  restored: Schema.Array(RestoredFile),
  /** Files that were left as they are, and why. */
  left: Schema.Array(FileLeft)
}) {}
/** The model no longer sees what came before; the log keeps it. */
export class SessionCleared extends Schema.TaggedClass<SessionCleared>()("SessionCleared", cause) {}

export class TaskQueued extends Schema.TaggedClass<TaskQueued>()("TaskQueued", {
  ...cause,
  prompt: Schema.String,
  /** Tasks of the session that run before it. */
  ahead: Schema.Number
}) {}
/** The task has begun; `message` is its prompt in the conversation. */
export class TaskStarted extends Schema.TaggedClass<TaskStarted>()("TaskStarted", {
  message: Schema.optionalWith(StoredMessage, { exact: true })
}) {}
export class TaskCancelling extends Schema.TaggedClass<TaskCancelling>()("TaskCancelling", by) {}
/** `finish` says what cut the last answer off, if anything: the limit of output tokens, or the provider's filter. */
export class TaskCompleted extends Schema.TaggedClass<TaskCompleted>()("TaskCompleted", {
  text: Schema.String,
  usage: Usage,
  iterations: Schema.Number,
  finish: Schema.optionalWith(CutOff, { exact: true }),
  durationMillis: Schema.Number
}) {}
/** `kind` tells a model that failed from a bug, a limit that was reached and a runtime that died. */
export class TaskFailed extends Schema.TaggedClass<TaskFailed>()("TaskFailed", {
  kind: Schema.Literal("model", "limit", "timeout", "denied", "defect", "crash"),
  message: Schema.String,
  ...error,
  durationMillis: Schema.Number
}) {}
export class TaskInterrupted extends Schema.TaggedClass<TaskInterrupted>()("TaskInterrupted", {
  by: Schema.Literal("user", "shutdown"),
  durationMillis: Schema.Number
}) {}

export class ModelSwitched extends Schema.TaggedClass<ModelSwitched>()("ModelSwitched", {
  ...cause,
  profile: Schema.String
}) {}
export class ApprovalPolicySet extends Schema.TaggedClass<ApprovalPolicySet>()("ApprovalPolicySet", {
  ...cause,
  policy: Schema.String
}) {}
/** A grant, or a rule saved by the answer `always`, no longer holds. */
export class ApprovalRevoked extends Schema.TaggedClass<ApprovalRevoked>()("ApprovalRevoked", {
  ...cause,
  grantId: Schema.String
}) {}

/** A command goes on in the background, after the call that started it. */
export class BackgroundStarted extends Schema.TaggedClass<BackgroundStarted>()("BackgroundStarted", {
  id: Schema.String,
  command: Schema.String,
  directory: Schema.String
}) {}
/** A command in the background has ended, with all that it started. */
export class BackgroundEnded extends Schema.TaggedClass<BackgroundEnded>()("BackgroundEnded", {
  id: Schema.String,
  command: Schema.String,
  reason: Schema.String,
  exitCode: Schema.NullOr(Schema.Number),
  /** Whether somebody stopped it, or its session ended. */
  stopped: Schema.Boolean
}) {}

/** A file whose text the model is given as instructions. */
export const InstructionFile = Schema.Struct({
  path: Schema.String,
  /** Of what was read of it, in hexadecimal. */
  sha256: Schema.String,
  /** Of the whole file. */
  bytes: Schema.Number,
  /** Whether the model sees only its beginning. */
  cut: Schema.Boolean,
  /** The file that refers to it as `@path`. */
  importedBy: Schema.optionalWith(Schema.String, { exact: true })
})
export type InstructionFile = typeof InstructionFile.Type
/** The model has these instructions from here on, in order, instead of those before. */
export class InstructionsRead extends Schema.TaggedClass<InstructionsRead>()("InstructionsRead", {
  files: Schema.Array(InstructionFile)
}) {}

/** Notes that fit a prompt were put before it, in the message `message`; `score` is 0..1, relative to the best. */
export class MemoryRecalled extends Schema.TaggedClass<MemoryRecalled>()("MemoryRecalled", {
  message: Schema.String,
  memories: Schema.Array(
    Schema.Struct({ id: Schema.Number, kind: MemoryKind, scope: MemoryScope, score: Schema.Number })
  )
}) {}
/** Notes were taken from a task: from what the person stated, for the project; by the model, for the session. */
export class MemoryKept extends Schema.TaggedClass<MemoryKept>()("MemoryKept", {
  memories: Schema.Array(
    Schema.Struct({ id: Schema.Number, kind: MemoryKind, scope: MemoryScope, text: Schema.String })
  )
}) {}

/** A command that could not be carried out, and what to do about it. */
export class CommandRejected extends Schema.TaggedClass<CommandRejected>()("CommandRejected", {
  ...cause,
  command: Schema.String,
  reason: Schema.String,
  ...error
}) {}
/** A command was carried out whose effect no event of its own tells; only one that has an id is answered so. */
export class CommandPerformed extends Schema.TaggedClass<CommandPerformed>()("CommandPerformed", {
  ...cause,
  command: Schema.String
}) {}
export class ErrorRaised extends Schema.TaggedClass<ErrorRaised>()("ErrorRaised", { message: Schema.String }) {}

export const RuntimeEvent = Schema.Union(
  RuntimeStopped,
  SessionCreated,
  SessionImported,
  HistoryImported,
  SessionResumed,
  SessionForked,
  SessionSuspended,
  SessionEnded,
  SessionRenamed,
  SessionRewound,
  RewindPreviewed,
  SessionDeleted,
  SessionCleared,
  TaskQueued,
  TaskStarted,
  TaskCancelling,
  TaskCompleted,
  TaskFailed,
  TaskInterrupted,
  ModelSwitched,
  ApprovalPolicySet,
  ApprovalRevoked,
  InstructionsRead,
  MemoryRecalled,
  MemoryKept,
  BackgroundStarted,
  BackgroundEnded,
  CommandRejected,
  CommandPerformed,
  ErrorRaised
)
