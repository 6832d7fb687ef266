import { placeKey } from "../tool/CallPlace.ts"
import { root } from "../tool/WorkerPath.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { isTerminal, type Event } from "../runtime/Event.ts"
import type { Complain, Known } from "./CallState.ts"
import { TaskState } from "./TaskState.ts"

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
  private readonly log: Known = { epoch: 1, approvals: new Set(), requests: new Set() }
  private due: Due | undefined
  private running: TaskState | undefined
  private readonly tasks = new Map<string, TaskState>()
  private readonly messages = new Set<string>()
  private readonly answered = new Set<string>()

  /** Whether a log that begins in its middle may have told of the task before. */
  private taskOf(id: string): TaskState | undefined {
    const known = this.tasks.get(id)
    if (known !== undefined || !this.whole) return known
    return this.remember(new TaskState(id, this.log.epoch))
  }

  private remember(task: TaskState): TaskState {
    this.tasks.set(task.id, task)
    return task
  }

  read(envelope: Envelope): void {
    const { event, seq } = envelope
    const complain: Complain = (what) => this.found.push(`${seq} ${event._tag}: ${what}`)
    try {
      this.judge(envelope, complain)
    } catch {
      complain("is not what its type says")
    }
  }

  private judge(envelope: Envelope, complain: Complain): void {
    const { event, seq, task: id, transient } = envelope
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
      this.remember(this.tasks.get(id) ?? new TaskState(id, this.log.epoch))
      return
    }
    const known = this.tasks.has(id)
    const task = this.taskOf(id)
    if (task === undefined) return
    if (!known) complain(`${id} was not queued`)
    if (task.ended) return complain(`after the terminal event of ${id}`)
    if (task.epoch !== this.log.epoch && transient !== true && !closes(event)) complain(`the owner of ${id} has died`)
    if (envelope.worker === undefined) return this.ofTask(task, event, complain)
    if (isTerminal(event) || event._tag === "TaskStarted" || event._tag === "TaskCancelling")
      complain("is of no worker")
    else task.ofWorker(envelope, envelope.worker, this.log, complain)
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
    } else if (
      event._tag !== "SessionResumed" &&
      event._tag !== "SessionForked" &&
      (message !== due.message || placeKey(envelope) !== due.place)
    ) {
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
      if (this.whole && event.epoch <= this.log.epoch) complain(`epoch ${event.epoch} follows ${this.log.epoch}`)
      this.log.epoch = event.epoch
      const goesOn = event.goesOn === undefined ? undefined : this.tasks.get(event.goesOn.task)
      if (goesOn !== undefined) goesOn.goOn(event, complain)
      // Whichever does not go on is to be closed.
      for (const task of this.tasks.values()) task.suspended = false
      this.closed = false
    } else if (event._tag === "SessionForked") {
      // Whatever was open in the copy is to be ended; its owners were those of another session.
      for (const task of this.tasks.values()) {
        task.suspended = false
        task.cancelling = true
        task.epoch = 0
      }
      this.log.epoch = 0
      this.closed = false
    } else if (this.closed) complain("the session is closed")
    if (event._tag === "SessionSuspended" || event._tag === "SessionEnded") {
      this.closed = true
      const waits = event._tag === "SessionSuspended" ? event.waits : undefined
      const waiting = waits === undefined ? undefined : this.tasks.get(waits.task)
      if (waits !== undefined && waiting !== undefined) waiting.suspend(waits.approvals, complain)
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

  private ofTask(task: TaskState, event: Event, complain: Complain): void {
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
        return task.compact(event, root, complain)
      default:
        if (!isTerminal(event)) return
        task.end(event, this.log.epoch, complain)
        if (this.running === task) this.running = undefined
    }
  }
}
