import { tokensOf } from "./Image.ts"
import type { StoredMessage } from "./Message.ts"

/** Characters of a message that a model reads. */
export const characters = ({ message, reasoning = "" }: StoredMessage): number =>
  (message.content?.length ?? 0) +
  reasoning.length +
  (message.role === "user" ? (message.images ?? []) : []).reduce((sum, image) => sum + 4 * tokensOf(image), 0) +
  (message.role === "assistant"
    ? (message.tool_calls ?? []).reduce(
        (sum, call) => sum + call.function.name.length + call.function.arguments.length,
        0
      )
    : 0)

/** Characters of some messages. */
export const sizeOf = (messages: ReadonlyArray<StoredMessage>): number =>
  messages.reduce((sum, stored) => sum + characters(stored), 0)
