import * as Effect from "effect/Effect"
import { ToolCallInterrupted, type AgentEvent } from "../agent/AgentEvent.ts"
import { errorContent, toolMessage } from "../agent/callTool.ts"
import type { WorkerSink } from "../agent/WorkerSink.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import { trusted, type ToolEvent } from "../tool/ToolEvent.ts"
import type { Place } from "./Envelope.ts"
import { type DurableEvent, type Event, isTransient, type TerminalEvent } from "./Event.ts"
import type { EventLog } from "./EventLog.ts"
import { redactEvent } from "./redactEvent.ts"

interface OpenCall {
  readonly callId: string
  readonly tool: string
  readonly place: Place
}

/** The message that an event adds to the conversation. */
export const messageOf = (event: Event): StoredMessage | undefined =>
  "message" in event && typeof event.message === "object" ? event.message : undefined

/**
 * Where one task tells what happens, without its secrets. It closes with the task's terminal event: whatever a straggler says afterwards is
 * not heard, and a call that has no result by then gets one first.
 */
export interface TaskSink {
  readonly emit: (event: DurableEvent) => Effect.Effect<void>
  readonly worker: (path: ReadonlyArray<string>) => WorkerSink
  readonly end: (terminal: TerminalEvent) => Effect.Effect<void>
}

export const make = (
  log: EventLog,
  task: string,
  redactor: RedactorShape,
  record: (message: StoredMessage) => void
): TaskSink => {
  let closed = false
  const calls = new Map<string, OpenCall>()
  const keyOf = (place: Place, callId: string) => JSON.stringify([place.worker, place.iteration, callId])

  const track = (event: AgentEvent | ToolEvent, place: Place): void => {
    switch (event._tag) {
      case "ModelAnswered": {
        const { message } = event.message
        if (message.role !== "assistant") return
        for (const { function: asked, id } of message.tool_calls ?? []) {
          calls.set(keyOf(place, id), { callId: id, tool: asked.name, place })
        }
        return
      }
      case "ToolCallCompleted":
      case "ToolCallFailed":
      case "ToolCallInterrupted":
      case "ToolCallOutcomeUnknown":
        calls.delete(keyOf(place, event.callId))
        return
      default:
    }
  }
  const hear = <E extends DurableEvent & (AgentEvent | ToolEvent)>(event: E, place: Place): E => {
    track(event, place)
    const told = redactEvent(event, redactor)
    const message = messageOf(told)
    if (message !== undefined && place.worker?.length === 1) record(message)
    return told
  }
  const unlessClosed = (self: () => Effect.Effect<void>) => Effect.suspend(() => (closed ? Effect.void : self()))

  return {
    emit: (event) =>
      unlessClosed(() => {
        const told = redactEvent(event, redactor)
        const message = messageOf(told)
        if (message !== undefined) record(message)
        return log.emit(told, { task })
      }),
    worker: (path) => {
      const at = (iteration: number): Place => ({ task, iteration, worker: path })
      return {
        emit: (event, iteration) =>
          unlessClosed(() => {
            const place = at(iteration)
            return log.emit(isTransient(event) ? event : hear(event, place), place)
          }),
        emitAll: (events, iteration) =>
          unlessClosed(() => {
            const place = at(iteration)
            const durable = events.filter((event) => !isTransient(event))
            return log.emitAll(
              durable.map((event) => hear(event, place)),
              place
            )
          }),
        commit: (event, iteration) =>
          unlessClosed(() =>
            isTransient(event) ? Effect.void : log.commit(redactEvent(event, redactor), at(iteration))
          )
      }
    },
    end: (terminal) =>
      unlessClosed(() => {
        closed = true
        const abandoned = Effect.forEach(
          calls.values(),
          ({ callId, place, tool }) => {
            const message = toolMessage(callId, errorContent(`${tool} was interrupted before it had a result`))
            if (place.worker?.length === 1) record(message)
            return log.emit(new ToolCallInterrupted({ callId, tool, message, durationMillis: 0 }, trusted), place)
          },
          { discard: true }
        )
        return Effect.zipRight(abandoned, log.emit(redactEvent(terminal, redactor), { task }))
      })
  }
}
