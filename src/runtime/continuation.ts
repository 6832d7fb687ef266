import * as Effect from "effect/Effect"
import { isWorkerEnd } from "../agent/AgentEvent.ts"
import { withdrawal } from "../agent/approvalMessage.ts"
import { WorkerDeeds } from "../agent/Deeds.ts"
import { ModelView } from "../conversation/ModelView.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { callKey, placeKey } from "../tool/CallPlace.ts"
import { isChild, isSame, root as rootPath, type WorkerPath } from "../tool/WorkerPath.ts"
import type { Envelope, Place } from "./Envelope.ts"
import type { EventLog } from "./EventLog.ts"
import * as ManualCall from "./ManualCall.ts"
import type { UnfinishedCall } from "./Projection.ts"
import type { SessionStore, Unfinished } from "./SessionStore.ts"
import type { Continuation, Stopped } from "./Stopped.ts"
import { notKept, unkeptIn } from "./unkept.ts"
import { callsOf, manual } from "./wantedCalls.ts"

/** A sub-worker of a task. */
interface SubWorker {
  readonly task: string
  readonly path: WorkerPath
  readonly callId: string
}

/** What was found in the log of a dead owner. */
export interface Found {
  readonly continuation: Continuation | undefined
  /** Sub-workers that have not ended and do not go on. */
  readonly workers: ReadonlyArray<SubWorker>
  /** What open sub-workers have done, by the task. */
  readonly deeds: ReadonlyMap<string, WorkerDeeds>
  /** The calls whose secrets the log does not have, by their keys. */
  readonly unkept: ReadonlySet<string>
  /** Withdrawn requests and their places. */
  readonly withdrawn: ReadonlyArray<{ readonly events: ReturnType<typeof withdrawn>; readonly place: Place }>
  /** The store without the continued calls, which must not be closed. */
  readonly store: SessionStore["Type"]
}

interface Asked {
  readonly request: ApprovalRequest
  readonly place: Place
}

/** Messages of a sub-worker that are loaded. */
const loadedMessages = 1000

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

/** What a worker has done. */
const deeds = [
  "ToolCallRequested",
  "ToolCallCompleted",
  "ToolCallFailed",
  "ToolCallInterrupted",
  "ToolCallOutcomeUnknown",
  "FileChanged"
] as const

/** The end of a withdrawn request. */
const withdrawn = ({ callId, id: approvalId, masked, tool }: ApprovalRequest) =>
  withdrawal({ callId, tool, approvalId }, "restart", masked === undefined ? undefined : notKept)

/** The sub-workers that have started, by their places, and whether they have not ended. */
const workersOf = (events: ReadonlyArray<Envelope>) => {
  const found = new Map<string, SubWorker & { readonly open: boolean }>()
  for (const { event, task = "", worker: path = [] } of events) {
    const key = placeKey({ task, worker: path })
    if (event._tag === "WorkerStarted") found.set(key, { task, path, callId: event.callId, open: true })
    else if (isWorkerEnd(event)) found.set(key, { task, path, callId: "", ...found.get(key), open: false })
  }
  return [...found.values()]
}

/** What is known of an unfinished task. */
interface Left {
  readonly events: ReadonlyArray<Envelope>
  readonly calls: ReadonlyArray<UnfinishedCall>
  readonly open: ReadonlyArray<Asked>
  /** The calls whose secrets the log does not have, by their keys. */
  readonly unkept: ReadonlySet<string>
  readonly workers: ReadonlyArray<SubWorker & { readonly open: boolean }>
}

/** The iteration that a worker was in: only its last answer has calls without a result. */
const iterationOf = (calls: ReadonlyArray<UnfinishedCall>, path: WorkerPath): number | undefined => {
  const own = calls.filter(({ worker }) => isSame(worker, path)).map(({ iteration }) => iteration)
  return own.length === 0 ? undefined : Math.max(...own)
}

