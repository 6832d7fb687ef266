import { isReserved } from "../tool/reserved.ts"
import type { AssistantMessage, FunctionCall, StoredMessage } from "./Message.ts"

/** An assistant message without the calls in `hidden`; nothing where that leaves nothing. */
const without = (
  stored: StoredMessage,
  message: AssistantMessage,
  calls: ReadonlyArray<FunctionCall>,
  visible: (call: FunctionCall) => boolean
): ReadonlyArray<StoredMessage> => {
  const kept = calls.filter(visible)
  if (kept.length === calls.length) return [stored]
  const { tool_calls: _, ...rest } = message
  if (kept.length > 0) return [{ ...stored, message: { ...rest, tool_calls: kept } }]
  return message.content === null || message.content === "" ? [] : [{ ...stored, message: rest }]
}

/**
 * What a model may see of a stored conversation: no `client.*` call and no result of one, and never a result without its
 * call (A3). It depends on nothing but what is stored.
 */
export class ModelView {
  private readonly messages: Array<StoredMessage> = []
  /** Calls that the model has made and that a result may answer. */
  private readonly calls = new Set<string>()
  private size = 0

  /** The messages so far; the same array grows with the next one. */
  get all(): ReadonlyArray<StoredMessage> {
    return this.messages
  }

  add(stored: StoredMessage): void {
    for (const visible of this.filter(stored)) {
      this.messages.push(visible)
      this.size += characters(visible)
    }
  }

  clear(): void {
    this.messages.length = 0
    this.calls.clear()
    this.size = 0
  }

  /**
   * The latest messages of at most `limit` characters in all, never beginning with a result whose call is left out; the
   * last prompt is always among them.
   */
  window(limit: number): ReadonlyArray<StoredMessage> {
    if (this.size <= limit) return this.messages
    let start = this.messages.length
    let size = 0
    for (let index = this.messages.length - 1; index >= 0; index--) {
      const stored = this.messages[index]
      if (stored === undefined) continue
      size += characters(stored)
      if (size > limit && start < this.messages.length) break
      if (stored.message.role !== "tool") start = index
    }
    const tail = this.messages.slice(start)
    if (tail.some(({ message }) => message.role === "user")) return tail
    const prompt = this.messages.slice(0, start).findLast(({ message }) => message.role === "user")
    return prompt === undefined ? tail : [prompt, ...tail]
  }

  private filter(stored: StoredMessage): ReadonlyArray<StoredMessage> {
    const { message } = stored
    if (message.role === "assistant" && message.tool_calls !== undefined) {
      const visible = without(stored, message, message.tool_calls, (call) => !isReserved(call.function.name))
      for (const call of message.tool_calls) if (!isReserved(call.function.name)) this.calls.add(call.id)
      return visible
    }
    if (message.role === "tool") return this.calls.delete(message.tool_call_id) ? [stored] : []
    return [stored]
  }
}

const characters = ({ message, reasoning = "" }: StoredMessage): number =>
  (message.content?.length ?? 0) +
  reasoning.length +
  (message.role === "assistant"
    ? (message.tool_calls ?? []).reduce(
        (sum, call) => sum + call.function.name.length + call.function.arguments.length,
        0
      )
    : 0)

/** `ModelView` of a whole conversation at once. */
export const modelView = (messages: Iterable<StoredMessage>): ReadonlyArray<StoredMessage> => {
  const view = new ModelView()
  for (const message of messages) view.add(message)
  return view.all
}
