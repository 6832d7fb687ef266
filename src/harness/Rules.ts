import { isCallEnd } from "../gate/CallEvent.ts"
import { placeKey } from "../tool/CallPlace.ts"
import { isBelow, isSame, parentOf, toText, type WorkerPath } from "../tool/WorkerPath.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { isTerminal, type Event } from "../runtime/Event.ts"

type Complain = (what: string) => void
type Of<Tag extends Event["_tag"]> = Extract<Event, { readonly _tag: Tag }>
type CallEnd = Of<"ToolCallCompleted" | "ToolCallFailed" | "ToolCallInterrupted" | "ToolCallOutcomeUnknown">

const sameOf = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  some.length === others.length && some.every((one) => others.includes(one))

/** A withdrawn request is ignored if its task was replaced or no longer asks. */
const replaced: ReadonlySet<string> = new Set(["change", "restart"])

/** One call, by its place: an id of a model comes again in other iterations and workers. */
class Call {
  requested = false
  readOnly: boolean | undefined
  /** The owner of the session when it started. */
  epoch = 0
  ended: CallEnd["_tag"] | undefined
  approval: string | undefined
  refused = false
  /** Others had not ended when it was requested. */
  beside = false
  answered = false
  crashed = false
  unreviewed = false
  attempts = 1
  stragglers = 0
  readonly id: string
  readonly tool: string

  constructor(id: string, tool: string) {
    this.id = id
    this.tool = tool
  }
  get started(): boolean {
    return this.readOnly !== undefined
  }
}

/** A worker of one task and what it may tell next. */
class Worker {
  open = true
  iteration = 0
  phase: "idle" | "asked" | "answered" | "cut" = "idle"
  attempts = 0
  instructed = false
  /** Calls of the present iteration in the model's order. */
  calls: ReadonlyArray<Call> = []
  readonly known = new Map<string, Call>()
  readonly path: WorkerPath
  /** The call of the parent that started it; none for one that is not a sub-worker. */
  readonly parent: Call | undefined

  constructor(path: WorkerPath, parent: Call | undefined) {
    this.path = path
    this.parent = parent
  }
  call(iteration: number, id: string): Call | undefined {
    return this.known.get(`${iteration} ${id}`)
  }
  add(iteration: number, call: Call): void {
    this.known.set(`${iteration} ${call.id}`, call)
  }
  get waiting(): ReadonlyArray<Call> {
    return [...this.known.values()].filter(({ ended }) => ended === undefined)
  }
}

/** One task from its `TaskQueued` to its terminal event. */
class Task {
  /** The owner of the session who may go on with it. */
  epoch: number
  started = false
  ended = false
  /** It waits for a decision, and for the next owner of its session. */
  suspended = false
  cancelling = false
  compacted = false
  recorded = false
  readonly workers = new Map<string, Worker>()
  readonly id: string

  constructor(id: string, epoch: number) {
    this.id = id
    this.epoch = epoch
  }
  /** The open requests. */
  get requests(): ReadonlyArray<string> {
    return [...this.workers.values()].flatMap(({ waiting }) => waiting).flatMap(({ approval }) => approval ?? [])
  }
  below(path: WorkerPath): ReadonlyArray<Worker> {
    return [...this.workers.values()].filter((worker) => worker.open && isBelow(worker.path, path))
  }
}

/** What has to come next and at the same place: the message by which an approval enters the conversation. */
interface Due {
  readonly message: string
  readonly place: string
}

/** What a new owner says of what a dead one left open. */
const closes = (event: Event): boolean =>
  event._tag === "ToolCallInterrupted" ||
  event._tag === "ToolCallOutcomeUnknown" ||
  event._tag === "MessageRecorded" ||
  event._tag === "WorkerInterrupted" ||
  (event._tag === "ApprovalResolved" && event.outcome === "withdrawn") ||
  (event._tag === "TaskFailed" && event.kind === "crash")

/** Ids of the messages that an approval leaves in the conversation. */
const ofApproval = /^(?:request|answer)_/

/** Reads a log event by event and says what breaks a rule of docs/events.md. */
export class Rules {
  readonly found: Array<string> = []
  private last: number | undefined
  private whole = false
  private closed = false
  private epoch = 1
  private due: Due | undefined
  private running: Task | undefined
  private readonly tasks = new Map<string, Task>()
  private readonly messages = new Set<string>()
  private readonly approvals = new Set<string>()
  private readonly requests = new Set<string>()
  private readonly answered = new Set<string>()

