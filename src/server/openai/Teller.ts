import { isCallEnd } from "../../gate/CallEvent.ts"
import { noUsage, type Usage } from "../../model/ModelPart.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { isTerminal, type TerminalEvent } from "../../runtime/Event.ts"
import { cutWords } from "../../text/excerpt.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { isRoot, root } from "../../tool/WorkerPath.ts"

/** A call of one of the client's functions that waits for it. */
export interface ClientCall {
  readonly task: string
  readonly callId: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

export interface TellerOptions {
  /** Those that are told of; the last one ends the answer. */
  readonly tasks: ReadonlyArray<string>
  readonly showsCalls: boolean
  /** What was answered already. */
  readonly answered: ReadonlySet<string>
}

const sum = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens
})

/** Characters of the arguments of a call that are told as text. */
const maxShown = 300

/** A request that waits for the client, and the task whose call it is about. */
export interface AskedApproval {
  readonly task: string
  readonly request: ApprovalRequest
}

/** Follows the events of an answer: what its client reads of them, and what waits for it. */
export class Teller {
  readonly approvals = new Map<string, AskedApproval>()
  readonly calls = new Map<string, ClientCall>()
  usage: Usage = noUsage
  /** Why the last answer of the model ended. */
  finish = "stop"
  end: TerminalEvent | undefined
  /** The number of the last event. */
  seq = 0
  /** Calls of the last answer that are the client's to run and have not ended. */
  private expected = new Set<string>()
  private readonly tasks: ReadonlySet<string>
  private readonly last: string | undefined
  private readonly showsCalls: boolean
  private readonly answered: ReadonlySet<string>
  /** What was told of the current answer of the model. */
  private told = ""
  private isFirst = true
  private readonly own: ReadonlySet<string>

  constructor({ answered, showsCalls, tasks }: TellerOptions, own: ReadonlySet<string>) {
    this.tasks = new Set(tasks)
    this.last = tasks.at(-1)
    this.showsCalls = showsCalls
    this.answered = answered
    this.own = own
  }

  /** Whether all that the client is to run next is there. */
  get isComplete(): boolean {
    return this.approvals.size > 0 || (this.calls.size > 0 && this.calls.size >= this.expected.size)
  }

  /** The text that an event adds to the answer. */
  note({ event, seq, task, transient, worker = root }: Envelope): string {
    if (transient !== true) this.seq = seq
    if (task === undefined || !this.tasks.has(task)) return ""
    const isOwn = isRoot(worker)
    switch (event._tag) {
      case "ModelRequested":
      case "ModelAttemptFailed":
        if (isOwn) this.told = ""
        return ""
      case "TextDelta":
        return isOwn ? this.add(event.text, event.offset) : ""
      case "ModelAnswered": {
        this.usage = sum(this.usage, event.usage)
        const { message } = event.message
        if (!isOwn || message.role !== "assistant") return ""
        this.finish = event.finish
        const calls = (message.tool_calls ?? []).filter((call) => this.own.has(call.function.name))
        this.expected = new Set(calls.map(({ id }) => id))
        const { content } = message
        const rest = content?.startsWith(this.told) === true ? this.add(content, 0) : ""
        this.told = ""
        return rest
      }
      case "ApprovalRequested":
        if (!this.answered.has(event.request.id)) this.approvals.set(event.request.id, { task, request: event.request })
        return ""
      case "ApprovalResolved":
        this.approvals.delete(event.approvalId)
        return ""
      case "ClientCallRequested":
        if (!this.answered.has(event.requestId)) {
          const { callId, parameters, requestId, tool: name } = event
          this.calls.set(requestId, { task, callId, name, arguments: JSON.stringify(parameters ?? {}) })
        }
        return ""
      case "ToolCallRequested": {
        const isServers = !this.own.has(event.tool)
        return this.showsCalls && isServers ? this.line(`[${event.tool}] ${cutWords(event.arguments, maxShown)}`) : ""
      }
      case "ToolCallStarted": {
        const { parameters, tool } = event
        const isShown = this.showsCalls && parameters !== undefined && !this.own.has(tool)
        return isShown ? this.line(`[${tool}] ran as ${cutWords(JSON.stringify(parameters), maxShown)}`) : ""
      }
      default: {
        if (isTerminal(event)) {
          if (task === this.last) this.end = event
          return ""
        }
        if (!isCallEnd(event)) return ""
        const { callId } = event
        this.expected.delete(callId)
        for (const [id, call] of this.calls) if (call.callId === callId) this.calls.delete(id)
        const failed = event._tag === "ToolCallFailed" ? event.error.message : undefined
        return this.showsCalls && failed !== undefined ? this.line(`[${event.tool}] ${cutWords(failed, maxShown)}`) : ""
      }
    }
  }

  /** What of a piece at an offset is new; answers of the model are apart by an empty line. */
  private add(text: string, offset: number): string {
    const fresh = text.slice(Math.max(0, this.told.length - offset))
    if (fresh === "" || offset > this.told.length) return ""
    const gap = this.told === "" && !this.isFirst ? "\n\n" : ""
    this.told += fresh
    this.isFirst = false
    return gap + fresh
  }

  private line(text: string): string {
    const gap = this.isFirst ? "" : "\n\n"
    this.isFirst = false
    return gap + text
  }
}
