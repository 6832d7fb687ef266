import type { MessageRecorded } from "../../agent/AgentEvent.ts"
import type { AssistantMessage } from "../../conversation/Message.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import type { Event } from "../../runtime/Event.ts"
import type { Calls } from "./Calls.ts"
import type { Step } from "./Step.ts"

/** A message of a conversation that comes from a file. */
const isImported = (event: Event): event is MessageRecorded =>
  event._tag === "MessageRecorded" && event.imported !== undefined

/** A prompt that a person has given elsewhere. */
export const isImportedPrompt = (event: Event): boolean => isImported(event) && event.message.message.role === "user"

/** Whether the file says that the call failed. */
const isFailed = (about: unknown): boolean =>
  typeof about === "object" && about !== null && "event" in about && about.event === "ToolCallFailed"

/** A call that the file asks for, where it is told. */
interface Open {
  readonly envelope: Envelope
  readonly callId: string
  readonly tool: string
}

const workerOf = ({ worker = [] }: Envelope): string => JSON.stringify(worker.length < 2 ? [] : worker)

const answer = (text: string, { tool_calls }: AssistantMessage): ReadonlyArray<Step> => [
  { _tag: "Text", text },
  { _tag: "TextEnded", final: (tool_calls ?? []).length === 0, text }
]

/** Tells an imported conversation as if it had happened here: no more than its messages is known of it. */
export class Imported {
  private readonly calls: Calls
  /** The calls that have no result yet, in their order. */
  private open: ReadonlyArray<Open> = []

  constructor(calls: Calls) {
    this.calls = calls
  }

  /** What comes before an event: calls whose results the file leaves out are over by then. */
  before(envelope: Envelope): ReadonlyArray<Step> {
    if (this.open.length === 0) return []
    const { event } = envelope
    if (isImported(event) && event.message.message.role === "tool") return []
    const left = this.open.filter((call) => !isImported(event) || workerOf(call.envelope) === workerOf(envelope))
    this.open = this.open.filter((call) => !left.includes(call))
    return left.flatMap((call) =>
      this.calls.end(call.envelope, call, "unknown", "the imported file has no result of it", 0)
    )
  }

  tell(envelope: Envelope, event: MessageRecorded): ReadonlyArray<Step> {
    if (!isImported(event)) return []
    const { message, reasoning = "" } = event.message
    const isRoot = (envelope.worker ?? []).length < 2
    const content = message.content ?? ""
    switch (message.role) {
      case "user":
        return isRoot ? [{ _tag: "Prompt", text: content }] : []
      case "assistant":
        return [
          ...(isRoot && reasoning !== "" ? [{ _tag: "Thought", text: reasoning } as const] : []),
          ...(content === "" ? [] : isRoot ? answer(content, message) : [this.calls.aside(envelope, content)]),
          ...(message.tool_calls ?? []).flatMap(({ function: { arguments: given, name: tool }, id: callId }) => {
            // Ids come again in other messages.
            const call = { envelope: { ...envelope, iteration: envelope.seq }, callId, tool }
            this.open = [...this.open, call]
            return this.calls.begin(call.envelope, { callId, tool, arguments: given })
          })
        ]
      case "tool": {
        const call = this.open.find(
          (one) => one.callId === message.tool_call_id && workerOf(one.envelope) === workerOf(envelope)
        )
        this.open = this.open.filter((one) => one !== call)
        const outcome = isFailed(event.imported) ? "failed" : "done"
        return call === undefined ? [] : this.calls.end(call.envelope, call, outcome, content, 0)
      }
      default:
        return []
    }
  }
}
