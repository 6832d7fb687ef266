import * as Effect from "effect/Effect"
import { MessageRecorded, ToolCallOutcomeUnknown, WorkerInterrupted } from "../agent/AgentEvent.ts"
import { ToolCallInterrupted } from "../gate/CallEvent.ts"
import { errorContent, toolMessage } from "../gate/conclude.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { callKey } from "../tool/CallPlace.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isRoot, isSame } from "../tool/WorkerPath.ts"
import type { causeOf } from "./Command.ts"
import type { Found } from "./continuation.ts"
import { SessionResumed, TaskFailed } from "./Event.ts"
import type { EventLog } from "./EventLog.ts"
import type { UnfinishedCall } from "./Projection.ts"
import type { SessionStore } from "./SessionStore.ts"

/** Messages that a resumed session loads; the model's window is smaller in most cases. */
const loadedMessages = 1000

const close = ({ callId, mayHaveHappened, tool }: UnfinishedCall, given: string | undefined) =>
  mayHaveHappened
    ? new ToolCallOutcomeUnknown(
        {
          callId,
          tool,
          ...(given === undefined ? {} : { arguments: given }),
          message: toolMessage(
            callId,
            errorContent(
              `The runtime stopped while ${tool} was running: its outcome is unknown. It may or may not have taken effect. ` +
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
            errorContent(`The runtime stopped before ${tool} had a result; nothing was changed.`)
          ),
          durationMillis: 0
        },
        trusted
      )

const outcomes = (call: UnfinishedCall, given: string | undefined) => {
  const end = close(call, given)
  if (!call.byUser) return [end]
  // The model asked for nothing, so it needs no result.
  const content = `The user ran ${call.tool}: ${end.message.message.content}`
  const message: StoredMessage = { id: `recovered_${call.callId}`, message: { role: "system", content } }
  return [end, new MessageRecorded({ message }, trusted)]
}

/** What calls were asked with. */
const argumentsOf = (session: string, store: SessionStore["Type"], calls: ReadonlyArray<UnfinishedCall>) =>
  Effect.gen(function* () {
    if (calls.length === 0) return new Map<string, string>()
    const tasks = [...new Set(calls.map(({ task }) => task))]
    const iterations = [...new Set(calls.map(({ iteration }) => iteration))]
    const requested = yield* store.ofTasks(session, { tasks, tags: ["ToolCallRequested"], iterations })
    return new Map(
      requested.flatMap(({ event, ...place }) =>
        event._tag === "ToolCallRequested" ? [[callKey(place, event.callId), event.arguments] as const] : []
      )
    )
  })

/**
 * Brings a session back: what a dead owner left open is closed, no call is run again, and the model's view is what the
 * store has.
 */
export const recover = (
  log: EventLog,
  { continuation, deeds, store, withdrawn, workers }: Found,
  view: ModelView,
  opener: ReturnType<typeof causeOf>
): Effect.Effect<void, DatabaseError> =>
  Effect.gen(function* () {
    if (log.lease.created) return
    const { session } = log.lease
    for (const message of yield* store.messages(session, loadedMessages)) view.add(message)
    const unfinished = yield* store.unfinished(session)
    const unknown = unfinished.calls.filter((call) => call.mayHaveHappened)
    const given = yield* argumentsOf(session, store, unknown)
    yield* log.emit(
      new SessionResumed(
        {
          project: log.lease.project,
          epoch: log.lease.epoch,
          unknownCalls: unknown.length,
          ...(continuation === undefined
            ? {}
            : { goesOn: { task: continuation.task, approvals: continuation.requests } }),
          ...opener
        },
        trusted
      ),
      {}
    )
    for (const { events, place } of withdrawn) yield* log.emitAll(events, place)
    /** Ends a call, with what its worker had done. */
    const closed = (call: UnfinishedCall) => {
      const { iteration, task, worker } = call
      const done = deeds.get(task)
      const goesOn = task === continuation?.task ? continuation.below : []
      const seenBy = isRoot(worker) ? view : goesOn.find(({ path }) => isSame(path, worker))?.view
      return Effect.forEach(
        outcomes(call, given.get(callKey(call, call.callId))),
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
      const message =
        "The runtime stopped while the task was in flight. Verify what it did before you send the prompt again."
      yield* log.emit(new TaskFailed({ kind: "crash", message, durationMillis: 0 }, trusted), { task })
    }
  })
