import * as Effect from "effect/Effect"
import { MessageRecorded, ToolCallOutcomeUnknown, WorkerInterrupted } from "../agent/AgentEvent.ts"
import { ToolCallInterrupted } from "../gate/CallEvent.ts"
import { errorContent, ranNote, toolMessage } from "../gate/conclude.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import { ModelView } from "../conversation/ModelView.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { callKey } from "../tool/CallPlace.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isRoot, isSame } from "../tool/WorkerPath.ts"
import * as BackgroundLeft from "./backgroundLeft.ts"
import type { causeOf } from "./Command.ts"
import type { Found } from "./continuation.ts"
import type { Event, TerminalEvent } from "./Event.ts"
import { SessionResumed, TaskFailed, TaskInterrupted } from "./RuntimeEvent.ts"
import type { EventLog } from "./EventLog.ts"
import type { UnfinishedCall } from "./Projection.ts"
import type { SessionStore, Unfinished } from "./SessionStore.ts"
import { notKept } from "./unkept.ts"

/** Messages that a session loads; the model's window is smaller in most cases. */
const loadedMessages = 1000

/** Fills the model's view with what it may see of the stored conversation. */
export const load = (
  session: string,
  store: Pick<SessionStore["Type"], "changes">,
  view: ModelView
): Effect.Effect<void, DatabaseError> =>
  Effect.map(store.changes(session, loadedMessages), (changes) => {
    for (const change of changes) view.apply(change)
  })

/** What left calls and tasks open: their runtime died, or the session was forked while they ran. */
export type Cut = "stopped" | "forked"

const cutText = { stopped: "The runtime stopped", forked: "The session was forked" } as const

/** What a call ran with, as JSON text, and whether that is not what was asked for. */
interface Given {
  readonly arguments: string
  readonly changed: boolean
}

/** What is known of an open call besides its place. */
interface Known {
  /** What it ran with, if it may have run. */
  readonly given: Given | undefined
  /** The log does not have its secrets. */
  readonly unkept: boolean
}

const close = (cut: Cut, { callId, mayHaveHappened, tool }: UnfinishedCall, { given, unkept }: Known) =>
  mayHaveHappened
    ? new ToolCallOutcomeUnknown(
        {
          callId,
          tool,
          ...(given === undefined ? {} : { arguments: given.arguments }),
          message: toolMessage(
            callId,
            errorContent(
              `${given?.changed === true ? ranNote(given.arguments) : ""}${cutText[cut]} while ${tool} was running: its outcome is unknown. It may or may not have taken effect. ` +
                "Verify before you repeat it."
            )
          )
        },
        trusted
      )
    : new ToolCallInterrupted(
        {
          callId,
          tool,
          message: toolMessage(
            callId,
            errorContent(
              `${cutText[cut]} before ${tool} had a result; nothing was changed.${unkept && cut === "stopped" ? ` ${notKept} Call it again with the secret itself.` : ""}`
            )
          ),
          durationMillis: 0
        },
        trusted
      )

const outcomes = (cut: Cut, call: UnfinishedCall, known: Known) => {
  const end = close(cut, call, known)
  if (!call.byUser) return [end]
  // The model asked for nothing, so it needs no result.
  const content = `The user ran ${call.tool}: ${end.message.message.content}`
  const message: StoredMessage = { id: `recovered_${call.callId}`, message: { role: "system", content } }
  return [end, new MessageRecorded({ message }, trusted)]
}

const givenIn = (event: Event): Given | undefined => {
  if (event._tag === "ToolCallRequested") return { arguments: event.arguments, changed: false }
  return event._tag === "ToolCallStarted" && event.parameters !== undefined
    ? { arguments: JSON.stringify(event.parameters), changed: true }
    : undefined
}

/** What calls were run with. */
const givenTo = (session: string, store: SessionStore["Type"], calls: ReadonlyArray<UnfinishedCall>) =>
  Effect.gen(function* () {
    if (calls.length === 0) return new Map<string, Given>()
    const tasks = [...new Set(calls.map(({ task }) => task))]
    const iterations = [...new Set(calls.map(({ iteration }) => iteration))]
    const tags = ["ToolCallRequested", "ToolCallStarted"] as const
    const told = yield* store.ofTasks(session, { tasks, tags, iterations })
    return new Map(
      told.flatMap(({ event, ...place }) => {
        const given = givenIn(event)
        return given === undefined || !("callId" in event) ? [] : [[callKey(place, event.callId), given] as const]
      })
    )
  })

/** How a task ends that was cut off. */
const taskEnd = {
  stopped: (unkept: boolean) =>
    new TaskFailed(
      {
        kind: "crash",
        message: unkept
          ? "The runtime stopped while a call of the task waited whose parameters hold a secret, which is not kept over a restart. Verify what the task did before you send the prompt again."
          : "The runtime stopped while the task was in flight. Verify what it did before you send the prompt again.",
        durationMillis: 0
      },
      trusted
    ),
  forked: () => new TaskInterrupted({ by: "user", durationMillis: 0 }, trusted)
} satisfies Record<Cut, (unkept: boolean) => TerminalEvent>

