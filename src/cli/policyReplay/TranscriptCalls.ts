import { ClaudeCode } from "../../import/ClaudeCode.ts"
import { Codex } from "../../import/Codex.ts"
import { type Data, isData } from "../../import/JsonPiece.ts"
import { refuse } from "../../import/ImportProblem.ts"
import { timeOf } from "../../import/time.ts"
import { Open, type PastCall, type Was } from "../../host/PastCall.ts"

/** Finds the calls in the lines of a transcript; one is given once its end is known. */
export interface TranscriptCalls {
  readonly agent: "claude" | "codex"
  readonly line: (data: Data) => ReadonlyArray<PastCall>
  readonly end: () => ReadonlyArray<PastCall>
}

const string = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const given = <K extends string, V>(name: K, value: V | undefined): { readonly [_ in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [_ in K]?: V }

/** The beginning of the text of a result. */
const beginningOf = (content: unknown): string => {
  if (typeof content === "string") return content.slice(0, 400)
  if (Array.isArray(content)) return beginningOf(content.find((part) => isData(part) && part["type"] === "text")?.text)
  return isData(content) ? beginningOf(content["content"]) : ""
}

/** How Claude Code and Codex say in a result that the call was not let through. */
const refused = {
  claude:
    /^(?:<tool_use_error>)?(?:Error: )?(?:The user doesn't want to (?:proceed with|take) this|Permission (?:to use|for this)|Claude requested permissions|PreToolUse:|Hook PreToolUse:|Tollgate(?: asks)?:)/,
  codex:
    /^(?:exec command rejected|patch rejected|(?:exec_command|apply_patch) failed[^\n]*rejected|Command blocked by PreToolUse hook|Tollgate:)/i
}

class ClaudeCalls implements TranscriptCalls {
  readonly agent = "claude"
  private readonly open = new Open()

  line({ agentId, cwd, message, sessionId, timestamp, type }: Data): ReadonlyArray<PastCall> {
    if (type !== "assistant" && type !== "user") return []
    const content = isData(message) ? message["content"] : undefined
    if (typeof content === "string") return []
    if (!Array.isArray(content)) return refuse("its message has no content")
    const parts: ReadonlyArray<unknown> = content
    if (!parts.every(isData)) return refuse("its message has a part that is not an object")
    return parts.flatMap((part): ReadonlyArray<PastCall> => {
      const { id, input, name, tool_use_id: answered } = part
      if (type === "assistant" && part["type"] === "tool_use") {
        if (typeof id !== "string" || typeof name !== "string") return refuse("it has a call without an id or a name")
        return this.open.add(id, {
          agent: this.agent,
          session: string(sessionId) ?? "",
          ...given("worker", string(agentId)),
          id,
          ...given("time", timeOf(timestamp)),
          ...given("directory", string(cwd)),
          tool: name,
          input: input ?? {},
          was: "unknown"
        })
      }
      if (type === "assistant" || part["type"] !== "tool_result" || typeof answered !== "string") return []
      const call = this.open.take(answered)
      const isRefused = part["is_error"] === true && refused.claude.test(beginningOf(part["content"]))
      return call === undefined ? [] : [{ ...call, was: isRefused ? "refused" : "ran" }]
    })
  }

  end(): ReadonlyArray<PastCall> {
    return this.open.end()
  }
}

class CodexCalls implements TranscriptCalls {
  readonly agent = "codex"
  private readonly open = new Open()
  private session = ""
  private directory: string | undefined

  line(data: Data): ReadonlyArray<PastCall> {
    const { payload, timestamp, type } = data
    const item = isData(payload) ? payload : data
    if (type === "session_meta" || type === "turn_context" || type === undefined) {
      this.directory = string(item["cwd"]) ?? this.directory
      this.session = (type === "turn_context" ? undefined : string(item["id"])) ?? this.session
      return []
    }
    if (type === "event_msg") return []
    const { call_id: callId, name } = item
    const id = string(callId) ?? string(item["id"])
    if (id === undefined)
      return /^(?:function|custom_tool|local_shell)_call$/.test(string(item["type"]) ?? "")
        ? refuse("it has a call without an id")
        : []
    switch (item["type"]) {
      case "function_call":
        return this.began(id, string(name), item["arguments"], timestamp)
      case "custom_tool_call":
        return this.began(id, string(name), { input: item["input"] }, timestamp)
      case "local_shell_call":
        return this.began(id, "local_shell", item["action"], timestamp)
      case "function_call_output":
      case "custom_tool_call_output": {
        const call = this.open.take(id)
        const was: Was = refused.codex.test(beginningOf(item["output"])) ? "refused" : "ran"
        return call === undefined ? [] : [{ ...call, was }]
      }
      default:
        return []
    }
  }

  end(): ReadonlyArray<PastCall> {
    return this.open.end()
  }

  private began(id: string, tool: string | undefined, input: unknown, timestamp: unknown): ReadonlyArray<PastCall> {
    if (tool === undefined) return refuse("it has a call without a name")
    return this.open.add(id, {
      agent: this.agent,
      session: this.session,
      id,
      ...given("time", timeOf(timestamp)),
      ...given("directory", this.directory),
      tool,
      input: input ?? {},
      was: "unknown"
    })
  }
}

/** What reads a transcript that begins with a line; nothing where it is none of a known agent. */
export const callsIn = (first: Data): TranscriptCalls | undefined =>
  Codex.knows(first) ? new CodexCalls() : ClaudeCode.knows(first) ? new ClaudeCalls() : undefined