/** The worker and those below it that go on, those above first; nothing where none of their calls waits. */
const stoppedAt = (left: Left, path: WorkerPath, callId: string | undefined): ReadonlyArray<Stopped> => {
  const iteration = iterationOf(left.calls, path)
  if (iteration === undefined) return []
  const own = left.events.filter(({ iteration: at, worker }) => at === iteration && isSame(worker, path))
  const asked = left.open.filter(({ place }) => place.iteration === iteration && isSame(place.worker, path))
  const unanswered = left.calls.filter(({ iteration: at, worker }) => at === iteration && isSame(worker, path))
  const answer = own.findLast(({ event }) => event._tag === "ModelAnswered")?.event
  const answered = answer?._tag === "ModelAnswered" ? answer : undefined
  const known = answered === undefined ? manual(own) : callsOf(answered)
  const kept = new Set(
    unanswered
      .filter((call) => !call.mayHaveHappened && !left.unkept.has(callKey(call, call.callId)))
      .map((call) => call.callId)
  )
  // Whatever was decided and not started stays undone: its decision was for a process that is gone. One that is asked again,
  // for what it showed has changed, waits.
  const asksNow = new Set(asked.map(({ request }) => request.callId))
  for (const { event } of own) {
    if (event._tag === "ApprovalResolved" && !asksNow.has(event.callId)) kept.delete(event.callId)
  }
  const below = left.workers.flatMap((worker) => {
    const isOpen = worker.open && isChild(worker.path, path) && unanswered.some((call) => call.callId === worker.callId)
    const standing = isOpen ? stoppedAt(left, worker.path, worker.callId) : []
    return standing.length === 0 ? [] : [{ callId: worker.callId, standing }]
  })
  const started = new Set(below.map((worker) => worker.callId))
  const calls = known.filter(({ id }) => kept.has(id) || started.has(id))
  const requests = asked.filter(({ request }) => kept.has(request.callId)).map(({ request }) => request)
  if (requests.length === 0 && below.length === 0) return []
  const requested = new Set(own.flatMap(({ event }) => (event._tag === "ToolCallRequested" ? [event.callId] : [])))
  const edited = new Map(
    requests.flatMap(({ arguments: parameters, callId, edited }) =>
      edited === true ? [[callId, { parameters }] as const] : []
    )
  )
  const stopped = { path, callId, iteration, calls, requested, started, edited, answered, requests }
  return [stopped, ...below.flatMap(({ standing }) => standing)]
}

const placeOf = ({ iteration, task, worker }: Place): Place => ({
  ...(task === undefined ? {} : { task }),
  ...(iteration === undefined ? {} : { iteration }),
  ...(worker === undefined ? {} : { worker })
})

/** What is to be known of unfinished tasks, in order: all else of them may be long and is not read. */
const read = (session: string, store: SessionStore["Type"], { calls, tasks }: Unfinished) =>
  Effect.gen(function* () {
    const events = yield* store.ofTasks(session, { tasks, tags: opening })
    if (!events.some(({ event }) => event._tag === "ApprovalRequested")) return events
    const workers = [rootPath, ...workersOf(events).flatMap(({ open, path }) => (open ? [path] : []))]
    const iterations = new Set(workers.map((path) => iterationOf(calls, path)).filter((one) => one !== undefined))
    const tags = ["ModelAnswered", "ToolCallRequested"] as const
    const answers = yield* store.ofTasks(session, { tasks, tags, iterations: [...iterations] })
    return [...events, ...answers].toSorted((a, b) => a.seq - b.seq)
  })

/** What the open sub-workers of each task have done. */
const deedsOf = (session: string, store: SessionStore["Type"], open: ReadonlyArray<SubWorker>) =>
  Effect.gen(function* () {
    const found = new Map<string, WorkerDeeds>()
    for (const { callId, path, task } of open) {
      const known = found.get(task) ?? new WorkerDeeds()
      found.set(task, known)
      known.begin(path, callId)
    }
    // What those below have done is a part of what those above have.
    for (const { path, task } of open.filter(({ path }) => path.length === 2)) {
      const events = yield* store.ofTasks(session, { tasks: [task], tags: deeds, within: path })
      for (const { event, iteration = 0, worker = [] } of events) {
        const isDeed = (deeds as ReadonlyArray<string>).includes(event._tag)
        if (isDeed) found.get(task)?.note(event as Parameters<WorkerDeeds["note"]>[0], worker, iteration)
      }
    }
    return found
  })

