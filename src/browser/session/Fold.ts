import type { Envelope } from "../../runtime/Envelope.ts"
import { duration } from "../../text/duration.ts"
import { cutMiddle } from "../../text/visible.ts"
import { advisedOnPage } from "../../ui/advice.ts"
import { shortcoming } from "../../ui/narration/shortcoming.ts"
import type { Item, Prompt } from "./Item.ts"
import { remarksOf } from "./remarks.ts"
import { contentOf, Rows } from "./Rows.ts"
import { Workers } from "./Workers.ts"

/** Characters of the output of a running tool that are kept: the last ones. */
const maxOutput = 64 * 1024

/** Characters of what was asked for of a call that ran with something else. */
const maxAsked = 1000

const root = "root"

/** A summary, or what is to be kept, is asked for beside the work and shown when it counts. */
const isAside = (worker: ReadonlyArray<string>): boolean => worker.length > 0 && worker[0] !== root

/** Makes rows of a conversation out of events, live or stored; the same events give the same rows. */
export class Fold {
  readonly workers = new Workers()
  readonly todos: Array<{ readonly text: string; readonly status: string }> = []
  /** Tasks that have not ended, in order. */
  readonly tasks = new Set<string>()
  mode: string | undefined
  profile: string | undefined
  /** Billionths of a US dollar. */
  spent = 0
  /** Of the last request of the root: its tokens, and how many its model takes. */
  context: { readonly tokens: number; readonly window: number | undefined } | undefined
  /** What goes on, in words. */
  doing: string | undefined
  interrupting = false
  readonly waiting = new Set<string>()

  private readonly rows = new Rows()
  private readonly prompts = new Map<string, Prompt>()

  get items(): ReadonlyArray<Item> {
    return this.rows.items
  }

