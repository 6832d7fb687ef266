import * as Effect from "effect/Effect"
import { type AgentEvent, IterationEnded, isWorkerEnd, type ModelAnswered } from "../agent/AgentEvent.ts"
import { withdrawal } from "../agent/approvalMessage.ts"
import { lastMessages } from "../agent/lastMessages.ts"
import { runCalls } from "../agent/runCalls.ts"
import { Tools } from "../agent/Tools.ts"
import { TaskStopped, type WorkerError, type WorkerOutcome } from "../agent/Worker.ts"
import type { WorkerSink } from "../agent/WorkerSink.ts"
import { Approvals } from "../approval/Approvals.ts"
import type { FunctionCall } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { monotonicMillis } from "../middleware/monotonic.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Usage } from "../model/ModelPart.ts"
import { Models, type ProfileError } from "../model/Models.ts"
import { openModel } from "../model/openModel.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { type ToolEvent, trusted } from "../tool/ToolEvent.ts"
import type { Envelope, Place } from "./Envelope.ts"
import type { EventLog } from "./EventLog.ts"
import * as ManualCall from "./ManualCall.ts"
import * as RootWorker from "./RootWorker.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import type { SessionStore, Unfinished } from "./SessionStore.ts"
import type { TaskSink } from "./TaskSink.ts"

/** A task that died while calls of its root worker waited for decisions, and that can go on once they come. */
export interface Continuation {
  readonly task: string
  readonly iteration: number
  /** Calls of the last answer that have no result and were never started, in the model's order. */
  readonly calls: ReadonlyArray<FunctionCall>
  /** Those of them that have been requested. */
  readonly requested: ReadonlySet<string>
  /** The answer that asked for them; none where a person did. */
  readonly answered: ModelAnswered | undefined
  /** What the task has used so far. */
  readonly used: Usage
  readonly requests: ReadonlyArray<ApprovalRequest>
  /** The sub-workers that it has had. */
  readonly workers: ReadonlyArray<SubWorker>
}

/** A sub-worker of a task. */
interface SubWorker {
  readonly task: string
  readonly path: ReadonlyArray<string>
}

/** What was found in the log of a dead owner. */
export interface Found {
  readonly continuation: Continuation | undefined
  /** Sub-workers that have not ended. */
  readonly workers: ReadonlyArray<SubWorker>
  /** Requests that nobody asks any more and where they were asked. */
  readonly withdrawn: ReadonlyArray<{ readonly events: ReturnType<typeof withdrawn>; readonly place: Place }>
  /** The store without what goes on, so that nobody closes it. */
  readonly store: SessionStore["Type"]
}

/** Nothing was left open. */
export const none = { continuation: undefined, workers: [], withdrawn: [] } as const

interface Asked {
  readonly request: ApprovalRequest
  readonly place: Place
}

/** What tells which requests and sub-workers of a task are open. */
const opening = [
  "ApprovalRequested",
  "ApprovalResolved",
  "TaskCancelling",
  "WorkerStarted",
  "WorkerCompleted",
  "WorkerFailed",
  "WorkerInterrupted"
] as const

/** What is to be known of unfinished tasks, in order: all else of them may be long and is not read. */
const eventsOf = (log: EventLog, store: SessionStore["Type"], tasks: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { session } = log.lease
    const events = yield* store.ofTasks(session, { tasks, tags: opening })
    const asked = events.findLast(({ event, worker }) => event._tag === "ApprovalRequested" && worker?.length === 1)
    if (asked?.iteration === undefined) return events
    const { iteration } = asked
    const answers = yield* store.ofTasks(session, { tasks, tags: ["ModelAnswered", "ToolCallRequested"], iteration })
    return [...events, ...answers].toSorted((a, b) => a.seq - b.seq)
  })

/** The end of a request that nobody asks any more. */
const withdrawn = ({ callId, id: approvalId, tool }: ApprovalRequest) =>
  withdrawal({ callId, tool, approvalId }, "restart")

const keyOf = (callId: string, { iteration, task, worker }: Place): string =>
  JSON.stringify([task, iteration, worker, callId])

/** The sub-workers that have started, by their places, and whether they have not ended. */
const workersOf = (events: ReadonlyArray<Envelope>) => {
  const found = new Map<string, SubWorker & { readonly open: boolean }>()
  for (const { event, task = "", worker: path = [] } of events) {
    const open = event._tag === "WorkerStarted"
    if (!open && !isWorkerEnd(event)) continue
    found.set(JSON.stringify([task, path]), { task, path, open })
  }
  return [...found.values()]
}

const callsOf = ({ message: { message } }: ModelAnswered): ReadonlyArray<FunctionCall> =>
  message.role === "assistant" ? (message.tool_calls ?? []) : []