  /** Whether a log that begins in its middle may have told of the task before. */
  private taskOf(id: string): Task | undefined {
    const known = this.tasks.get(id)
    if (known !== undefined || !this.whole) return known
    return this.remember(new Task(id, this.epoch))
  }

  private remember(task: Task): Task {
    this.tasks.set(task.id, task)
    return task
  }

  read(envelope: Envelope): void {
    const { event, seq, task: id, transient } = envelope
    const complain: Complain = (what) => this.found.push(`${seq} ${event._tag}: ${what}`)
    if (transient === true) {
      if (this.last !== undefined && seq > this.last) complain(`follows ${seq}, which has not come yet`)
    } else {
      this.durable(envelope, complain)
      this.answer(event, complain)
      this.session(event, complain)
    }
    if (id === undefined) return
    if (event._tag === "TaskQueued") {
      if (this.tasks.has(id)) complain(`${id} was queued before`)
      this.remember(this.tasks.get(id) ?? new Task(id, this.epoch))
      return
    }
    const known = this.tasks.has(id)
    const task = this.taskOf(id)
    if (task === undefined) return
    if (!known) complain(`${id} was not queued`)
    if (task.ended) return complain(`after the terminal event of ${id}`)
    if (task.epoch !== this.epoch && transient !== true && !closes(event)) complain(`the owner of ${id} has died`)
    if (envelope.worker === undefined) this.ofTask(task, event, complain)
    else this.ofWorker(task, envelope, envelope.worker, complain)
  }

  /** What is still open at the end of the log. */
  end(): ReadonlyArray<string> {
    for (const { ended, id, suspended } of this.tasks.values()) {
      if (!ended && !suspended) this.found.push(`${id} has no terminal event`)
    }
    return this.found
  }

  private durable(envelope: Envelope, complain: Complain): void {
    const { event, seq } = envelope
    if (this.last === undefined) this.whole = seq === 1
    else if (seq !== this.last + 1) complain(`follows ${this.last}`)
    this.last = seq
    if ((seq === 1) !== (event._tag === "SessionCreated")) complain("a session begins with SessionCreated, once")
    const { due } = this
    this.due = undefined
    const message = event._tag === "MessageRecorded" ? event.message.id : undefined
    if (due === undefined) {
      if (message !== undefined && ofApproval.test(message)) complain(`${message} does not follow its approval`)
    } else if (event._tag !== "SessionResumed" && (message !== due.message || placeKey(envelope) !== due.place)) {
      complain(`${due.message} has to come first`)
    }
    if (event._tag === "ApprovalRequested") {
      this.due = { message: `request_${event.request.id}`, place: placeKey(envelope) }
    } else if (event._tag === "ApprovalResolved") {
      this.due = { message: `answer_${event.approvalId}`, place: placeKey(envelope) }
    }
    const told =
      event._tag === "ModelAnswered" ||
      event._tag === "MessageRecorded" ||
      event._tag === "TaskStarted" ||
      event._tag === "SessionCompacted"
        ? event.message?.id
        : undefined
    if (told === undefined) return
    if (this.messages.has(told)) complain(`the message ${told} came before`)
    this.messages.add(told)
  }

  private session(event: Event, complain: Complain): void {
    if (event._tag === "SessionResumed") {
      if (this.whole && event.epoch <= this.epoch) complain(`epoch ${event.epoch} follows ${this.epoch}`)
      this.epoch = event.epoch
      const goesOn = event.goesOn === undefined ? undefined : this.tasks.get(event.goesOn.task)
      if (goesOn !== undefined) this.goOn(goesOn, event, complain)
      // Whichever does not go on is to be closed.
      for (const task of this.tasks.values()) task.suspended = false
      this.closed = false
    } else if (this.closed) complain("the session is closed")
    if (event._tag === "SessionSuspended" || event._tag === "SessionEnded") {
      this.closed = true
      const waits = event._tag === "SessionSuspended" ? event.waits : undefined
      const waiting = waits === undefined ? undefined : this.tasks.get(waits.task)
      if (waits !== undefined && waiting !== undefined) this.suspend(waiting, waits.approvals, complain)
      for (const { ended, id, suspended } of this.tasks.values()) {
        if (!ended && !suspended) complain(`${id} has no terminal event`)
      }
    }
  }

  /** A command is answered once, however often it is sent. */
  private answer(event: Event, complain: Complain): void {
    const id = "commandId" in event ? event.commandId : undefined
    if (id === undefined) return
    if (this.answered.has(id)) complain(`the command ${id} was answered before`)
    this.answered.add(id)
  }