/** The task whose calls wait. */
const continuationOf = (
  session: string,
  store: SessionStore["Type"],
  events: ReadonlyArray<Envelope>,
  unfinished: Unfinished,
  { open, unkept }: { readonly open: ReadonlyMap<string, Asked>; readonly unkept: ReadonlySet<string> }
) =>
  Effect.gen(function* () {
    const asked = [...open.values()]
    const task = asked.map(({ place }) => place.task).find((one) => one !== undefined && unfinished.tasks.includes(one))
    const own = events.filter((envelope) => envelope.task === task)
    if (task === undefined || own.some(({ event }) => event._tag === "TaskCancelling")) return undefined
    const left: Left = {
      events: own,
      calls: unfinished.calls.filter((call) => call.task === task),
      open: asked.filter(({ place }) => place.task === task),
      unkept,
      workers: workersOf(own)
    }
    const [root, ...below] = stoppedAt(left, rootPath, undefined)
    if (root === undefined) return undefined
    if (root.answered === undefined && root.iteration !== ManualCall.iteration) return undefined
    const waits = new Set([root, ...below].flatMap(({ requests }) => requests.map(({ id }) => id)))
    const used = (path: WorkerPath) => store.used(session, task, path)
    const continuation: Continuation = {
      task,
      root,
      below: yield* Effect.forEach(below, (stopped) =>
        Effect.gen(function* () {
          const view = new ModelView()
          const of = { task, worker: stopped.path, limit: loadedMessages }
          for (const change of yield* store.workerChanges(session, of)) view.apply(change)
          return { ...stopped, callId: stopped.callId ?? "", view, used: yield* used(stopped.path) }
        })
      ),
      used: yield* used(rootPath),
      requests: left.open.flatMap(({ request }) => (waits.has(request.id) ? [request] : [])),
      taken: left.workers.map(({ path }) => path)
    }
    return continuation
  })

/**
 * Looks for requests that a dead owner left open. Those of a task that can go on are taken up again under their ids and
 * digests, unless nothing is to go on; the others end as withdrawn. Call it before the session is recovered, and recover from the store it gives.
 */
export const find = (
  log: EventLog,
  store: SessionStore["Type"],
  { goesOn = true }: { readonly goesOn?: boolean } = {}
): Effect.Effect<Found, DatabaseError> =>
  Effect.gen(function* () {
    const nothing: Found = {
      continuation: undefined,
      workers: [],
      deeds: new Map(),
      unkept: new Set(),
      withdrawn: [],
      store
    }
    if (log.lease.created) return nothing
    const { session } = log.lease
    const unfinished = yield* store.unfinished(session)
    if (unfinished.tasks.length === 0) return nothing
    const events = yield* read(session, store, unfinished)
    const waiting = new Set(unfinished.requests.map(({ id }) => id))
    const open = new Map<string, Asked>()
    for (const { event, seq: _, ...place } of events) {
      if (event._tag === "ApprovalRequested" && waiting.has(event.request.id))
        open.set(event.request.id, { request: event.request, place })
    }
    const unkept = unkeptIn(events, open)
    const continuation = goesOn
      ? yield* continuationOf(session, store, events, unfinished, { open, unkept })
      : undefined
    const again = new Set(continuation?.requests.map(({ id }) => id))
    const left = [...open.values()]
      .filter(({ request }) => !again.has(request.id))
      .map(({ place, request }) => ({ events: withdrawn(request), place: placeOf(place) }))
    const workers = workersOf(events).filter((worker) => worker.open)
    const found = { continuation, unkept, withdrawn: left, deeds: yield* deedsOf(session, store, workers) }
    if (continuation === undefined) return { ...found, workers, store }
    const { below, root, task } = continuation
    const stopped = [root, ...below]
    const kept = new Set(
      stopped.flatMap(({ calls, iteration, path }) =>
        calls.map(({ id }) => callKey({ task, iteration, worker: path }, id))
      )
    )
    return {
      ...found,
      workers: workers.filter((one) => one.task !== task || !below.some(({ path }) => isSame(path, one.path))),
      store: {
        ...store,
        unfinished: (of) =>
          Effect.map(store.unfinished(of), ({ calls, requests, tasks }) => ({
            requests,
            tasks: tasks.filter((other) => other !== task),
            calls: calls.filter((call) => !kept.has(callKey(call, call.callId)))
          }))
      }
    }
  })