/** The calls of a task that no model has asked for. */
const manual = (events: ReadonlyArray<Envelope>): ReadonlyArray<FunctionCall> =>
  events.flatMap(({ event, worker }) =>
    event._tag === "ToolCallRequested" && worker?.length === 1
      ? [{ id: event.callId, type: "function" as const, function: { name: event.tool, arguments: event.arguments } }]
      : []
  )

/** The task whose calls wait, as far as its events tell. */
const continuationOf = (
  events: ReadonlyArray<Envelope>,
  unfinished: Unfinished,
  open: ReadonlyMap<string, Asked>
): Omit<Continuation, "used"> | undefined => {
  const waiting = [...open.values()].filter(({ place }) => place.worker?.length === 1)
  const task = waiting[0]?.place.task
  if (task === undefined || !unfinished.tasks.includes(task)) return undefined
  if (events.some(({ event, task: of }) => of === task && event._tag === "TaskCancelling")) return undefined
  const answered = events.findLast(
    ({ event, task: of, worker }) => of === task && worker?.length === 1 && event._tag === "ModelAnswered"
  )
  const answer = answered?.event._tag === "ModelAnswered" ? answered.event : undefined
  const { iteration = ManualCall.iteration } = answered ?? {}
  const requests = waiting.filter(({ place }) => place.task === task && place.iteration === iteration)
  const unanswered = new Set(
    unfinished.calls
      .filter((call) => call.task === task && call.iteration === iteration && call.worker.length === 1)
      .filter((call) => !call.mayHaveHappened)
      .map(({ callId }) => callId)
  )
  // Whatever was decided and not started stays undone: its decision was for a process that is gone. One that is asked again,
  // for what it showed has changed, waits.
  const asksNow = new Set(requests.map(({ request }) => request.callId))
  for (const { event, iteration: at, task: of, worker } of events) {
    if (of === task && at === iteration && worker?.length === 1 && event._tag === "ApprovalResolved") {
      if (!asksNow.has(event.callId)) unanswered.delete(event.callId)
    }
  }
  const asked = answer === undefined ? manual(events.filter((envelope) => envelope.task === task)) : callsOf(answer)
  const calls = asked.filter(({ id }) => unanswered.has(id))
  const waits = requests.filter(({ request }) => unanswered.has(request.callId))
  if (waits.length === 0) return undefined
  const workers = workersOf(events).filter((worker) => worker.task === task)
  const ofTask = events.filter((envelope) => envelope.task === task)
  const requested = new Set(
    ofTask.flatMap(({ event, iteration: at, worker }) =>
      event._tag === "ToolCallRequested" && at === iteration && worker?.length === 1 ? [event.callId] : []
    )
  )
  return {
    task,
    iteration,
    calls,
    requested,
    answered: answer,
    requests: waits.map(({ request }) => request),
    workers
  }
}

/**
 * Looks for requests that a dead owner left open (A12). Those of a task that can go on are taken up again under their ids
 * and digests, all others are to end as withdrawn. Call it before the session is recovered, and recover from the store it gives.
 */
export const find = (log: EventLog, store: SessionStore["Type"]): Effect.Effect<Found, DatabaseError, Approvals> =>
  Effect.gen(function* () {
    const nothing: Found = { ...none, store }
    if (log.lease.created) return nothing
    const unfinished = yield* store.unfinished(log.lease.session)
    if (unfinished.tasks.length === 0) return nothing
    const events = yield* eventsOf(log, store, unfinished.tasks)
    const open = new Map<string, Asked>()
    for (const { event, seq: _, ...place } of events) {
      if (event._tag === "ApprovalRequested") open.set(event.request.id, { request: event.request, place })
      else if (event._tag === "ApprovalResolved") open.delete(event.approvalId)
    }
    const goes = continuationOf(events, unfinished, open)
    const continuation =
      goes === undefined ? undefined : { ...goes, used: yield* store.used(log.lease.session, goes.task) }
    const goesOn = new Set(continuation?.requests.map(({ id }) => id))
    const left = [...open.values()]
      .filter(({ request }) => !goesOn.has(request.id))
      .map(({ place: { iteration, task, worker }, request }) => ({
        events: withdrawn(request),
        place: {
          ...(task === undefined ? {} : { task }),
          ...(iteration === undefined ? {} : { iteration }),
          ...(worker === undefined ? {} : { worker })
        }
      }))
    const workers = workersOf(events).filter(({ open }) => open)
    if (continuation === undefined) return { ...nothing, withdrawn: left, workers }
    yield* (yield* Approvals).restore(continuation.requests)
    const { iteration, task } = continuation
    const kept = new Set(continuation.calls.map(({ id }) => keyOf(id, { task, iteration, worker: RootWorker.path })))
    return {
      continuation,
      withdrawn: left,
      workers,
      store: {
        ...store,
        unfinished: (session) =>
          Effect.map(store.unfinished(session), ({ calls, tasks }) => ({
            tasks: tasks.filter((other) => other !== task),
            calls: calls.filter((call) => !kept.has(keyOf(call.callId, call)))
          }))
      }
    }
  })