  /** Only a task that waits for decisions outlives its runtime. */
  private suspend(task: Task, approvals: ReadonlyArray<string>, complain: Complain): void {
    if (task.ended) complain(`${task.id} has ended`)
    if (task.cancelling) complain(`${task.id} was cancelled`)
    if (approvals.length === 0) complain(`${task.id} waits for nothing`)
    if (!sameOf(approvals, task.requests)) complain(`${task.id} waits for ${task.requests.join(" ")}`)
    task.suspended = true
  }

  private goOn(task: Task, { epoch, goesOn }: Of<"SessionResumed">, complain: Complain): void {
    if (task.ended) complain(`${task.id} has ended`)
    if (task.cancelling) complain(`${task.id} was cancelled`)
    for (const { id } of goesOn?.approvals ?? []) if (!task.requests.includes(id)) complain(`${id} is not open`)
    task.epoch = epoch
  }

  private ofTask(task: Task, event: Event, complain: Complain): void {
    switch (event._tag) {
      case "TaskStarted":
        if (task.started) complain(`${task.id} had started before`)
        if (this.running !== undefined) complain(`${this.running.id} has not ended`)
        task.started = true
        this.running = task
        return
      case "TaskCancelling":
        task.cancelling = true
        return
      case "SessionCompacted":
        if (!task.started) complain(`before the start of ${task.id}`)
        if (![...task.workers.values()].some(({ phase }) => phase === "answered")) complain("before the summary")
        task.compacted = true
        return
      default:
        if (isTerminal(event)) this.endTask(task, event, complain)
    }
  }

  private endTask(task: Task, event: Of<"TaskCompleted" | "TaskFailed" | "TaskInterrupted">, complain: Complain): void {
    if (event._tag === "TaskInterrupted" && event.by === "user" && !task.cancelling) complain("no one cancelled it")
    if (event._tag === "TaskFailed" && event.kind === "crash" && this.epoch === task.epoch) complain("its owner lives")
    if (event._tag === "TaskCompleted" && !task.started) complain(`before the start of ${task.id}`)
    for (const worker of task.workers.values()) {
      if (worker.parent !== undefined && worker.open) complain(`the worker ${toText(worker.path)} has not ended`)
      for (const { id } of worker.waiting) complain(`${id} of ${toText(worker.path)} has no result`)
      const goesOn = event._tag === "TaskCompleted" || (event._tag === "TaskFailed" && event.kind === "limit")
      if (goesOn && worker.parent === undefined) this.finished(task, worker, event._tag, complain)
    }
    task.ended = true
    if (this.running === task) this.running = undefined
  }

  /** What a worker has told once it has a result, or may ask no more. */
  private finished(task: Task, worker: Worker, end: string, complain: Complain): void {
    if (worker.phase === "asked" || worker.phase === "cut") complain("before the answer")
    else if (worker.phase === "answered" && !task.compacted) complain(`iteration ${worker.iteration} has not ended`)
    if (end === "TaskFailed") return
    if (worker.iteration === 0 && worker.known.size > 0 && !task.recorded) complain("before the result was recorded")
    if (worker.calls.length > 0) complain(`the last answer of ${toText(worker.path)} asks for calls`)
  }

  private ofWorker(task: Task, { event, iteration = 0 }: Envelope, path: WorkerPath, complain: Complain): void {
    const worker = task.workers.get(toText(path))
    if (!task.started) complain(`before the start of ${task.id}`)
    if (event._tag === "WorkerStarted") return this.startWorker(task, event, path, complain)
    if (worker === undefined && path.length === 1) {
      const own = new Worker(path, undefined)
      task.workers.set(toText(path), own)
      return this.inside(task, own, event, iteration, complain)
    }
    if (worker === undefined || !worker.open) return complain(`the worker ${toText(path)} has not started or has ended`)
    this.inside(task, worker, event, iteration, complain)
  }

  private startWorker(task: Task, event: Of<"WorkerStarted">, path: WorkerPath, complain: Complain): void {
    if (task.workers.has(toText(path))) complain(`${toText(path)} had started before`)
    const above = task.workers.get(toText(parentOf(path)))
    const parent = above?.call(above.iteration, event.callId) ?? above?.waiting.find(({ id }) => id === event.callId)
    if (parent === undefined || !parent.started || parent.ended !== undefined)
      complain(`${event.callId} is not running`)
    if (event.depth !== path.length - 1) complain(`depth ${event.depth} is not that of ${toText(path)}`)
    task.workers.set(toText(path), new Worker(path, parent ?? new Call(event.callId, "")))
  }