/** What is open in a log and will not go on. */
export interface Unended {
  readonly unfinished: Unfinished
  readonly found: Pick<Found, "continuation" | "deeds" | "unkept" | "withdrawn" | "workers">
  /** What calls with an unknown outcome were run with. */
  readonly given: ReadonlyMap<string, Given>
}

/** Looks for what is open and will not go on. */
const unended = (session: string, found: Found): Effect.Effect<Unended, DatabaseError> =>
  Effect.gen(function* () {
    const { store } = found
    const unfinished = yield* store.unfinished(session)
    const given = yield* givenTo(
      session,
      store,
      unfinished.calls.filter((call) => call.mayHaveHappened)
    )
    return { unfinished, found, given }
  })

/** Ends what is open and will not go on. */
const end = (
  log: EventLog,
  { found: { continuation, deeds, unkept, withdrawn, workers }, given, unfinished }: Unended,
  view: ModelView,
  cut: Cut
): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const { events, place } of withdrawn) yield* log.emitAll(events, place)
    const knownOf = (call: UnfinishedCall): Known => {
      const key = callKey(call, call.callId)
      return { given: given.get(key), unkept: unkept.has(key) }
    }
    /** Ends a call, with what its worker had done. */
    const closed = (call: UnfinishedCall) => {
      const { iteration, task, worker } = call
      const done = deeds.get(task)
      const goesOn = task === continuation?.task ? continuation.below : []
      const seenBy = isRoot(worker) ? view : goesOn.find(({ path }) => isSame(path, worker))?.view
      return Effect.forEach(
        outcomes(cut, call, knownOf(call)),
        (event) => {
          const told = done?.endOf(event, worker) ?? event
          done?.note(told, worker, iteration)
          seenBy?.add(told.message)
          return log.emit(told, { task, iteration, worker })
        },
        { discard: true }
      )
    }
    // What a worker has asked for ends before the worker, and the worker before the call that started it.
    const endings = [
      ...unfinished.calls.map((call) => ({ worker: call.worker, end: Effect.suspend(() => closed(call)) })),
      ...workers.map(({ path: worker, task }) => ({
        worker,
        end: log.emit(new WorkerInterrupted({ durationMillis: 0 }, trusted), { task, worker })
      }))
    ]
    yield* Effect.forEach(
      endings.toSorted((a, b) => b.worker.length - a.worker.length),
      ({ end }) => end,
      { discard: true }
    )
    for (const task of unfinished.tasks) {
      const isUnkept = unfinished.calls.some((call) => call.task === task && knownOf(call).unkept)
      yield* log.emit(taskEnd[cut](isUnkept), { task })
    }
  })

/** Ends all that is open in the log of a fork; none of it goes on there. */
export const cutOff = (log: EventLog, found: Omit<Found, "continuation">): Effect.Effect<void, DatabaseError> =>
  Effect.gen(function* () {
    const { session } = log.lease
    yield* end(log, yield* unended(session, { ...found, continuation: undefined }), new ModelView(), "forked")
    yield* log.emitAll(yield* BackgroundLeft.ends(session, found.store, "forked"), {})
  })

/**
 * Brings a session back: what a dead owner left open is closed, no call is run again, and the model's view is what the
 * store has. Gives what the model has not been told of background commands, none of which runs any more.
 */
export const recover = (
  log: EventLog,
  found: Found,
  view: ModelView,
  opener: ReturnType<typeof causeOf>
): Effect.Effect<ReadonlyArray<string>, DatabaseError> =>
  Effect.gen(function* () {
    if (log.lease.created) return []
    const { session } = log.lease
    const { continuation, store } = found
    yield* load(session, store, view)
    const left = yield* unended(session, found)
    const background = yield* BackgroundLeft.find(session, store, view)
    const { calls, tasks } = left.unfinished
    const repaired = {
      tasks: tasks.length,
      calls: calls.length,
      workers: found.workers.length,
      requests: found.withdrawn.length
    }
    yield* log.emit(
      new SessionResumed(
        {
          project: log.lease.project,
          epoch: log.lease.epoch,
          unknownCalls: calls.filter((call) => call.mayHaveHappened).length,
          ...(Object.values(repaired).some((count) => count > 0) ? { repaired } : {}),
          ...(continuation === undefined
            ? {}
            : { goesOn: { task: continuation.task, approvals: continuation.requests } }),
          ...opener
        },
        trusted
      ),
      {}
    )
    yield* end(log, left, view, "stopped")
    yield* log.emitAll(background.ends, {})
    return background.news
  })
