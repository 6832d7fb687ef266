import * as Prompt from "@effect/ai/Prompt"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AssistantMessage, StoredMessage } from "../conversation/Message.ts"
import { sendableArguments } from "./Arguments.ts"
import { sendableName } from "./FunctionName.ts"

const Options = Schema.Record({
  key: Schema.String,
  value: Schema.UndefinedOr(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

/** One piece of an answer in its order. Text and calls stand in the message itself; reasoning must go back as it came. */
const ReplayPart = Schema.Union(
  Schema.Struct({ type: Schema.Literal("reasoning"), text: Schema.String, options: Options }),
  Schema.Struct({ type: Schema.Literal("text"), length: Schema.Number, options: Options }),
  Schema.Struct({ type: Schema.Literal("call"), id: Schema.String, options: Options })
)
export type ReplayPart = typeof ReplayPart.Type

/** What a provider wants back with the next request; no other backend and no other model is given it. */
export const AiReplay = Schema.Struct({
  backend: Schema.String,
  model: Schema.String,
  parts: Schema.Array(ReplayPart)
})
export type AiReplay = typeof AiReplay.Type

const decode = Schema.decodeUnknownOption(AiReplay)

type AssistantPart = Prompt.AssistantMessagePart

const withOptions = (options: ReplayPart["options"]) => ({ options: options as Prompt.ProviderOptions })

const callPart = (call: NonNullable<AssistantMessage["tool_calls"]>[number], options: ReplayPart["options"]) =>
  Prompt.makePart("tool-call", {
    id: call.id,
    name: sendableName(call.function.name),
    params: sendableArguments(call.function.arguments),
    providerExecuted: false,
    ...withOptions(options)
  })

/**
 * The parts of an assistant message, as its backend gave them. The message rules: calls it no longer has are left out,
 * and text that was changed since is given whole, as it is now.
 */
export const assistantParts = (
  stored: StoredMessage,
  message: AssistantMessage,
  origin: Pick<AiReplay, "backend" | "model">
): ReadonlyArray<AssistantPart> => {
  const replay = Option.filter(
    decode(stored.provider),
    ({ backend, model }) => backend === origin.backend && model === origin.model
  )
  const recorded = Option.match(replay, { onNone: () => [], onSome: ({ parts }) => parts })
  const content = message.content ?? ""
  const calls = new Map((message.tool_calls ?? []).map((call) => [call.id, call]))
  const length = recorded.reduce((sum, part) => (part.type === "text" ? sum + part.length : sum), 0)
  const unchanged = length === content.length
  const parts: Array<AssistantPart> = []
  let said = 0
  for (const part of recorded) {
    if (part.type === "reasoning") {
      parts.push(Prompt.makePart("reasoning", { text: part.text, ...withOptions(part.options) }))
    } else if (part.type === "text") {
      if (!unchanged || part.length === 0) continue
      const text = content.slice(said, (said += part.length))
      parts.push(Prompt.makePart("text", { text, ...withOptions(part.options) }))
    } else {
      const call = calls.get(part.id)
      if (call === undefined) continue
      calls.delete(part.id)
      parts.push(callPart(call, part.options))
    }
  }
  if (!unchanged && content !== "") {
    const firstCall = parts.findIndex((part) => part.type === "tool-call")
    parts.splice(firstCall === -1 ? parts.length : firstCall, 0, Prompt.makePart("text", { text: content }))
  }
  for (const call of calls.values()) parts.push(callPart(call, {}))
  return parts
}