  private endWorker(task: Task, worker: Worker, event: Event, complain: Complain): void {
    if (worker.parent === undefined) return complain(`${toText(worker.path)} is no sub-worker`)
    for (const { path } of task.below(worker.path)) complain(`the worker ${toText(path)} has not ended`)
    for (const { id } of worker.waiting) complain(`${id} has no result`)
    if (event._tag === "WorkerCompleted") this.finished(task, worker, event._tag, complain)
    worker.open = false
  }

  private inside(task: Task, worker: Worker, event: Event, iteration: number, complain: Complain): void {
    switch (event._tag) {
      case "WorkerCompleted":
      case "WorkerFailed":
      case "WorkerInterrupted":
        return this.endWorker(task, worker, event, complain)
      case "ModelRequested":
        if (worker.phase !== "idle") complain(`iteration ${worker.iteration} has not ended`)
        if (iteration !== worker.iteration + 1) complain(`iteration ${iteration} follows ${worker.iteration}`)
        if (worker.parent !== undefined && !worker.instructed) complain("before its task was recorded")
        Object.assign(worker, { phase: "asked", iteration, attempts: 0, calls: [] })
        return
      case "ModelAttemptFailed":
        if (worker.phase !== "asked" || iteration !== worker.iteration) complain("no answer is awaited")
        if (event.attempt !== worker.attempts + 1) complain(`attempt ${event.attempt} follows ${worker.attempts}`)
        worker.attempts = event.attempt
        return
      case "ModelAnswered": {
        if (worker.phase !== "asked" || iteration !== worker.iteration) complain("no answer is awaited")
        const { message } = event.message
        const asked = message.role === "assistant" ? (message.tool_calls ?? []) : []
        worker.calls = asked.map(({ function: { name }, id }) => new Call(id, name))
        for (const call of worker.calls) worker.add(iteration, call)
        worker.phase = "answered"
        return
      }
      case "ModelInterrupted":
        if (worker.phase !== "asked" || iteration !== worker.iteration) complain("no answer is awaited")
        worker.phase = "cut"
        return
      case "IterationEnded":
        if (worker.phase !== "answered" || iteration !== worker.iteration) complain("before the answer")
        if (event.calls !== worker.calls.length) complain(`has ${event.calls} calls, the answer ${worker.calls.length}`)
        for (const { id } of worker.waiting) complain(`${id} has no result`)
        worker.phase = "idle"
        return
      case "MessageRecorded":
        task.recorded ||= event.message.message.role === "system"
        worker.instructed ||= event.message.message.role === "user"
        return
      case "ToolCallRequested":
        return this.request(worker, event, iteration, complain)
      case "TextDelta":
      case "ReasoningDelta":
      case "ArgumentsDelta":
      case "Notified":
        return
      default: {
        const callId =
          event._tag === "ApprovalRequested" ? event.request.callId : "callId" in event ? event.callId : undefined
        if (callId === undefined) return
        const call = worker.call(iteration, callId)
        if (call === undefined) complain(`no one asked for ${callId}`)
        else if (isCallEnd(event)) this.endCall(task, worker, call, event, complain)
        else this.within(worker, call, event, complain)
      }
    }
  }

  private request(worker: Worker, event: Of<"ToolCallRequested">, iteration: number, complain: Complain): void {
    const asked = worker.call(iteration, event.callId)
    if (asked === undefined && worker.iteration > 0) complain(`the model has not asked for ${event.callId}`)
    const call = asked ?? new Call(event.callId, event.tool)
    if (asked === undefined) worker.add(iteration, call)
    if (call.requested) complain(`${call.id} was requested before`)
    if (call.ended !== undefined) complain(`${call.id} has ended`)
    if (call.tool !== event.tool) complain(`${call.id} is a call of ${call.tool}`)
    for (const { id, requested } of worker.calls.slice(worker.calls.indexOf(call) + 1)) {
      if (requested) complain(`${id} comes after ${call.id} in the answer`)
    }
    for (const other of worker.waiting) {
      if (other !== call && other.requested && other.readOnly !== true) complain(`${other.id} has not ended`)
      if (other !== call && other.requested) call.beside = true
    }
    call.requested = true
  }

