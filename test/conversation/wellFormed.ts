import type { StoredMessage } from "../../src/conversation/Message.ts"

/** What a model would refuse of a conversation: calls without results and results without calls, each by its id. */
export const misplaced = (messages: ReadonlyArray<StoredMessage>): ReadonlyArray<string> => {
  const found: Array<string> = []
  let open: Array<string> = []
  for (const { message } of messages) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id)) found.push(`result ${message.tool_call_id}`)
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    found.push(...open.map((id) => `call ${id}`))
    open = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : []
  }
  return [...found, ...open.map((id) => `call ${id}`)]
}
