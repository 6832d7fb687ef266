import * as Either from "effect/Either"
import type { FunctionCall, Message, StoredMessage } from "../conversation/Message.ts"
import { memo } from "../system/memo.ts"
import { wellFormed } from "../text/wellFormed.ts"
import { parseArguments } from "./Arguments.ts"
import type { FunctionDefinition, ModelRequest } from "./Model.ts"

/** A call whose arguments stand for no half of a pair either, in the escapes of their JSON. */
const callOf = (call: FunctionCall): FunctionCall => {
  const given = Either.getOrUndefined(parseArguments(call.function.arguments))
  const sent = given === undefined ? undefined : wellFormed(given)
  return sent === given ? call : { ...call, function: { ...call.function, arguments: JSON.stringify(sent) } }
}

const withCalls = (message: Message): Message =>
  message.role !== "assistant" || message.tool_calls === undefined
    ? message
    : { ...message, tool_calls: message.tool_calls.map(callOf) }

const mayHaveHalves = /\\u[dD][89a-fA-F]/

const messageOf = memo(new WeakMap<StoredMessage, StoredMessage>(), (stored) => {
  const json = JSON.stringify(stored)
  if (!mayHaveHalves.test(json)) return stored
  const { message, ...rest } = wellFormed(stored, json)
  return { ...rest, message: withCalls(message) }
})

const definitionOf = memo(new WeakMap<FunctionDefinition, FunctionDefinition>(), (one) => wellFormed(one))

/**
 * A request whose texts are Unicode: half a surrogate pair, as a text has that was cut inside a character, becomes U+FFFD. Servers
 * refuse a body with one (RFC 8259, 8.2), and would all later requests of the conversation as well.
 */
export const unicodeRequest = (request: ModelRequest): ModelRequest => ({
  ...request,
  messages: request.messages.map(messageOf),
  functions: request.functions.map(definitionOf)
})
