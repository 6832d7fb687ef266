import * as Effect from "effect/Effect"
import { type AgentEvent, type MessageRecorded, type WorkerEnded, WorkerInterrupted } from "../agent/AgentEvent.ts"
import { withdrawal } from "../agent/approvalMessage.ts"
import { WorkerDeeds } from "../agent/Deeds.ts"
import { isCallEnd, ToolCallInterrupted } from "../gate/CallEvent.ts"
import { errorContent, toolMessage } from "../gate/conclude.ts"
import type { OpenSink, WorkerSink } from "../agent/WorkerSink.ts"
import type { Change } from "../conversation/Change.ts"
import * as Pace from "../system/Pace.ts"
import { type RedactorShape, slice } from "../redaction/Redactor.ts"
import { type ApprovalResolved, trusted, type ToolEvent } from "../tool/ToolEvent.ts"
import { compaction, isBelow, isChild, isRoot, isSame, parentOf, type WorkerPath } from "../tool/WorkerPath.ts"
import type { Place } from "./Envelope.ts"
import { type DurableEvent, isTransient, type TerminalEvent, type TransientEvent } from "./Event.ts"
import type { EventLog } from "./EventLog.ts"
import { liveChangeOf } from "./liveChange.ts"
import { OpenCalls, type TakenCall } from "./OpenCalls.ts"
import { hasLongText, redactAhead, redactEvent } from "./redactEvent.ts"

/** A worker of before a restart that goes on. */
export interface TakenWorker {
  readonly path: WorkerPath
  /** The call that started it; unset for the root. */
  readonly callId: string | undefined
  readonly iteration: number
  readonly calls: ReadonlyArray<TakenCall>
}

interface OpenWorker {
  readonly path: WorkerPath
  /** Stops its work, once that has begun. */
  stop: () => void
  /** Somebody ends this worker alone. */
  cancelled: boolean
  /** The call of its parent that started it. */
  readonly callId: string
}

const openWorker = (path: WorkerPath, callId: string): OpenWorker => ({
  path,
  callId,
  stop: () => undefined,
  cancelled: false
})

/** Tells a delta, and one that is long in parts between which others get their turn. */
const inParts = (event: TransientEvent, tell: (part: TransientEvent) => Effect.Effect<void>): Effect.Effect<void> => {
  if (event._tag === "ToolProgressed" || event.text.length <= slice) return tell(event)
  const { text } = event
  const pace = Pace.make()
  return Effect.forEach(
    Array.from({ length: Math.ceil(text.length / slice) }, (_, part) => text.slice(part * slice, (part + 1) * slice)),
    (part) => Effect.zipRight(tell({ ...event, text: part }), pace),
    { discard: true }
  )
}

/**
 * Where one task tells what happens, redacted. It closes with the task's terminal event: a straggler adds nothing
 * afterwards, and a call without a result gets one first. A sub-worker's sink closes before the call that started it
 * ends.
 */
export interface TaskSink {
  readonly emit: (event: DurableEvent) => Effect.Effect<void>
  readonly worker: (path: WorkerPath) => WorkerSink
  readonly subWorker: OpenSink
  /** Takes up workers of before a restart, those above before those below: what they told then is not told again. */
  readonly takeUp: (workers: ReadonlyArray<TakenWorker>) => void
  /** Ends a sub-worker and those below it; false if no such worker is running. */
  readonly cancelWorker: (path: WorkerPath) => boolean
  readonly end: (terminal: TerminalEvent) => Effect.Effect<void>
  /**
   * Closes without a terminal event where calls wait for decisions, as a killed process would, so that the next owner
   * takes the task up again. Gives the ids of the requests; none if it does not wait or was cancelled.
   */
  readonly suspend: () => ReadonlyArray<string>
}

/** A decision outlives its runtime only in the log: a call whose decision is not logged must not start. */
const unheard: Effect.Effect<never> = Effect.interruptible(Effect.never)

/** What a task has of the time before a restart. */
export interface Restored {
  /** The ids of the requests that it waits for again. */
  readonly requests: ReadonlyArray<string>
  /** What its workers had done. */
  readonly deeds: WorkerDeeds | undefined
}

/** A task that begins. */
export const afresh: Restored = { requests: [], deeds: undefined }

