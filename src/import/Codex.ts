import type { FunctionCall } from "../conversation/Message.ts"
import type { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { type Data, isData } from "./JsonPiece.ts"
import { textOf } from "./openAiMessage.ts"
import { createdAt, timeOf } from "./time.ts"
import type { Transcript } from "./Transcript.ts"

const items = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call"
])
const lines = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"])

/** The text of a result, which some versions wrap. */
const outputOf = (output: unknown, where: string, draft: Draft): string =>
  isData(output)
    ? typeof output["content"] === "string"
      ? output["content"]
      : JSON.stringify(output)
    : textOf(output, where, draft)

/** Transcripts of Codex CLI: the items of its model requests, and events that say the same again. */
export class Codex implements Transcript {
  static knows({ id, payload, record_type: record, timestamp, type }: Data): boolean {
    return (
      (typeof type === "string" && lines.has(type) && payload !== undefined) ||
      (type === undefined && typeof timestamp === "string" && typeof id === "string") ||
      record === "state" ||
      (typeof type === "string" && items.has(type))
    )
  }

  readonly format = "codex"
  private readonly draft: Draft
  private thoughts: Array<string> = []
  /** Calls of one answer. */
  private calls: Array<FunctionCall> = []
  private words: { readonly content: string; readonly time: { readonly createdAt?: number } } | undefined

  constructor(draft: Draft) {
    this.draft = draft
  }

  line(data: Data, where: string): void {
    const { payload, timestamp, type } = data
    if (type === "session_meta" && isData(payload)) return this.head(payload, timestamp)
    if (type === undefined) return data["record_type"] === "state" ? undefined : this.head(data, timestamp)
    if (type === "response_item" && isData(payload)) return this.item(payload, timestamp, where)
    if (type === "compacted") return this.draft.warn("summaries are left out, what they replaced is kept")
    if (typeof type === "string" && items.has(type)) return this.item(data, timestamp, where)
    if (type !== "event_msg" && type !== "turn_context") {
      this.draft.warn(`lines of an unknown type are left out: ${String(type).slice(0, 80)}`)
    }
  }

  end(): void {
    const { calls, thoughts, words } = this
    if (words === undefined && calls.length === 0 && thoughts.length === 0) return
    this.calls = []
    this.thoughts = []
    this.words = undefined
    this.draft.message({
      role: "assistant",
      content: words?.content ?? (calls.length > 0 ? null : ""),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n") }),
      ...words?.time
    })
  }

  private head({ cwd, id }: Data, timestamp: unknown): void {
    const time = timeOf(timestamp)
    this.draft.session = {
      ...(typeof id === "string" ? { id } : {}),
      ...(time === undefined ? {} : { createdAt: time }),
      ...(typeof cwd === "string" ? { directory: cwd } : {}),
      ...this.draft.session
    }
  }

  private item(item: Data, timestamp: unknown, where: string): void {
    const { call_id: callId, name, type } = item
    const time = createdAt(timestamp)
    if (type === "message") {
      const content = textOf(item["content"], where, this.draft)
      if (item["role"] === "assistant") {
        if (this.words !== undefined || this.calls.length > 0) this.end()
        this.words = { content, time }
        return
      }
      this.end()
      return this.draft.message({ role: item["role"] === "user" ? "user" : "system", content, ...time })
    }
    if (type === "reasoning") {
      if (this.words !== undefined || this.calls.length > 0) this.end()
      const text = textOf(item["summary"], where, this.draft)
      if (text !== "") this.thoughts.push(text)
      return
    }
    if (type === "function_call_output" || type === "custom_tool_call_output") {
      this.end()
      if (typeof callId !== "string") return refuse(`${where} has a result that names no call`)
      return this.draft.message({
        role: "tool",
        tool_call_id: callId,
        content: outputOf(item["output"], where, this.draft),
        ...time
      })
    }
    const given =
      type === "function_call" ? item["arguments"] : type === "custom_tool_call" ? item["input"] : item["action"]
    if (type === "function_call" || type === "custom_tool_call" || type === "local_shell_call") {
      const text = typeof given === "string" ? given : JSON.stringify(given ?? {})
      const id = typeof callId === "string" ? callId : typeof item["id"] === "string" ? item["id"] : `call_${where}`
      this.calls.push({
        id,
        type: "function",
        function: { name: typeof name === "string" ? name : "local_shell", arguments: text }
      })
      return
    }
    this.draft.warn(`items of an unknown type are left out: ${String(type).slice(0, 80)}`)
  }
}