  step(envelope: Envelope): void {
    const { event, task, time, worker = [] } = envelope
    this.workers.step(envelope)
    if (isAside(worker)) {
      if (event._tag === "ModelCharged") this.spent += event.amount ?? 0
      if (event._tag === "ModelRequested") this.doing = "summarising the conversation"
      return
    }
    switch (event._tag) {
      case "SessionCreated":
      case "ModelSwitched":
        this.profile = event.profile
        if (event._tag === "ModelSwitched") this.rows.note(envelope, `The next task uses ${event.profile}.`)
        return
      case "ApprovalPolicySet":
        this.mode = event.policy
        return this.rows.note(envelope, `Mode: ${event.policy}`)
      case "TaskQueued": {
        if (task === undefined) return
        this.tasks.add(task)
        const { ahead, by, prompt: text } = event
        const prompt: Prompt = { ...this.rows.row(envelope), kind: "prompt", task, text, by, ahead, state: "queued" }
        this.prompts.set(task, prompt)
        return this.rows.queue(prompt)
      }
      case "TaskStarted": {
        const prompt = this.prompts.get(task ?? "")
        this.doing = "starting"
        this.interrupting = false
        if (prompt === undefined) {
          const text = contentOf(event.message)
          const { task = "" } = envelope
          this.tasks.add(task)
          const late: Prompt = {
            ...this.rows.row(envelope),
            kind: "prompt",
            task,
            text,
            by: undefined,
            ahead: 0,
            state: "running"
          }
          this.prompts.set(task, late)
          return this.rows.add(envelope, late)
        }
        prompt.state = "running"
        this.rows.follow(prompt)
        return this.rows.touch(prompt)
      }
      case "TaskCancelling":
        this.interrupting = true
        return
      case "TaskCompleted":
        return this.end(envelope, "completed", `Done in ${duration(event.durationMillis)}`)
      case "TaskFailed":
        return this.end(envelope, "failed", advisedOnPage(event.message, event.error))
      case "TaskInterrupted":
        return this.end(
          envelope,
          "interrupted",
          event.by === "user" ? "Interrupted" : "Interrupted: the runtime stopped"
        )
      case "ModelRequested":
        this.doing = `waiting for ${event.model}`
        return
      case "TextDelta":
        this.doing = "answering"
        return this.rows.write(envelope, "answer", event.text, event.offset)
      case "ReasoningDelta":
        this.doing = "thinking"
        return this.rows.write(envelope, "thought", event.text, event.offset)
      case "ArgumentsDelta": {
        this.doing = `preparing ${event.tool}`
        const call = this.rows.call(envelope, event)
        if (call.state === "asked" && event.offset <= call.arguments.length) {
          call.arguments = call.arguments.slice(0, event.offset) + event.text
          this.rows.touch(call)
        }
        return
      }
      case "ModelAttemptFailed":
        this.rows.drop(envelope)
        return this.rows.note(
          envelope,
          event.delayMillis === 0
            ? event.reason
            : `${event.reason.replace(/\.$/, "")}; again in ${duration(event.delayMillis)}`,
          "warning"
        )
      case "ModelAnswered": {
        const { message, reasoning } = event.message
        if (reasoning !== undefined && reasoning !== "") this.rows.settle(envelope, "thought", reasoning)
        this.rows.settle(envelope, "answer", message.content ?? "")
        if (worker.length > 1 || (message.role === "assistant" && (message.tool_calls ?? []).length > 0)) return
        const short = shortcoming(event.finish, (message.content ?? "") === "")
        if (short !== undefined)
          this.rows.note(envelope, `${short.charAt(0).toUpperCase()}${short.slice(1)}`, "warning")
        return
      }
      case "ModelInterrupted":
        return this.rows.settle(envelope, "answer", event.text)
      case "IterationEnded":
        if (worker.length === 1) {
          this.context = { tokens: event.usage.inputTokens + event.usage.outputTokens, window: event.contextWindow }
        }
        return
      case "ModelCharged":
        this.spent += event.amount ?? 0
        return
      case "ToolCallRequested": {
        const call = this.rows.call(envelope, event)
        call.arguments = event.arguments
        this.doing = `preparing ${event.tool}`
        return this.rows.touch(call)
      }
      case "ApprovalRequested": {
        const { request } = event
        const call = this.rows.call(envelope, request)
        call.request = request
        call.state = "waiting"
        this.waiting.add(request.id)
        return this.rows.touch(call)
      }
      case "ApprovalResolved": {
        this.waiting.delete(event.approvalId)
        const call = this.rows.call(envelope, event)
        if (call.request?.id !== event.approvalId) return
        call.request = undefined
        call.state = event.outcome === "granted" ? "asked" : "denied"
        const who = event.by === "" ? "" : ` by ${event.by}`
        const scope =
          event.scope === undefined || event.scope === "once"
            ? ""
            : ` for ${event.scope === "always" ? "good" : `this ${event.scope}`}`
        const why = event.reason === undefined ? "" : `: ${event.reason}`
        call.notes.push(`${outcomes[event.outcome]}${scope}${who}${why}`)
        return this.rows.touch(call)
      }
      case "ToolCallStarted":
        this.doing = `running ${event.tool}`
        return this.rows.change(envelope, event, (call) => {
          call.state = "running"
          call.startedAt = time
          if (event.parameters !== undefined) {
            call.notes.push(`Changed before it ran; asked for: ${cutMiddle(call.arguments, maxAsked)}`)
            call.arguments = JSON.stringify(event.parameters)
          }
          if (event.approvedBy !== undefined) call.notes.push(`${outcomes.granted} by ${event.approvedBy}`)
        })
      case "ToolOutput":
        return this.rows.change(envelope, event, (call) => {
          call.output = (call.output + event.text).slice(-maxOutput)
        })
      case "ToolProgressed":
        return this.rows.change(envelope, event, (call) => {
          const { current, label = "", total } = event
          const figures = current === undefined ? "" : total === undefined ? String(current) : `${current} of ${total}`
          call.progress = [label, figures].filter((text) => text !== "").join(" ")
        })
      case "ToolCallRetried":
        return this.rows.change(envelope, event, (call) => {
          call.notes.push(`${event.reason}; attempt ${event.attempt} in ${duration(event.delayMillis)}`)
        })
      case "HookIntervened":
        return this.rows.change(envelope, event, (call) => {
          call.notes.push(`Hook ${event.hook} ${event.action}: ${event.reason}`)
        })
      case "ReviewerFailed":
        return this.rows.change(envelope, event, (call) => {
          call.notes.push(`The reviewer ${event.by} did not decide: ${event.reason}`)
        })
      case "FileChanged":
        return this.rows.change(envelope, event, (call) => {
          const { change, diff, path } = event
          call.diffs.push({ path, change, text: diff?.text ?? "", omitted: diff?.omitted ?? 0 })
        })
      case "TodosChanged":
        this.todos.splice(0, this.todos.length, ...event.items)
        return
      case "ToolCallCompleted":
        return this.rows.finish(envelope, event, event.failed === undefined ? "done" : "failed", event.failed?.reason)
      case "ToolCallFailed":
        return this.rows.finish(
          envelope,
          event,
          event.error._tag === "ApprovalDenied" ? "denied" : "failed",
          event.error.message
        )
      case "ToolCallInterrupted":
        return this.rows.finish(envelope, event, "interrupted", undefined)
      case "ToolCallOutcomeUnknown":
        return this.rows.finish(envelope, event, "unknown", "The runtime died during the call: it may have run.")
      case "WorkerStarted":
        return this.rows.nest(envelope, event.callId)
      case "ClientCallRequested": {
        if (event.tool !== "ask_user") return
        const { options = [], question = "" } = event.parameters as {
          readonly question?: string
          readonly options?: ReadonlyArray<string>
        }
        return this.rows.add(envelope, {
          ...this.rows.row(envelope),
          kind: "question",
          requestId: event.requestId,
          question,
          options,
          open: true
        })
      }
      default:
        for (const { level, text } of remarksOf(event)) this.rows.note(envelope, text, level)
    }
  }

  /** The stream begins again with what is not stored: output that was shown comes anew. */
  reopen(): void {
    this.rows.reopen()
  }

  private end(envelope: Envelope, outcome: "completed" | "failed" | "interrupted", text: string): void {
    const { task = "" } = envelope
    this.tasks.delete(task)
    this.doing = undefined
    this.interrupting = false
    const prompt = this.prompts.get(task)
    const hasBegun = prompt?.state !== "queued"
    if (prompt !== undefined) {
      prompt.state = "ended"
      this.rows.touch(prompt)
    }
    this.rows.close(task)
    const end: Item = { ...this.rows.row(envelope, "end"), kind: "end", outcome, text }
    if (hasBegun) this.rows.add({ ...envelope, worker: [] }, end)
    else this.rows.queue(end)
    if (this.tasks.size === 0) this.rows.follow()
  }
}

const outcomes = { granted: "Allowed", denied: "Denied", expired: "Expired", withdrawn: "Withdrawn" } as const
