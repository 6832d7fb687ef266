import * as Schema from "effect/Schema"
import { ClientFunction, maxFunctions } from "../agent/ClientFunction.ts"
import { Image, maxImages } from "../conversation/Image.ts"
import { WrittenPolicy } from "../approval/ApprovalPolicy.ts"
import { visibleLine } from "../text/visible.ts"
import { Scope, WiderKind } from "../tool/ApprovalRequest.ts"

/** Characters of the name of a sender. */
export const maxSender = 64
/** Characters of a title. */
export const maxTitle = 200

/** A name that is looked for again as it is, which a store cannot with U+0000 in it. */
const Name = Schema.String.pipe(
  Schema.filter((name) => !name.includes("\0"), { message: () => "a name cannot have the character U+0000" })
)

/** Characters of the name of a session. */
const maxSessionName = 200

/** The name of a session that is made, which the path of a URL holds and a list shows as it is. */
const NewName = Name.pipe(
  Schema.minLength(1),
  Schema.maxLength(maxSessionName),
  Schema.filter((name) => name !== "." && name !== ".." && visibleLine(name) === name, {
    message: () => 'the name of a session cannot be "." or "..", nor have a character that nobody sees'
  })
)

/** The number of a durable event of a session. */
const EventNumber = Schema.Number.pipe(Schema.int(), Schema.positive())

const sent = {
  /** Names the command in the event that answers it; a repetition under the same id is not carried out again. */
  commandId: Schema.optionalWith(Name, { exact: true }),
  /** Who sends it, by name; `user` if unset. */
  by: Schema.optionalWith(Schema.NonEmptyString.pipe(Schema.maxLength(maxSender)), { exact: true })
}
const session = { ...sent, session: Name }

/** Starts a task, or queues it behind those of its session; the client's task id makes a repetition harmless. */
export class SubmitPrompt extends Schema.TaggedClass<SubmitPrompt>()("SubmitPrompt", {
  ...session,
  task: Name,
  prompt: Schema.String,
  /** What of it a person has said in their own words; notes are taken from nothing else, and from nothing if unset. */
  typed: Schema.optionalWith(Schema.String, { exact: true }),
  /** How heavy it is, for routing: by the names of the configuration. */
  weight: Schema.optionalWith(Name, { exact: true }),
  /** What the model is shown with it; the text names each. */
  images: Schema.optionalWith(Schema.Array(Image).pipe(Schema.maxItems(maxImages)), { exact: true })
}) {}

