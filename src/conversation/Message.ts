import * as Schema from "effect/Schema"
import { Image, maxImages } from "./Image.ts"

/** A call as the assistant asked for it; `arguments` is the JSON text of the model, which need not parse. */
export const FunctionCall = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("function"),
  function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
})
export type FunctionCall = typeof FunctionCall.Type

export const SystemMessage = Schema.Struct({ role: Schema.Literal("system"), content: Schema.String })
export type SystemMessage = typeof SystemMessage.Type

export const UserMessage = Schema.Struct({
  role: Schema.Literal("user"),
  content: Schema.String,
  /** What the person shows with it, where it has been named in the text; each provider gets it in its own form. */
  images: Schema.optionalWith(Schema.Array(Image).pipe(Schema.maxItems(maxImages)), { exact: true })
})
export type UserMessage = typeof UserMessage.Type

export const AssistantMessage = Schema.Struct({
  role: Schema.Literal("assistant"),
  content: Schema.NullOr(Schema.String),
  tool_calls: Schema.optionalWith(Schema.Array(FunctionCall), { exact: true })
})
export type AssistantMessage = typeof AssistantMessage.Type

export const ToolMessage = Schema.Struct({
  role: Schema.Literal("tool"),
  tool_call_id: Schema.String,
  content: Schema.String
})
export type ToolMessage = typeof ToolMessage.Type

/**
 * One message of a conversation, in the shape of OpenAI's Chat Completions but for its images.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export const Message = Schema.Union(SystemMessage, UserMessage, AssistantMessage, ToolMessage).annotations({
  identifier: "Message"
})
export type Message = typeof Message.Type

/**
 * A stored message: `reasoning` is the model's visible thinking, `provider` what its backend must get back unchanged
 * (signatures, item ids); neither is part of the message itself.
 */
export const StoredMessage = Schema.Struct({
  id: Schema.String,
  message: Message,
  reasoning: Schema.optionalWith(Schema.String, { exact: true }),
  provider: Schema.optionalWith(Schema.Unknown, { exact: true })
}).annotations({ identifier: "StoredMessage" })
export type StoredMessage = typeof StoredMessage.Type
