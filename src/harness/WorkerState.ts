import { raiseBudget } from "../agent/budgetQuestion.ts"
import { needInputTool } from "../agent/NeedInput.ts"
import { isCallEnd } from "../gate/CallEvent.ts"
import type { Event } from "../runtime/Event.ts"
import { isAside, toText, type WorkerPath } from "../tool/WorkerPath.ts"
import { CallState, type Complain, type Known, type Of } from "./CallState.ts"

/** A worker of one task and what it may tell next. */
export class WorkerState {
  open = true
  iteration = 0
  phase: "idle" | "asked" | "answered" | "cut" = "idle"
  attempts = 0
  /** The last attempt that was charged. */
  charged = 0
  instructed = false
  /** Calls of the present iteration in the model's order. */
  calls: ReadonlyArray<CallState> = []
  readonly known = new Map<string, CallState>()
  readonly path: WorkerPath
  /** The call of the parent that started it; none for one that is not a sub-worker. */
  readonly parent: CallState | undefined

  constructor(path: WorkerPath, parent: CallState | undefined) {
    this.path = path
    this.parent = parent
  }
  call(iteration: number, id: string): CallState | undefined {
    return this.known.get(`${iteration} ${id}`)
  }
  add(iteration: number, call: CallState): void {
    this.known.set(`${iteration} ${call.id}`, call)
  }
  get waiting(): ReadonlyArray<CallState> {
    return [...this.known.values()].filter(({ ended }) => ended === undefined)
  }

  /** What it tells next; `below` are the open workers that a call has started. */
  read(
    event: Event,
    iteration: number,
    log: Known,
    below: (call: CallState) => ReadonlyArray<WorkerPath>,
    complain: Complain
  ): void {
    switch (event._tag) {
      case "ModelRequested":
        if (!isAside(this.path)) {
          if (this.phase !== "idle") complain(`iteration ${this.iteration} has not ended`)
          if (iteration !== this.iteration + 1) complain(`iteration ${iteration} follows ${this.iteration}`)
        } else if (this.phase === "asked" && this.charged === 0) complain("the request before it has not ended")
        if (this.parent !== undefined && !this.instructed) complain("before its task was recorded")
        Object.assign(this, { phase: "asked", iteration, attempts: 0, charged: 0, calls: [] })
        return
      case "ModelAttemptFailed":
        if (this.phase !== "asked" || iteration !== this.iteration) complain("no answer is awaited")
        if (event.attempt !== this.attempts + 1) complain(`attempt ${event.attempt} follows ${this.attempts}`)
        if (event.attempt <= this.charged) complain(`attempt ${event.attempt} was charged before`)
        this.attempts = event.attempt
        return
      case "ModelCharged":
        return this.charge(event, iteration, complain)
      case "ModelAnswered": {
        if (this.phase !== "asked" || iteration !== this.iteration) complain("no answer is awaited")
        const { message } = event.message
        const asked = message.role === "assistant" ? (message.tool_calls ?? []) : []
        this.calls = asked.map(({ function: { name }, id }) => new CallState(id, name))
        for (const call of this.calls) this.add(iteration, call)
        this.phase = "answered"
        return
      }
      case "ModelInterrupted":
        if (this.phase !== "asked" || iteration !== this.iteration) complain("no answer is awaited")
        this.phase = "cut"
        return
      case "IterationEnded":
        if (this.phase !== "answered" || iteration !== this.iteration) complain("before the answer")
        if (event.calls !== this.calls.length) complain(`has ${event.calls} calls, the answer ${this.calls.length}`)
        for (const { id } of this.waiting) complain(`${id} has no result`)
        this.phase = "idle"
        return
      case "SessionCompacted":
        if (this.calls.some(({ ended }) => ended === undefined)) complain("before the results of its calls")
        // The request was too long, and is made again with the summary.
        if (this.phase === "asked") Object.assign(this, { phase: "idle", iteration: this.iteration - 1 })
        return
      case "MessageRecorded":
        this.instructed ||= event.message.message.role === "user"
        return
      case "ToolCallRequested":
        return this.request(event, iteration, complain)
      case "TextDelta":
      case "ReasoningDelta":
      case "ArgumentsDelta":
      case "Notified":
      case "BudgetAlerted":
      case "BudgetRaised":
        return
      default: {
        // What the runtime asks by itself belongs to no call.
        if (event._tag === "ClientCallRequested" && event.tool === raiseBudget) return
        const callId =
          event._tag === "ApprovalRequested" ? event.request.callId : "callId" in event ? event.callId : undefined
        if (callId === undefined) return
        const call = this.call(iteration, callId)
        if (call === undefined) complain(`no one asked for ${callId}`)
        else if (isCallEnd(event)) call.end(event, log.epoch, below(call), complain)
        else {
          call.within(event, this.path, log, complain)
          if (event._tag === "ToolCallStarted" && call.ended === undefined) this.inOrder(call, complain)
        }
      }
    }
  }