/** Runs a tool for the person who asks; its result enters the conversation as a system message, unless it is `apart`. */
export class InvokeTool extends Schema.TaggedClass<InvokeTool>()("InvokeTool", {
  ...session,
  task: Name,
  tool: Schema.String,
  parameters: Schema.Unknown,
  /** Keeps the result out of the conversation, for who is no reader of that. */
  apart: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {}

/** Answers an approval request, whose digest it repeats. */
export class DecideApproval extends Schema.TaggedClass<DecideApproval>()("DecideApproval", {
  ...session,
  approvalId: Schema.String,
  digest: Schema.String,
  decision: Schema.Literal("approve", "deny"),
  scope: Schema.optionalWith(Scope, { exact: true }),
  /** With the scope `task` or `session`: covers what `wider` of the request says, instead of the same call. */
  wider: Schema.optionalWith(WiderKind, { exact: true }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  /** A denial that ends the task as well. */
  stop: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Parameters instead of those of the request; the call is asked about anew with them, under another digest. */
  parameters: Schema.optionalWith(Schema.Unknown, { exact: true }),
  /** Names the frontend where it has decided by itself and no person has. */
  frontend: Schema.optionalWith(Schema.String, { exact: true })
}) {}

/** Takes back a grant of the session, or a rule that was saved for its project. */
export class RevokeApproval extends Schema.TaggedClass<RevokeApproval>()("RevokeApproval", {
  ...session,
  grantId: Name
}) {}
/** Says which tools of its own the frontend of a session can run. */
export class DeclareClientTools extends Schema.TaggedClass<DeclareClientTools>()("DeclareClientTools", {
  ...session,
  tools: Schema.Array(Schema.String),
  /** Functions of its own, which the model may call from its next task on; those declared before are gone. */
  functions: Schema.optionalWith(Schema.Array(ClientFunction).pipe(Schema.maxItems(maxFunctions)), { exact: true })
}) {}
/** The result of a client call, or its failure. */
export class AnswerClientCall extends Schema.TaggedClass<AnswerClientCall>()("AnswerClientCall", {
  ...session,
  requestId: Schema.String,
  result: Schema.optionalWith(Schema.Unknown, { exact: true }),
  error: Schema.optionalWith(Schema.String, { exact: true })
}) {}

/** Ends one task, queued or running. */
export class CancelTask extends Schema.TaggedClass<CancelTask>()("CancelTask", { ...session, task: Name }) {}
/** Ends everything of the session that is in flight, at every depth, or one sub-worker and those below it. */
export class Interrupt extends Schema.TaggedClass<Interrupt>()("Interrupt", {
  ...session,
  /** The path of the sub-worker, the root's name first; its parent gets the outcome and goes on. */
  worker: Schema.optionalWith(Schema.Array(Schema.String).pipe(Schema.minItems(2)), { exact: true })
}) {}
/** Lets commands that run in the foreground go on in the background, and their calls end. */
export class DetachCall extends Schema.TaggedClass<DetachCall>()("DetachCall", {
  ...session,
  /** Of one call; all of them if unset. */
  callId: Schema.optionalWith(Schema.String, { exact: true })
}) {}
/** Sets the mode for every later decision of the open session; a request that waits is not touched. */
export class SetApprovalPolicy extends Schema.TaggedClass<SetApprovalPolicy>()("SetApprovalPolicy", {
  ...session,
  policy: WrittenPolicy
}) {}
/** Switches the model from the next task on; the credentials are checked first. */
export class SwitchModel extends Schema.TaggedClass<SwitchModel>()("SwitchModel", {
  ...session,
  profile: Name
}) {}

/** Makes a session of the client's own id. */
export class CreateSession extends Schema.TaggedClass<CreateSession>()("CreateSession", {
  ...sent,
  session: NewName,
  project: Name,
  profile: Schema.optionalWith(Name, { exact: true })
}) {}
export class ResumeSession extends Schema.TaggedClass<ResumeSession>()("ResumeSession", session) {}
/** Resumes the session of the project that was used last. */
export class ResumeLastSession extends Schema.TaggedClass<ResumeLastSession>()("ResumeLastSession", {
  ...sent,
  project: Name
}) {}
/** Gives the session a title, also one that is not open. */
export class RenameSession extends Schema.TaggedClass<RenameSession>()("RenameSession", {
  ...session,
  title: Schema.String.pipe(
    Schema.maxLength(maxTitle),
    Schema.filter((title) => title.trim() !== "", { message: () => "a title has at least one visible character" })
  )
}) {}
/** Copies the session up to an event into a new one; itself it stays as it is. */
export class ForkSession extends Schema.TaggedClass<ForkSession>()("ForkSession", {
  ...session,
  /** The client's own id of the new session. */
  fork: NewName,
  /** The number of the last event that is copied; the last one there is if unset. */
  last: Schema.optionalWith(EventNumber, { exact: true })
}) {}
/** Works out what a rewind would do; nothing is changed. */
export class PreviewRewind extends Schema.TaggedClass<PreviewRewind>()("PreviewRewind", {
  ...session,
  /** The number of the event before which the session is to be. */
  to: EventNumber
}) {}
/**
 * Goes back to before an event: what its file tools have changed since is put back, but for files that somebody else has changed as
 * well, and the conversation goes on from there.
 */
export class RewindSession extends Schema.TaggedClass<RewindSession>()("RewindSession", {
  ...session,
  to: EventNumber,
  /** Of the preview that was shown: with it nothing is done where the files have changed since. */
  digest: Schema.optionalWith(Schema.String, { exact: true })
}) {}
/** Deletes the session with all that belongs to it, but for what it has cost and its entries in the audit. */
export class DeleteSession extends Schema.TaggedClass<DeleteSession>()("DeleteSession", session) {}
/** The model forgets the conversation so far; the log does not. */
export class ClearSession extends Schema.TaggedClass<ClearSession>()("ClearSession", session) {}
/** Puts a summary by the model in place of the conversation so far; runs as a task. */
export class CompactSession extends Schema.TaggedClass<CompactSession>()("CompactSession", {
  ...session,
  task: Name,
  /** What the summary is to keep or to leave out, in the words of the person. */
  instructions: Schema.optionalWith(Schema.String, { exact: true }),
  /** The summary is only the text of the completed task: it counts once another command gives it back as `summary`. */
  draft: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** This summary counts, which is that of the task `draft` as a person wants it; refused if the conversation has gone on since. */
  summary: Schema.optionalWith(Schema.Struct({ text: Schema.String, draft: Name }), { exact: true })
}) {}
/** Closes the session for now, as a shutdown does; its next command opens it again, with what was granted in it. */
export class SuspendSession extends Schema.TaggedClass<SuspendSession>()("SuspendSession", session) {}
/** Ends the session and what was granted to it. */
export class EndSession extends Schema.TaggedClass<EndSession>()("EndSession", session) {}
/** Stops the runtime: every task is interrupted and every session is suspended. */
export class Shutdown extends Schema.TaggedClass<Shutdown>()("Shutdown", sent) {}

export const SessionCommand = Schema.Union(
  SubmitPrompt,
  InvokeTool,
  DecideApproval,
  RevokeApproval,
  DeclareClientTools,
  AnswerClientCall,
  CancelTask,
  Interrupt,
  DetachCall,
  SetApprovalPolicy,
  SwitchModel,
  RenameSession,
  RewindSession,
  ClearSession,
  CompactSession,
  SuspendSession,
  EndSession
)
/** What an open session is asked to do. */
export type SessionCommand = typeof SessionCommand.Type

/** Everything that a frontend can ask for, in the imperative. */
export const Command = Schema.Union(
  ...SessionCommand.members,
  CreateSession,
  ResumeSession,
  ResumeLastSession,
  ForkSession,
  PreviewRewind,
  DeleteSession,
  Shutdown
)
export type Command = typeof Command.Type

/** The fields by which the events that answer a command name it and its sender. */
export const causeOf = ({
  by,
  commandId
}: Pick<Command, "by" | "commandId">): { readonly commandId?: string; readonly by?: string } => ({
  ...(commandId === undefined ? {} : { commandId }),
  ...(by === undefined ? {} : { by: by.slice(0, maxSender) })
})

/** The task of a command that names none: each repetition of its id is about the same one. */
export const unnamedTask = (commandId: string | undefined, made: string): string =>
  commandId === undefined ? made : `task of ${commandId}`

/** Who sent a command, as decisions and the audit name them: no name can pass for a rule, a grant or a timeout. */
export const senderOf = ({ by }: Command): string =>
  by === undefined || by === "user" ? "user" : `user ${by.slice(0, maxSender)}`
