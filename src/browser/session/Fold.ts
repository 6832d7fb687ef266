import type { Event } from "../../runtime/Event.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { duration } from "../../text/duration.ts"
import { money } from "../../text/money.ts"
import { many } from "../../ui/Words.ts"
import type { Call, CallState, Item, Prompt, Words } from "./Item.ts"
import { Workers } from "./Workers.ts"

/** Characters of the output of a running tool that are kept: the last ones. */
const maxOutput = 64 * 1024
/** Rows that one worker keeps. */
const maxBelow = 400

const root = "root"

const placeOf = ({ task = "", worker = [] }: Envelope): string => `${task}/${worker.join("/")}`

const callKey = (envelope: Envelope, callId: string): string =>
  `${placeOf(envelope)}#${envelope.iteration ?? 0}#${callId}`

const contentOf = (message: { readonly message: { readonly content: string | null } } | undefined): string =>
  message?.message.content ?? ""

/** A summary, or what is to be kept, is asked for beside the work and shown when it counts. */
const isAside = (worker: ReadonlyArray<string>): boolean => worker.length > 0 && worker[0] !== root

/** Makes rows of a conversation out of events, live or stored; the same events give the same rows. */
export class Fold {
  readonly items: Array<Item> = []
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

  private readonly calls = new Map<string, Call>()
  private readonly open = new Map<string, Words>()
  private readonly prompts = new Map<string, Prompt>()
  /** The call that a worker was started by, under the worker's place. */
  private readonly parents = new Map<string, Call>()
  /** The number of the last row's event, and which of its rows that was. */
  private last = 0
  private nth = 0
  /** The call that a row stands below. */
  private readonly above = new WeakMap<Item, Call>()

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
        if (event._tag === "ModelSwitched") this.note(envelope, `The next task uses ${event.profile}.`)
        return
      case "ApprovalPolicySet":
        this.mode = event.policy
        return this.note(envelope, `Mode: ${event.policy}`)
      case "TaskQueued": {
        if (task === undefined) return
        this.tasks.add(task)
        const { ahead, by, prompt: text } = event
        const prompt: Prompt = { ...this.row(envelope), kind: "prompt", task, text, by, ahead, state: "queued" }
        this.prompts.set(task, prompt)
        return this.add(envelope, prompt)
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
            ...this.row(envelope),
            kind: "prompt",
            task,
            text,
            by: undefined,
            ahead: 0,
            state: "running"
          }
          this.prompts.set(task, late)
          return this.add(envelope, late)
        }
        prompt.state = "running"
        return this.touch(prompt)
      }
      case "TaskCancelling":
        this.interrupting = true
        return
      case "TaskCompleted":
        return this.end(envelope, "completed", `Done in ${duration(event.durationMillis)}`)
      case "TaskFailed":
        return this.end(envelope, "failed", event.message)
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
        return this.write(envelope, "answer", event.text, event.offset)
      case "ReasoningDelta":
        this.doing = "thinking"
        return this.write(envelope, "thought", event.text, event.offset)
      case "ArgumentsDelta": {
        this.doing = `preparing ${event.tool}`
        const call = this.call(envelope, event)
        if (call.state === "asked" && event.offset <= call.arguments.length) {
          call.arguments = call.arguments.slice(0, event.offset) + event.text
          this.touch(call)
        }
        return
      }
      case "ModelAttemptFailed":
        this.drop(envelope)
        return this.note(
          envelope,
          event.delayMillis === 0 ? event.reason : `${event.reason}; again in ${duration(event.delayMillis)}`,
          "warning"
        )
      case "ModelAnswered": {
        const { message, reasoning } = event.message
        if (reasoning !== undefined && reasoning !== "") this.settle(envelope, "thought", reasoning)
        this.settle(envelope, "answer", message.content ?? "")
        return
      }
      case "ModelInterrupted":
        return this.settle(envelope, "answer", event.text)
      case "IterationEnded":
        if (worker.length === 1) {
          this.context = { tokens: event.usage.inputTokens + event.usage.outputTokens, window: event.contextWindow }
        }
        return
      case "ModelCharged":
        this.spent += event.amount ?? 0
        return
      case "ToolCallRequested": {
        const call = this.call(envelope, event)
        call.arguments = event.arguments
        this.doing = `preparing ${event.tool}`
        return this.touch(call)
      }
      case "ApprovalRequested": {
        const { request } = event
        const call = this.call(envelope, request)
        call.request = request
        call.state = "waiting"
        this.waiting.add(request.id)
        return this.touch(call)
      }
      case "ApprovalResolved": {
        this.waiting.delete(event.approvalId)
        const call = this.call(envelope, event)
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
        return this.touch(call)
      }
      case "ToolCallStarted":
        this.doing = `running ${event.tool}`
        return this.change(envelope, event, (call) => {
          call.state = "running"
          call.startedAt = time
        })
      case "ToolOutput":
        return this.change(envelope, event, (call) => {
          call.output = (call.output + event.text).slice(-maxOutput)
        })
      case "ToolProgressed":
        return this.change(envelope, event, (call) => {
          const { current, label = "", total } = event
          const figures = current === undefined ? "" : total === undefined ? String(current) : `${current} of ${total}`
          call.progress = [label, figures].filter((text) => text !== "").join(" ")
        })
      case "ToolCallRetried":
        return this.change(envelope, event, (call) => {
          call.notes.push(`${event.reason}; attempt ${event.attempt} in ${duration(event.delayMillis)}`)
        })
      case "HookIntervened":
        return this.change(envelope, event, (call) => {
          call.notes.push(`Hook ${event.hook} ${event.action}: ${event.reason}`)
        })
      case "ReviewerFailed":
        return this.change(envelope, event, (call) => {
          call.notes.push(`The reviewer ${event.by} did not decide: ${event.reason}`)
        })
      case "FileChanged":
        return this.change(envelope, event, (call) => {
          const { change, diff, path } = event
          call.diffs.push({ path, change, text: diff?.text ?? "", omitted: diff?.omitted ?? 0 })
        })
      case "TodosChanged":
        this.todos.splice(0, this.todos.length, ...event.items)
        return
      case "ToolCallCompleted":
        return this.finish(envelope, event, event.failed === undefined ? "done" : "failed", event.failed?.reason)
      case "ToolCallFailed":
        return this.finish(
          envelope,
          event,
          event.error._tag === "ApprovalDenied" ? "denied" : "failed",
          event.error.message
        )
      case "ToolCallInterrupted":
        return this.finish(envelope, event, "interrupted", undefined)
      case "ToolCallOutcomeUnknown":
        return this.finish(envelope, event, "unknown", "The runtime died during the call: it may have run.")
      case "WorkerStarted": {
        const above = worker.slice(0, -1)
        const parent = this.find({ ...envelope, worker: above }, event.callId)
        if (parent === undefined) return
        parent.delegate = worker.at(-1)
        this.parents.set(placeOf(envelope), parent)
        return this.touch(parent)
      }
      case "ClientCallRequested": {
        if (event.tool !== "ask_user") return
        const { options = [], question = "" } = event.parameters as {
          readonly question?: string
          readonly options?: ReadonlyArray<string>
        }
        return this.add(envelope, {
          ...this.row(envelope),
          kind: "question",
          requestId: event.requestId,
          question,
          options,
          open: true
        })
      }
      default:
        return this.remark(envelope, event)
    }
  }

  /** The stream begins again with what is not stored: output that was shown comes anew. */
  reopen(): void {
    for (const call of this.calls.values()) if (call.state === "running") call.output = ""
  }

  private remark(envelope: Envelope, event: Event): void {
    switch (event._tag) {
      case "SessionImported":
        return this.note(envelope, `Imported from a file: ${many(event.messages, "message")}, as data`)
      case "SessionCleared":
        return this.note(envelope, "The model's context was cleared.")
      case "SessionCompacted":
        return this.note(envelope, "The model's context is now a summary.")
      case "SessionEnded":
        return this.note(envelope, "The session has ended.")
      case "MemoryKept":
        for (const { id, text } of event.memories) this.note(envelope, `Remembered (${id}): ${text}`)
        return
      case "BackgroundStarted":
        return this.note(envelope, `In the background: ${event.command}`)
      case "BackgroundEnded":
        return this.note(envelope, `${event.id} in the background: ${event.reason}`)
      case "BudgetAlerted":
        return this.note(
          envelope,
          `${event.percent} % of the budget of the ${event.scope} is spent: ${money(event.spent)} of ${money(event.limit)}`,
          event.percent < 90 ? "info" : "warning"
        )
      case "CommandRejected":
        return this.note(envelope, event.reason, "error")
      case "ErrorRaised":
        return this.note(envelope, event.message, "error")
      case "Notified":
        return this.note(envelope, `${event.title}: ${event.message}`, event.level === "success" ? "info" : event.level)
      case "ModelRouted":
        if (event.selected === event.requested) return
        return this.note(envelope, `${event.selected} answers instead of ${event.requested}: ${event.reason}`)
      default:
    }
  }

  private row({ seq, time }: Envelope, of = "") {
    this.nth = seq === this.last ? this.nth + 1 : 0
    this.last = seq
    return { key: `${seq}-${of}-${this.nth}`, seq, time, revision: 0 }
  }

  /** The rows of the worker of an event: those of the conversation, or those below the call that started it. */
  private listOf(envelope: Envelope): { readonly list: Array<Item>; readonly owner: Call | undefined } {
    const owner = (envelope.worker?.length ?? 0) > 1 ? this.parents.get(placeOf(envelope)) : undefined
    return owner === undefined ? { list: this.items, owner } : { list: owner.below, owner }
  }

  private add(envelope: Envelope, item: Item): void {
    const { list, owner } = this.listOf(envelope)
    list.push(item)
    if (owner === undefined) return
    this.above.set(item, owner)
    if (list.length > maxBelow) list.splice(0, list.length - maxBelow)
    this.touch(owner)
  }

  private touch(item: Item): void {
    for (let at: Item | undefined = item; at !== undefined; at = this.above.get(at)) at.revision++
  }

  private note(envelope: Envelope, text: string, level: "info" | "warning" | "error" = "info"): void {
    this.add(envelope, { ...this.row(envelope, "note"), kind: "note", level, text })
  }

  private write(envelope: Envelope, kind: Words["kind"], text: string, offset: number): void {
    const place = `${placeOf(envelope)} ${kind}`
    let open = this.open.get(place)
    if (open === undefined) {
      open = { ...this.row(envelope, kind), kind, text: "", open: true }
      this.open.set(place, open)
      this.add(envelope, open)
    }
    if (offset > open.text.length) return
    open.text = open.text.slice(0, offset) + text
    this.touch(open)
  }

  private settle(envelope: Envelope, kind: Words["kind"], text: string): void {
    const place = `${placeOf(envelope)} ${kind}`
    const open = this.open.get(place)
    this.open.delete(place)
    if (open !== undefined) {
      open.text = text
      open.open = false
      if (text === "") this.remove(envelope, open)
      return this.touch(open)
    }
    if (text !== "") this.add(envelope, { ...this.row(envelope, kind), kind, text, open: false })
  }

  private remove(envelope: Envelope, item: Item): void {
    const { list } = this.listOf(envelope)
    const at = list.lastIndexOf(item)
    if (at >= 0) list.splice(at, 1)
  }

  /** What a failed attempt had written counts no more. */
  private drop(envelope: Envelope): void {
    for (const kind of ["answer", "thought"] as const) {
      const place = `${placeOf(envelope)} ${kind}`
      const open = this.open.get(place)
      this.open.delete(place)
      if (open !== undefined) this.remove(envelope, open)
    }
    for (const [key, call] of this.calls) {
      if (call.state !== "asked" || !key.startsWith(`${placeOf(envelope)}#${envelope.iteration ?? 0}#`)) continue
      this.calls.delete(key)
      this.remove(envelope, call)
    }
  }

  private find(envelope: Envelope, callId: string): Call | undefined {
    const exact = this.calls.get(callKey(envelope, callId))
    if (exact !== undefined) return exact
    const place = `${placeOf(envelope)}#`
    for (const [key, call] of this.calls) if (call.callId === callId && key.startsWith(place)) return call
    return undefined
  }

  private call(envelope: Envelope, { callId, tool }: { readonly callId: string; readonly tool: string }): Call {
    const known = this.calls.get(callKey(envelope, callId))
    if (known !== undefined) return known
    const key = callKey(envelope, callId)
    const { seq, time, worker = [] } = envelope
    const made: Call = {
      key,
      seq,
      time,
      revision: 0,
      kind: "call",
      callId,
      tool,
      worker,
      arguments: "",
      state: "asked",
      request: undefined,
      output: "",
      result: undefined,
      problem: undefined,
      diffs: [],
      notes: [],
      progress: undefined,
      startedAt: undefined,
      durationMillis: undefined,
      below: [],
      delegate: undefined
    }
    this.calls.set(key, made)
    this.add(envelope, made)
    return made
  }

  private change(
    envelope: Envelope,
    of: { readonly callId: string; readonly tool: string },
    to: (call: Call) => void
  ): void {
    const call = this.call(envelope, of)
    to(call)
    this.touch(call)
  }

  private finish(
    envelope: Envelope,
    event: {
      readonly callId: string
      readonly tool: string
      readonly message: { readonly message: { readonly content: string | null } }
      readonly durationMillis?: number
    },
    state: CallState,
    problem: string | undefined
  ): void {
    for (const list of [this.listOf(envelope).list]) {
      for (const item of list)
        if (item.kind === "question" && item.open) {
          item.open = false
          item.revision++
        }
    }
    this.change(envelope, event, (call) => {
      call.state = call.state === "denied" ? "denied" : state
      call.problem = problem
      call.result = contentOf(event.message)
      call.output = ""
      call.progress = undefined
      call.durationMillis = event.durationMillis
    })
  }

  private end(envelope: Envelope, outcome: "completed" | "failed" | "interrupted", text: string): void {
    const { task = "" } = envelope
    this.tasks.delete(task)
    this.doing = undefined
    this.interrupting = false
    const prompt = this.prompts.get(task)
    if (prompt !== undefined) {
      prompt.state = "ended"
      this.touch(prompt)
    }
    for (const [place, open] of this.open) {
      if (!place.startsWith(`${task}/`)) continue
      this.open.delete(place)
      open.open = false
      this.touch(open)
    }
    this.add({ ...envelope, worker: [] }, { ...this.row(envelope, "end"), kind: "end", outcome, text })
  }
}

const outcomes = { granted: "Allowed", denied: "Denied", expired: "Expired", withdrawn: "Withdrawn" } as const