  /** Each attempt is charged at most once: a failed one once it is known to have failed, an answer before it counts. */
  private charge({ attempt, outcome }: Of<"ModelCharged">, iteration: number, complain: Complain): void {
    const phase = outcome === "interrupted" ? "cut" : "asked"
    if (this.phase !== phase || iteration !== this.iteration) complain("no answer is awaited")
    const isLast = attempt === this.attempts + 1
    if (!isLast && !(outcome === "failed" && attempt === this.attempts)) complain(`no attempt ${attempt} was made`)
    if (attempt <= this.charged) complain(`attempt ${attempt} was charged before`)
    this.charged = attempt
  }

  private request(event: Of<"ToolCallRequested">, iteration: number, complain: Complain): void {
    const asked = this.call(iteration, event.callId)
    // A person runs tools of a sub-worker that has given its answer.
    const isOffered = this.parent !== undefined && this.phase === "idle"
    if (asked === undefined && this.iteration > 0 && !isOffered) complain(`the model has not asked for ${event.callId}`)
    const call = asked ?? new CallState(event.callId, event.tool)
    if (asked === undefined) this.add(iteration, call)
    if (call.requested) complain(`${call.id} was requested before`)
    if (call.ended !== undefined) complain(`${call.id} has ended`)
    if (call.tool !== event.tool) complain(`${call.id} is a call of ${call.tool}`)
    for (const { id, requested } of this.calls.slice(this.calls.indexOf(call) + 1)) {
      if (requested) complain(`${id} comes after ${call.id} in the answer`)
    }
    for (const other of this.waiting) {
      const overlaps = other.readOnly === true || (other.concurrent && other.tool === call.tool)
      if (other !== call && other.requested && !overlaps) complain(`${other.id} has not ended`)
      if (other !== call && other.requested) call.beside = [...call.beside, other]
    }
    call.requested = true
  }

  /** What a worker has told once it has a result, or may ask no more. */
  finished(task: { readonly recorded: boolean }, end: string, complain: Complain): void {
    if (isAside(this.path)) return
    if (this.phase === "asked" || this.phase === "cut") complain("before the answer")
    else if (this.phase === "answered") complain(`iteration ${this.iteration} has not ended`)
    if (end === "TaskFailed") return
    if (this.iteration === 0 && this.known.size > 0 && !task.recorded) complain("before the result was recorded")
    const asks = this.calls.some(({ ended, tool }) => tool === needInputTool && ended === "ToolCallCompleted")
    if (asks && this.parent !== undefined) return
    if (this.calls.length > 0) complain(`the last answer of ${toText(this.path)} asks for calls`)
  }

  /** A call waits for all before it that it may not run beside, and those behind wait for it. */
  private inOrder(call: CallState, complain: Complain): void {
    const index = this.calls.indexOf(call)
    for (const [at, other] of this.calls.entries()) {
      if (at < index && other.ended === undefined && !call.mayOverlap(other)) complain(`before the end of ${other.id}`)
      if (at > index && other.requested) complain(`behind ${other.id}`)
    }
  }
}
