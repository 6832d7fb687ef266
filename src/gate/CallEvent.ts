import * as Schema from "effect/Schema"
import { StoredMessage } from "../conversation/Message.ts"
import { ToolEvent } from "../tool/ToolEvent.ts"
import { ResultFailure } from "../tool/ToolResult.ts"

const call = { callId: Schema.String, tool: Schema.String }

/** A model or a person asked for a call; `arguments` is the JSON text as it came. */
export class ToolCallRequested extends Schema.TaggedClass<ToolCallRequested>()("ToolCallRequested", {
  ...call,
  arguments: Schema.String
}) {}

/**
 * The call has a result, which is `message` in the conversation; `failed` where what it ran has failed, `answered` where
 * nothing ran and a hook or middleware gave the result.
 */
export class ToolCallCompleted extends Schema.TaggedClass<ToolCallCompleted>()("ToolCallCompleted", {
  ...call,
  message: StoredMessage,
  answered: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  failed: Schema.optionalWith(ResultFailure, { exact: true }),
  durationMillis: Schema.Number
}) {}

/** A failure as everybody else sees it; `data` is the declared failure in its encoded form, where it is not too long. */
export const CallFailure = Schema.Struct({
  _tag: Schema.String,
  message: Schema.String,
  data: Schema.optionalWith(Schema.Unknown, { exact: true })
})
export type CallFailure = typeof CallFailure.Type

/** The call failed or was refused; `error` names the typed error. */
export class ToolCallFailed extends Schema.TaggedClass<ToolCallFailed>()("ToolCallFailed", {
  ...call,
  error: CallFailure,
  message: StoredMessage,
  durationMillis: Schema.Number
}) {}

/** The call was interrupted; `message` has what it had put out until then. */
export class ToolCallInterrupted extends Schema.TaggedClass<ToolCallInterrupted>()("ToolCallInterrupted", {
  ...call,
  message: StoredMessage,
  durationMillis: Schema.Number
}) {}

/** What a call tells from its request to its end, which is exactly one of completed, failed and interrupted. */
export const CallEvent = Schema.Union(
  ...ToolEvent.members,
  ToolCallRequested,
  ToolCallCompleted,
  ToolCallFailed,
  ToolCallInterrupted
)
export type CallEvent = typeof CallEvent.Type

/** The end of a call; the last of the four is what a later owner of the session finds. */
export const isCallEnd = <E extends { readonly _tag: string }>(
  event: E
): event is Extract<E, { readonly _tag: CallEndTag }> =>
  event._tag === "ToolCallCompleted" ||
  event._tag === "ToolCallFailed" ||
  event._tag === "ToolCallInterrupted" ||
  event._tag === "ToolCallOutcomeUnknown"

type CallEndTag = "ToolCallCompleted" | "ToolCallFailed" | "ToolCallInterrupted" | "ToolCallOutcomeUnknown"
