import type { Usage } from "../../model/ModelPart.ts"
import type { Said, WantedCall } from "./Said.ts"
import { approvalItemId, serverLabel } from "./ResponsesRequest.ts"
import { unicodeJson } from "../../text/wellFormed.ts"

/** What an answer begins with. */
export interface Head {
  readonly id: string
  readonly created_at: number
  readonly model: string
  readonly previous_response_id: string | null
  readonly metadata: Readonly<Record<string, string>>
}

type Status = "in_progress" | "completed" | "incomplete" | "failed"

/** One item of the output of a response. */
type Output = Readonly<Record<string, unknown>> & { readonly id: string }

const usageOf = ({ cachedInputTokens, inputTokens, outputTokens, reasoningTokens }: Usage) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedInputTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: inputTokens + outputTokens
})

const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] })

/** The item of a call: of approval by MCP, or of a function. */
const itemOf = (call: WantedCall, isMcp: boolean): Output =>
  call.request === undefined || !isMcp
    ? {
        id: `fc_${call.id}`,
        type: "function_call",
        status: "completed",
        call_id: call.id,
        name: call.name,
        arguments: call.arguments
      }
    : {
        id: approvalItemId(call.id, call.request.digest),
        type: "mcp_approval_request",
        server_label: serverLabel,
        name: call.request.tool,
        arguments: JSON.stringify(call.request.arguments),
        /** What else a person should see; the standard item has no place for it. */
        approval: JSON.parse(call.arguments) as unknown
      }

/** Writes an answer as the events of a response, and as a whole. */
export class ResponseWriter {
  private readonly head: Head
  private readonly isMcp: boolean
  private readonly output: Array<Output> = []
  private text: string | undefined
  private sequence = 0

  constructor(head: Head, isMcp: boolean) {
    this.head = head
    this.isMcp = isMcp
  }

  begin(): ReadonlyArray<string> {
    const response = this.response("in_progress")
    return [this.event("response.created", { response }), this.event("response.in_progress", { response })]
  }

  write(said: Said): ReadonlyArray<string> {
    switch (said._tag) {
      case "Text":
        return this.add(said.text)
      case "Calls":
        return [
          ...this.endText(),
          ...said.calls.flatMap((call) => this.call(itemOf(call, this.isMcp))),
          this.event("response.completed", { response: this.response("completed", said.usage) })
        ]
      case "Ended": {
        const ended = this.endText()
        const { response, type } = this.end(said)
        return [...ended, this.event(type, { response })]
      }
      case "Failed": {
        const response = this.response("failed")
        const error = { code: "server_error", message: said.message }
        return [...this.endText(), this.event("response.failed", { response: { ...response, error } })]
      }
    }
  }

  /** The whole response, after its last part. */
  whole(said: Exclude<Said, { readonly _tag: "Text" | "Failed" }>): object {
    if (said._tag === "Ended") return this.end(said).response
    return this.response("completed", said.usage)
  }

  private end({ finish, usage }: Extract<Said, { readonly _tag: "Ended" }>) {
    const reason = finish === "length" ? "max_output_tokens" : finish === "content_filter" ? finish : undefined
    const response = this.response(reason === undefined ? "completed" : "incomplete", usage)
    return reason === undefined
      ? { type: "response.completed", response }
      : { type: "response.incomplete", response: { ...response, incomplete_details: { reason } } }
  }

  private response(status: Status, usage?: Usage) {
    return {
      ...this.head,
      object: "response",
      status,
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      output: [...this.output],
      parallel_tool_calls: true,
      store: true,
      temperature: null,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_p: null,
      truncation: "disabled",
      usage: usage === undefined ? null : usageOf(usage)
    }
  }

  private event(type: string, data: object): string {
    return `event: ${type}\ndata: ${unicodeJson(JSON.stringify({ type, sequence_number: this.sequence++, ...data }))}\n\n`
  }

  private get message() {
    return { id: `msg_${this.head.id}`, type: "message", role: "assistant" }
  }

  private add(delta: string): ReadonlyArray<string> {
    const place = { item_id: this.message.id, output_index: this.output.length, content_index: 0 }
    const isFirst = this.text === undefined
    this.text = (this.text ?? "") + delta
    return [
      ...(isFirst
        ? [
            this.event("response.output_item.added", {
              output_index: this.output.length,
              item: { ...this.message, status: "in_progress", content: [] }
            }),
            this.event("response.content_part.added", { ...place, part: textPart("") })
          ]
        : []),
      this.event("response.output_text.delta", { ...place, delta, logprobs: [] })
    ]
  }

  private endText(): ReadonlyArray<string> {
    const { text } = this
    if (text === undefined) return []
    this.text = undefined
    const place = { item_id: this.message.id, output_index: this.output.length, content_index: 0 }
    const item = { ...this.message, status: "completed", content: [textPart(text)] }
    const events = [
      this.event("response.output_text.done", { ...place, text, logprobs: [] }),
      this.event("response.content_part.done", { ...place, part: textPart(text) }),
      this.event("response.output_item.done", { output_index: this.output.length, item })
    ]
    this.output.push(item)
    return events
  }

  private call(item: Output): ReadonlyArray<string> {
    const at = { output_index: this.output.length }
    const place = { ...at, item_id: item.id }
    const text = item["arguments"]
    const isFunction = item["type"] === "function_call"
    this.output.push(item)
    return [
      this.event("response.output_item.added", {
        ...at,
        item: isFunction ? { ...item, status: "in_progress", arguments: "" } : item
      }),
      ...(isFunction
        ? [
            this.event("response.function_call_arguments.delta", { ...place, delta: text }),
            this.event("response.function_call_arguments.done", { ...place, name: item["name"], arguments: text })
          ]
        : []),
      this.event("response.output_item.done", { ...at, item })
    ]
  }
}