export const make = (
  log: EventLog,
  task: string,
  redactor: RedactorShape,
  record: (change: Change) => void,
  restored: Restored = afresh
): TaskSink => {
  const deeds = restored.deeds ?? new WorkerDeeds()
  let closed = false
  let cancelled = false
  const calls = new OpenCalls(restored.requests)
  /** The sub-workers that have started and not ended, the ones above before those below. */
  const workers = new Set<OpenWorker>()

  /** An event of a worker as published; one that ends a call lists what its worker has done. */
  const toldOf = <E extends DurableEvent & (AgentEvent | ToolEvent)>(
    event: E,
    { iteration = 0, worker = [] }: Place
  ): E => {
    const told = redactEvent(isCallEnd(event) ? deeds.endOf(event, worker) : event, redactor)
    deeds.note(told, worker, iteration)
    return told
  }
  /** Gives the calls of a worker, or of all, a result that will not get one any more. */
  const abandon = (worker?: WorkerPath) =>
    Effect.suspend(() =>
      Effect.forEach(
        calls.takeAll(worker),
        ({ approval, callId, place, tool }) => {
          const undecided =
            approval === undefined ? [] : withdrawal({ callId, tool, approvalId: approval }, "interruption")
          const message = toolMessage(callId, errorContent(`${tool} was interrupted before it had a result`))
          const end = new ToolCallInterrupted({ callId, tool, message, durationMillis: 0 }, trusted)
          const told = toldOf(end, place)
          if (isRoot(place.worker)) record({ _tag: "Added", message: told.message })
          return Effect.zipRight(log.emitAll(undecided, place), log.emit(told, place))
        },
        { discard: true }
      )
    )
  const endWorker = (worker: OpenWorker, event: WorkerEnded): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!workers.delete(worker)) return Effect.void
      const { path } = worker
      if (event._tag !== "WorkerInterrupted") deeds.answered(path)
      return endWorkers((other) => isBelow(other.path, path)).pipe(
        Effect.zipRight(abandon(path)),
        Effect.zipRight(log.emit(redactEvent(event, redactor), { task, worker: path }))
      )
    })
  const stop = (worker: OpenWorker): void => {
    if (worker.cancelled) return
    worker.cancelled = true
    worker.stop()
  }
  /** Ends those that have not ended themselves: a straggler goes on with none of them. */
  const endWorkers = (which: (worker: OpenWorker) => boolean): Effect.Effect<void> => {
    const left = [...workers].filter(which)
    return left.length === 0
      ? Effect.void
      : Effect.forEach(
          left,
          (worker) => {
            stop(worker)
            return endWorker(worker, new WorkerInterrupted({ durationMillis: 0 }, trusted))
          },
          { discard: true }
        )
  }

  /** Ends what a call has started, before the call ends; unset where there is none. */
  const unsettled = (
    event: AgentEvent | ToolEvent,
    { worker: parent = [] }: Place
  ): Effect.Effect<void> | undefined => {
    if (workers.size === 0 || !isCallEnd(event)) return undefined
    const isOwn = ({ callId, path }: OpenWorker) => callId === event.callId && isChild(path, parent)
    for (const worker of workers) if (isOwn(worker)) return endWorkers(isOwn)
    return undefined
  }
  /** The end of a request of before a restart that its call does not ask again, e.g. because a rule allows it by now. */
  const superseded = (
    event: AgentEvent | ToolEvent,
    place: Place
  ): ReadonlyArray<ApprovalResolved | MessageRecorded> => {
    if (restored.requests.length === 0 || (event._tag !== "ToolCallStarted" && !isCallEnd(event))) return []
    const { callId, tool } = event
    const approvalId = calls.requestOf(place, callId)
    return approvalId === undefined ? [] : withdrawal({ callId, tool, approvalId }, "restart")
  }
  const unlessClosed = (self: () => Effect.Effect<void>) => Effect.suspend(() => (closed ? Effect.void : self()))

  const sinkOf = (path: WorkerPath, isOpen: () => boolean, record: (change: Change) => void): WorkerSink => {
    const at = (iteration: number): Place => ({ task, iteration, worker: path })
    const unlessMute = (self: () => Effect.Effect<void>) =>
      Effect.suspend(() => (closed || !isOpen() ? Effect.void : self()))
    type Heard = DurableEvent & (AgentEvent | ToolEvent)
    const written = <E extends Heard>(event: E, place: Place): E => {
      const told = toldOf(event, place)
      const change = liveChangeOf(told, event)
      if (change !== undefined) record(change)
      return told
    }
    const hear = <E extends Heard>(event: E, place: Place): E => {
      calls.track(event, place)
      return written(event, place)
    }
    return {
      task,
      compaction: () => sinkOf(compaction(path), isOpen, () => undefined),
      emit: (event, iteration) => {
        const place = at(iteration)
        if (isTransient(event)) return inParts(event, (part) => unlessMute(() => log.emit(part, place)))
        const told = unlessMute(() => {
          if (event._tag === "ToolCallRequested" && calls.wasRequested(place, event.callId)) return Effect.void
          const before = superseded(event, place).map((one) => hear(one, place))
          calls.track(event, place)
          const left = unsettled(event, place)
          if (before.length === 0 && left === undefined) return log.emit(written(event, place), place)
          const now = Effect.suspend(() => log.emit(written(event, place), place))
          const settled = left === undefined ? now : Effect.zipRight(left, now)
          return before.length === 0 ? settled : Effect.zipRight(log.emitAll(before, place), settled)
        })
        return hasLongText(event) ? Effect.zipRight(redactAhead(event, redactor), told) : told
      },
      emitAll: (events, iteration) =>
        unlessMute(() => {
          const place = at(iteration)
          const durable = events.filter((event) => !isTransient(event))
          return log.emitAll(
            durable.map((event) => hear(event, place)),
            place
          )
        }),
      commit: (event, iteration) =>
        Effect.suspend(() => {
          if (closed || !isOpen()) return unheard
          if (isTransient(event)) return Effect.void
          const place = at(iteration)
          if (event._tag === "ToolCallStarted" && calls.hadStarted(place, event.callId)) return Effect.void
          const before = superseded(event, place).map((one) => hear(one, place))
          const now = log.commit(redactEvent(event, redactor), place)
          return before.length === 0 ? now : Effect.zipRight(log.emitAll(before, place), now)
        })
    }
  }

  return {
    emit: (event) =>
      unlessClosed(() => {
        cancelled ||= event._tag === "TaskCancelling"
        const told = redactEvent(event, redactor)
        const change = liveChangeOf(told, event)
        if (change !== undefined) record(change)
        return log.emit(told, { task })
      }),
    worker: (path) => sinkOf(path, () => true, isRoot(path) ? record : () => undefined),
    subWorker: (path, record) => {
      let worker = [...workers].find((open) => isSame(open.path, path))
      return {
        ...sinkOf(path, () => worker !== undefined && workers.has(worker), record),
        whenCancelled: (stop) => {
          if (worker?.cancelled === true) stop()
          else if (worker !== undefined) worker.stop = stop
        },
        begin: (event) =>
          Effect.suspend(() => {
            if (closed || !calls.isOpen(parentOf(path), event.callId)) return Effect.succeed(false)
            worker = openWorker(path, event.callId)
            workers.add(worker)
            deeds.begin(path, event.callId)
            return Effect.as(log.emit(redactEvent(event, redactor), { task, worker: path }), true)
          }),
        end: (event) => unlessClosed(() => (worker === undefined ? Effect.void : endWorker(worker, event)))
      }
    },
    takeUp: (taken) => {
      for (const { callId, calls: own, iteration, path } of taken) {
        if (callId !== undefined) workers.add(openWorker(path, callId))
        calls.takeUp(own, { task, iteration, worker: path })
      }
    },
    cancelWorker: (path) => {
      const open = closed ? undefined : [...workers].find((one) => isSame(one.path, path))
      if (open !== undefined) stop(open)
      return open !== undefined
    },
    suspend: () => {
      if (closed || cancelled || calls.waiting.size === 0) return []
      closed = true
      workers.forEach(stop)
      return [...calls.waiting]
    },
    end: (terminal) =>
      unlessClosed(() => {
        closed = true
        return endWorkers(() => true).pipe(
          Effect.zipRight(abandon()),
          Effect.zipRight(log.emit(redactEvent(terminal, redactor), { task }))
        )
      })
  }
}
