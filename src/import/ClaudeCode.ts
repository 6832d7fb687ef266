import type { FunctionCall } from "../conversation/Message.ts"
import type { DocumentMessage } from "../export/Document.ts"
import type { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { type Data, isData } from "./JsonPiece.ts"
import { textOf } from "./openAiMessage.ts"
import { createdAt, timeOf } from "./time.ts"
import type { Transcript } from "./Transcript.ts"

/** Lines that are about the program and not of the conversation. */
const silent = new Set([
  "file-history-snapshot",
  "queue-operation",
  "progress",
  "attachment",
  "last-prompt",
  "custom-title",
  "agent-name",
  "permission-mode",
  "pr-link",
  "mode"
])

/** An answer comes in several lines, one for each part of it. */
interface Answer {
  readonly id: unknown
  readonly time: { readonly createdAt?: number }
  readonly texts: Array<string>
  readonly thoughts: Array<string>
  readonly calls: Array<FunctionCall>
}

/** Transcripts of Claude Code: a line for each part of a message. */
export class ClaudeCode implements Transcript {
  static knows(line: Data): boolean {
    return (
      line["type"] === "summary" ||
      line["type"] === "file-history-snapshot" ||
      (("sessionId" in line || "uuid" in line) && typeof line["type"] === "string")
    )
  }

  readonly format = "claude-code"
  private readonly seen = new Set<string>()
  private answer: Answer | undefined
  private readonly draft: Draft

  constructor(draft: Draft) {
    this.draft = draft
  }

  line(data: Data, where: string): void {
    const { isSidechain, message, summary, timestamp, type, uuid } = data
    if (type === "summary") {
      if (typeof summary === "string") this.draft.session = { ...this.draft.session, title: summary }
      return
    }
    if (typeof uuid === "string") {
      if (this.seen.has(uuid)) return this.draft.warn("lines that are there twice are left out")
      this.seen.add(uuid)
    }
    if (isSidechain === true) return this.draft.warn("messages of sub-agents are left out")
    this.head(data)
    if (type === "user" && isData(message)) return this.user(message, data, where)
    if (type === "assistant" && isData(message)) return this.assistant(message, timestamp)
    if (type === "system" && typeof data["content"] === "string") {
      this.end()
      return this.draft.message({ role: "system", content: data["content"], ...createdAt(timestamp) })
    }
    if (typeof type !== "string" || !silent.has(type)) {
      this.draft.warn(`lines of an unknown type are left out: ${String(type).slice(0, 80)}`)
    }
  }

  end(): void {
    const { answer } = this
    this.answer = undefined
    if (answer === undefined) return
    const { calls, texts, thoughts, time } = answer
    if (calls.length === 0 && texts.length === 0 && thoughts.length === 0) return
    this.draft.message({
      role: "assistant",
      content: texts.length === 0 ? (calls.length > 0 ? null : "") : texts.join("\n"),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n") }),
      ...time
    })
  }

  private head({ cwd, sessionId, timestamp }: Data): void {
    const { session } = this.draft
    const time = timeOf(timestamp)
    this.draft.session = {
      ...session,
      ...(session.id === undefined && typeof sessionId === "string" ? { id: sessionId } : {}),
      ...(session.createdAt === undefined && time !== undefined ? { createdAt: time } : {}),
      ...(session.directory === undefined && typeof cwd === "string" ? { directory: cwd } : {})
    }
  }

  private user({ content }: Data, { isMeta, timestamp }: Data, where: string): void {
    this.end()
    const time = createdAt(timestamp)
    const say = (text: string) =>
      text !== "" &&
      this.draft.message({ role: isMeta === true ? "system" : "user", content: text, ...time } as DocumentMessage)
    if (!Array.isArray(content)) return void say(textOf(content, where, this.draft))
    const words: Array<unknown> = []
    for (const part of content as ReadonlyArray<unknown>) {
      const answered = isData(part) && part["type"] === "tool_result" ? part["tool_use_id"] : undefined
      if (!isData(part) || part["type"] !== "tool_result") words.push(part)
      else if (typeof answered !== "string") refuse(`${where} has a result that names no call`)
      else
        this.draft.message({
          role: "tool",
          tool_call_id: answered,
          content: textOf(part["content"], where, this.draft),
          ...time
        })
    }
    if (words.length > 0) say(textOf(words, where, this.draft))
  }

  private assistant({ content, id }: Data, timestamp: unknown): void {
    if (this.answer !== undefined && (id === undefined || this.answer.id !== id)) this.end()
    this.answer ??= { id, time: createdAt(timestamp), texts: [], thoughts: [], calls: [] }
    const { calls, texts, thoughts } = this.answer
    const parts: ReadonlyArray<unknown> = Array.isArray(content) ? content : [{ type: "text", text: content }]
    for (const part of parts) {
      if (!isData(part)) continue
      const { id: callId, input, name, text, thinking, type } = part
      if (type === "text" && typeof text === "string") texts.push(text)
      else if (type === "thinking" && typeof thinking === "string") thoughts.push(thinking)
      else if (type === "tool_use" && typeof name === "string" && typeof callId === "string") {
        calls.push({ id: callId, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } })
      } else this.draft.warn(`parts that are no text are left out: ${String(type).slice(0, 80)}`)
    }
  }
}