  private endCall(task: Task, worker: Worker, call: Call, event: CallEnd, complain: Complain): void {
    const { id } = call
    if (call.ended !== undefined) return complain(`${id} had ended before`)
    const { message } = event.message
    if (message.role !== "tool" || message.tool_call_id !== id) complain(`has no result for ${id}`)
    if (call.tool !== event.tool) complain(`${id} is a call of ${call.tool}`)
    if (call.approval !== undefined) complain(`before the decision on ${id}`)
    for (const { open, parent, path } of task.workers.values()) {
      if (open && parent === call) complain(`before the end of its worker ${toText(path)}`)
    }
    if (event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed") {
      if (!call.requested) complain(`${id} was not requested`)
    }
    if (event._tag === "ToolCallCompleted") {
      if (!call.started && !call.answered) complain(`${id} has not started`)
      if (call.crashed) complain(`${id} has crashed`)
    }
    if (event._tag === "ToolCallOutcomeUnknown" && (call.readOnly !== false || call.epoch === this.epoch)) {
      complain(`${id} was not running when its owner died`)
    }
    call.ended = event._tag
    if (worker.iteration === 0) task.recorded = false
  }

  private within(worker: Worker, call: Call, event: Event, complain: Complain): void {
    const { id } = call
    if (!call.requested) complain(`${id} was not requested`)
    switch (event._tag) {
      case "ToolStragglerEnded":
        if (!call.started) complain(`${id} has not started`)
        if (++call.stragglers > call.attempts) complain(`${id} had ended before`)
        return
      case "FileChanged":
      case "ToolOutput":
      case "ToolProgressed":
        if (!call.started && event._tag === "FileChanged") complain(`${id} has not started`)
        // One that was given up on may go on for a while.
        if (call.ended === "ToolCallCompleted" && event._tag === "FileChanged") complain(`${id} has ended`)
        return
      default:
    }
    if (call.ended !== undefined) return complain(`${id} has ended`)
    switch (event._tag) {
      case "ApprovalRequested": {
        const { request } = event
        if (this.approvals.has(request.id)) complain(`${request.id} was requested before`)
        if (call.approval !== undefined) complain(`${call.approval} is open`)
        if (call.started) complain(`${id} has started`)
        if (request.tool !== call.tool || !isSame(request.workerPath, worker.path)) complain("is that of another call")
        this.approvals.add(request.id)
        this.requests.add(request.id)
        call.approval = request.id
        return
      }
      case "ApprovalMoved":
        if (call.approval !== event.approvalId) complain(`${event.approvalId} is not open`)
        return
      case "ApprovalResolved":
        if (call.approval !== event.approvalId) complain(`${event.approvalId} is not open`)
        call.approval = undefined
        call.refused = event.outcome !== "granted" && !(event.outcome === "withdrawn" && replaced.has(event.by))
        return
      case "ToolCallStarted":
        // What only reads may be read again by the next owner.
        if (call.started && (call.readOnly === false || call.epoch === this.epoch)) complain(`${id} had started before`)
        if (call.approval !== undefined) complain(`before the decision on ${id}`)
        if (call.refused) complain(`${id} was refused`)
        if (call.beside && !event.readOnly) complain(`${id} has not waited for the calls before it`)
        this.inOrder(worker, call, event.readOnly, complain)
        call.readOnly = event.readOnly
        call.epoch = this.epoch
        return
      case "ClientCallRequested":
        if (!call.started) complain(`${id} has not started`)
        if (this.requests.has(event.requestId)) complain(`${event.requestId} was requested before`)
        this.requests.add(event.requestId)
        return
      case "ToolCallRetried":
        if (!call.started) complain(`${id} has not started`)
        if (event.attempt !== call.attempts + 1) complain(`attempt ${event.attempt} follows ${call.attempts}`)
        call.attempts = event.attempt
        return
      case "ToolDefectCaught":
        if (call.crashed) complain(`${id} had crashed before`)
        call.crashed = true
        return
      case "ReviewerFailed":
        if (call.unreviewed) complain(`${id} was reported before`)
        if (call.started) complain(`${id} has started`)
        call.unreviewed = true
        return
      case "HookIntervened":
        call.answered ||= event.action === "answered"
        return
      default:
    }
  }

  /** A call that is not read-only waits for all before it, and all behind wait for it. */
  private inOrder(worker: Worker, call: Call, readOnly: boolean, complain: Complain): void {
    const index = worker.calls.indexOf(call)
    for (const [other, { ended, id, requested, started, readOnly: reads }] of worker.calls.entries()) {
      if (other < index && ended === undefined && !(readOnly && started && reads === true))
        complain(`before the end of ${id}`)
      if (other > index && requested) complain(`behind ${id}`)
    }
  }
}
