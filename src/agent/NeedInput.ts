import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { StoredMessage } from "../conversation/Message.ts"

/** The name of the tool by which a sub-worker asks its parent; the root, which talks with the user, does not see it. */
export const needInputTool = "need_input"

/** What it gives: the question, which ends the worker. */
export const InputNeeded = Schema.Struct({ question: Schema.String })

const decode = Schema.decodeUnknownEither(Schema.parseJson(InputNeeded))

/** What the last answer of a conversation asked the parent, by the results of its calls; nothing where it asked nothing. */
export const questionIn = (messages: ReadonlyArray<StoredMessage>): string | undefined => {
  const last = messages.findLast(({ message }) => message.role === "assistant")?.message
  if (last?.role !== "assistant") return undefined
  const calls = (last.tool_calls ?? []).flatMap(({ function: { name }, id }) => (name === needInputTool ? [id] : []))
  if (calls.length === 0) return undefined
  const asked = messages.flatMap(({ message }) =>
    message.role === "tool" && calls.includes(message.tool_call_id)
      ? Either.match(decode(message.content), { onLeft: () => [], onRight: ({ question }) => [question] })
      : []
  )
  return asked.length === 0 ? undefined : asked.join("\n")
}
