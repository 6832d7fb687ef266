import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import {
  AnswerClientCall,
  CancelTask,
  ClearSession,
  type Command,
  CompactSession,
  DecideApproval,
  DeclareClientTools,
  DeleteSession,
  DetachCall,
  EndSession,
  ForkSession,
  Interrupt,
  InvokeTool,
  PreviewRewind,
  RenameSession,
  ResumeSession,
  RevokeApproval,
  RewindSession,
  SetApprovalPolicy,
  SubmitPrompt,
  SuspendSession,
  SwitchModel,
  unnamedTask
} from "../runtime/Command.ts"
import type { AccessScope } from "./Access.ts"

/** The id of the task that a command starts, under which a repetition is not carried out again; made if unset. */
const task = { task: Schema.optionalWith(SubmitPrompt.fields.task, { exact: true }) }

const { omit } = Struct

/**
 * What a client asks of a session: the runtime's own commands, whose session is that of the path and whose sender is the
 * token's name.
 */
export const PostedCommand = Schema.Union(
  Schema.Struct({ ...omit(SubmitPrompt.fields, "session", "by", "task"), ...task }),
  Schema.Struct({ ...omit(InvokeTool.fields, "session", "by", "task"), ...task }),
  Schema.Struct({ ...omit(CompactSession.fields, "session", "by", "task"), ...task }),
  Schema.Struct(omit(DecideApproval.fields, "session", "by", "frontend")),
  Schema.Struct(omit(RevokeApproval.fields, "session", "by")),
  Schema.Struct(omit(DeclareClientTools.fields, "session", "by")),
  Schema.Struct(omit(AnswerClientCall.fields, "session", "by")),
  Schema.Struct(omit(CancelTask.fields, "session", "by")),
  Schema.Struct(omit(Interrupt.fields, "session", "by")),
  Schema.Struct(omit(DetachCall.fields, "session", "by")),
  Schema.Struct(omit(SetApprovalPolicy.fields, "session", "by")),
  Schema.Struct(omit(SwitchModel.fields, "session", "by")),
  Schema.Struct(omit(RenameSession.fields, "session", "by")),
  Schema.Struct(omit(ForkSession.fields, "session", "by")),
  Schema.Struct(omit(PreviewRewind.fields, "session", "by")),
  Schema.Struct(omit(RewindSession.fields, "session", "by")),
  Schema.Struct(omit(DeleteSession.fields, "session", "by")),
  Schema.Struct(omit(ClearSession.fields, "session", "by")),
  Schema.Struct(omit(ResumeSession.fields, "session", "by")),
  Schema.Struct(omit(SuspendSession.fields, "session", "by")),
  Schema.Struct(omit(EndSession.fields, "session", "by"))
).annotations({ identifier: "PostedCommand", parseOptions: { onExcessProperty: "error" } })
export type PostedCommand = typeof PostedCommand.Type

/** What a token needs for a command: one that lets calls run, or more of them, decides. */
export const scopeOf = ({ _tag }: PostedCommand): AccessScope =>
  _tag === "DecideApproval" || _tag === "SetApprovalPolicy" || _tag === "RevokeApproval" ? "approve" : "operate"

const isStarting = (
  posted: PostedCommand
): posted is Extract<PostedCommand, { readonly _tag: "SubmitPrompt" | "InvokeTool" | "CompactSession" }> =>
  posted._tag === "SubmitPrompt" || posted._tag === "InvokeTool" || posted._tag === "CompactSession"

/** The command of a session by a sender. A task that is named again is answered as it was the first time. */
export const commandOf = (
  posted: PostedCommand,
  { by, made, session }: { readonly session: string; readonly by: string; readonly made: string }
): Command => {
  if (!isStarting(posted)) return { ...posted, session, by }
  const { commandId = posted.task === undefined ? undefined : `${session} ${posted.task}` } = posted
  const { task = unnamedTask(commandId, made) } = posted
  return { ...posted, session, by, task, ...(commandId === undefined ? {} : { commandId }) }
}
