import { isWorkerEnd } from "../agent/AgentEvent.ts"
import { isCallEnd } from "../gate/CallEvent.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import type { Event } from "../runtime/Event.ts"
import { compaction, isAside, isBelow, parentOf, toText, type WorkerPath } from "../tool/WorkerPath.ts"
import { CallState, type Complain, type Known, type Of } from "./CallState.ts"
import { WorkerState } from "./WorkerState.ts"

const sameOf = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  some.length === others.length && some.every((one) => others.includes(one))

/** One task from its `TaskQueued` to its terminal event. */
export class TaskState {
  /** The owner of the session who may go on with it. */
  epoch: number
  started = false
  ended = false
  /** It waits for a decision, and for the next owner of its session. */
  suspended = false
  cancelling = false
  recorded = false
  readonly workers = new Map<string, WorkerState>()
  readonly id: string

  constructor(id: string, epoch: number) {
    this.id = id
    this.epoch = epoch
  }
  /** The open requests. */
  get requests(): ReadonlyArray<string> {
    return [...this.workers.values()].flatMap(({ waiting }) => waiting).flatMap(({ approval }) => approval ?? [])
  }
  below(path: WorkerPath): ReadonlyArray<WorkerState> {
    return [...this.workers.values()].filter((worker) => worker.open && isBelow(worker.path, path))
  }

  /** Only a task that waits for decisions outlives its runtime. */
  suspend(approvals: ReadonlyArray<string>, complain: Complain): void {
    if (this.ended) complain(`${this.id} has ended`)
    if (this.cancelling) complain(`${this.id} was cancelled`)
    if (approvals.length === 0) complain(`${this.id} waits for nothing`)
    if (!sameOf(approvals, this.requests)) complain(`${this.id} waits for ${this.requests.join(" ")}`)
    this.suspended = true
  }

  goOn({ epoch, goesOn }: Of<"SessionResumed">, complain: Complain): void {
    if (this.ended) complain(`${this.id} has ended`)
    if (this.cancelling) complain(`${this.id} was cancelled`)
    for (const { id } of goesOn?.approvals ?? []) if (!this.requests.includes(id)) complain(`${id} is not open`)
    this.epoch = epoch
  }

  end(event: Of<"TaskCompleted" | "TaskFailed" | "TaskInterrupted">, epoch: number, complain: Complain): void {
    if (event._tag === "TaskInterrupted" && event.by === "user" && !this.cancelling) complain("no one cancelled it")
    if (event._tag === "TaskFailed" && event.kind === "crash" && epoch === this.epoch) complain("its owner lives")
    if (event._tag === "TaskCompleted" && !this.started) complain(`before the start of ${this.id}`)
    for (const worker of this.workers.values()) {
      if (worker.parent !== undefined && worker.open) complain(`the worker ${toText(worker.path)} has not ended`)
      for (const { id } of worker.waiting) complain(`${id} of ${toText(worker.path)} has no result`)
      const goesOn = event._tag === "TaskCompleted" || (event._tag === "TaskFailed" && event.kind === "limit")
      if (goesOn && worker.parent === undefined) worker.finished(this, event._tag, complain)
    }
    this.ended = true
  }

  /** What one of its workers tells. */
  ofWorker({ event, iteration = 0 }: Envelope, path: WorkerPath, log: Known, complain: Complain): void {
    const worker = this.workers.get(toText(path))
    if (!this.started) complain(`before the start of ${this.id}`)
    if (event._tag === "WorkerStarted") return this.startWorker(event, path, complain)
    if (worker === undefined && (path.length === 1 || isAside(path))) {
      const own = new WorkerState(path, undefined)
      this.workers.set(toText(path), own)
      return this.inside(own, event, iteration, log, complain)
    }
    if (worker === undefined || !worker.open) return complain(`the worker ${toText(path)} has not started or has ended`)
    this.inside(worker, event, iteration, log, complain)
  }

  /** A summary of a model has been answered by then. */
  compact({ edited = false }: Of<"SessionCompacted">, path: WorkerPath, complain: Complain): void {
    if (!edited && this.workers.get(toText(compaction(path)))?.phase !== "answered") complain("before the summary")
  }

  private startWorker(event: Of<"WorkerStarted">, path: WorkerPath, complain: Complain): void {
    if (this.workers.has(toText(path))) complain(`${toText(path)} had started before`)
    const above = this.workers.get(toText(parentOf(path)))
    const parent = above?.call(above.iteration, event.callId) ?? above?.waiting.find(({ id }) => id === event.callId)
    if (parent === undefined || !parent.started || parent.ended !== undefined)
      complain(`${event.callId} is not running`)
    if (event.depth !== path.length - 1) complain(`depth ${event.depth} is not that of ${toText(path)}`)
    this.workers.set(toText(path), new WorkerState(path, parent ?? new CallState(event.callId, "")))
  }

  private endWorker(worker: WorkerState, event: Event, complain: Complain): void {
    if (worker.parent === undefined) return complain(`${toText(worker.path)} is no sub-worker`)
    for (const { path } of this.below(worker.path)) complain(`the worker ${toText(path)} has not ended`)
    for (const { id } of worker.waiting) complain(`${id} has no result`)
    if (event._tag === "WorkerCompleted") worker.finished(this, event._tag, complain)
    worker.open = false
  }

  private inside(worker: WorkerState, event: Event, iteration: number, log: Known, complain: Complain): void {
    if (isWorkerEnd(event)) return this.endWorker(worker, event, complain)
    if (event._tag === "MessageRecorded") this.recorded ||= event.message.message.role === "system"
    if (event._tag === "SessionCompacted") this.compact(event, worker.path, complain)
    if (isCallEnd(event) && worker.iteration === 0) {
      const call = worker.call(iteration, event.callId)
      if (call !== undefined && call.ended === undefined) this.recorded = false
    }
    const below = (call: CallState) =>
      [...this.workers.values()].flatMap(({ open, parent, path }) => (open && parent === call ? [path] : []))
    worker.read(event, iteration, log, below, complain)
  }
}