/** Numbers the iterations on from those before the restart. */
const after = (sink: WorkerSink, iterations: number): WorkerSink => ({
  task: sink.task,
  emit: (event, iteration) => sink.emit(event, iteration + iterations),
  emitAll: (events, iteration) => sink.emitAll(events, iteration + iterations),
  commit: (event, iteration) => sink.commit(event, iteration + iterations)
})

const isCallEnd = (event: { readonly _tag: string }): boolean =>
  event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed" || event._tag === "ToolCallInterrupted"

/** Withdraws a request of before the restart that its call has not asked again, e.g. because a rule allows it by now. */
const withdrawing = (sink: WorkerSink, open: Map<string, ApprovalRequest>): WorkerSink => {
  const note = (event: AgentEvent | ToolEvent): void => {
    if (event._tag === "ApprovalResolved" && open.get(event.callId)?.id === event.approvalId) open.delete(event.callId)
  }
  return {
    ...sink,
    emit: (event, iteration) =>
      Effect.suspend(() => {
        note(event)
        const request =
          event._tag === "ToolCallStarted" || (isCallEnd(event) && "callId" in event)
            ? open.get(event.callId)
            : undefined
        if (request === undefined) return sink.emit(event, iteration)
        open.delete(request.callId)
        return Effect.zipRight(sink.emitAll(withdrawn(request), iteration), sink.emit(event, iteration))
      }),
    emitAll: (events, iteration) =>
      Effect.suspend(() => {
        for (const event of events) note(event)
        return sink.emitAll(events, iteration)
      }),
    commit: (event, iteration) =>
      Effect.suspend(() => {
        const request = event._tag === "ToolCallStarted" ? open.get(event.callId) : undefined
        if (request === undefined) return sink.commit(event, iteration)
        open.delete(request.callId)
        return Effect.zipRight(sink.emitAll(withdrawn(request), iteration), sink.commit(event, iteration))
      })
  }
}

/** Goes on where the task stopped: the calls that wait, then the model again. */
export const resume = (
  { answered, calls, iteration, requested, requests, task, used, workers }: Continuation,
  session: string,
  view: ModelView,
  profile: string
): Effect.Effect<
  (sink: TaskSink) => Effect.Effect<WorkerOutcome, WorkerError | ProfileError>,
  never,
  Models | Tools | Approvals
> =>
  Effect.gen(function* () {
    const options = yield* RuntimeOptions
    const models = yield* Models
    const tools = yield* Tools
    const approvals = yield* Approvals
    return (sink) => {
      const open = new Map(requests.map((request) => [request.callId, request]))
      const worker = withdrawing(sink.worker(RootWorker.path), open)
      const place = { sessionId: session, workerPath: RootWorker.path, iteration, context: () => lastMessages(view) }
      const settled = Effect.zipRight(
        approvals.abandon(session),
        Effect.suspend(() =>
          Effect.forEach([...open.values()], (request) => worker.emitAll(withdrawn(request), iteration), {
            discard: true
          })
        )
      )
      return Effect.gen(function* () {
        const startedAt = yield* monotonicMillis
        sink.takeUp(
          { task, iteration, worker: RootWorker.path },
          calls.map(({ function: { name: tool }, id: callId }) => ({ callId, tool, requested: requested.has(callId) }))
        )
        if (answered === undefined) {
          const runs = Effect.forEach(calls, (call) => ManualCall.run(tools, worker, session, call))
          const [outcome] = yield* Effect.ensuring(runs, settled)
          return (
            outcome ?? (yield* new TaskStopped({ reason: "The call that waited is not known any more. Run it again." }))
          )
        }
        const { refusal, root } = yield* Effect.ensuring(
          Effect.gen(function* () {
            const model = yield* openModel(models, profile)
            const taken = workers.map(({ path }) => path)
            const own = after(sink.worker(RootWorker.path), iteration)
            const more = { own, taken, used }
            const root = RootWorker.make({ session, options, profile, model, tools, view, sink, ...more })
            const limit = options.parallelCalls
            const refusal = yield* root.delegating(runCalls(calls, { tools, sink: worker, place, limit }))
            return { refusal, root }
          }),
          settled
        )
        if (refusal !== undefined) return yield* new TaskStopped({ reason: refusal.message, error: refusal._tag })
        const ended = {
          usage: answered.usage,
          totalTokens: used.inputTokens + used.outputTokens,
          calls: callsOf(answered).length,
          durationMillis: Math.round((yield* monotonicMillis) - startedAt)
        }
        yield* worker.emit(new IterationEnded(ended, trusted), iteration)
        const outcome = yield* root.run
        return { ...outcome, iterations: outcome.iterations + iteration }
      })
    }
  })
