import type { Message, StoredMessage } from "../conversation/Message.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import type { DurableEvent } from "./Event.ts"

const redactMessage = (message: Message, text: (text: string) => string): Message => {
  if (message.role !== "assistant") return { ...message, content: text(message.content) }
  const content = message.content === null ? null : text(message.content)
  return message.tool_calls === undefined
    ? { ...message, content }
    : {
        ...message,
        content,
        tool_calls: message.tool_calls.map((call) => ({
          ...call,
          function: { ...call.function, arguments: text(call.function.arguments) }
        }))
      }
}

const redactStored = (stored: StoredMessage, text: (text: string) => string): StoredMessage => ({
  ...stored,
  message: redactMessage(stored.message, text),
  ...(stored.reasoning === undefined ? {} : { reasoning: text(stored.reasoning) })
})

/**
 * The event without the secrets that people, models and tools have put into it (S5). What is stored, shown, exported and
 * told to a model all comes from here; a call itself runs with its real arguments.
 */
export const redactEvent = <E extends DurableEvent>(event: E, { text }: RedactorShape): E => {
  const redacted = (): DurableEvent => {
    const durable: DurableEvent = event
    switch (durable._tag) {
      case "TaskQueued":
        return { ...durable, prompt: text(durable.prompt) }
      case "TaskStarted":
        return durable.message === undefined ? durable : { ...durable, message: redactStored(durable.message, text) }
      case "ModelAnswered":
      case "MessageRecorded":
      case "SessionCompacted":
      case "ToolCallCompleted":
      case "ToolCallInterrupted":
      case "ToolCallOutcomeUnknown":
        return { ...durable, message: redactStored(durable.message, text) }
      case "ToolCallFailed":
        return {
          ...durable,
          error: { ...durable.error, message: text(durable.error.message) },
          message: redactStored(durable.message, text)
        }
      case "ToolCallRequested":
        return { ...durable, arguments: text(durable.arguments) }
      case "TaskCompleted":
        return { ...durable, text: text(durable.text) }
      case "WorkerStarted":
        return { ...durable, task: text(durable.task) }
      case "TaskFailed":
      case "WorkerFailed":
        return { ...durable, message: text(durable.message) }
      case "ToolCallRetried":
      case "ModelAttemptFailed":
        return { ...durable, reason: text(durable.reason) }
      case "ToolDefectCaught":
        return { ...durable, detail: text(durable.detail) }
      default:
        return durable
    }
  }
  return redacted() as E
}
