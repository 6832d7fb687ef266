import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { isCallEnd } from "../gate/CallEvent.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { callKey } from "../tool/CallPlace.ts"
import { Open, type PastCall } from "./PastCall.ts"

/** Events that are read at once. */
const page = 256

const eventsOf = (store: SessionStore["Type"], session: string, from: number): Stream.Stream<Envelope, DatabaseError> =>
  Stream.paginateChunkEffect(from, (next) =>
    Effect.map(store.read(session, next, page), (found) => {
      const last = found.at(-1)
      const more = last === undefined || found.length < page ? Option.none<number>() : Option.some(last.seq + 1)
      return [Chunk.fromIterable(found), more] as const
    })
  )

/** Where the events begin that are of the session itself, and of none that it was copied from. */
const beginningOf = (store: SessionStore["Type"], session: string): Effect.Effect<number, DatabaseError> =>
  Effect.map(store.tagged(session, ["SessionForked"]), (found) =>
    Math.max(1, ...found.map(({ event }) => (event._tag === "SessionForked" ? event.last + 1 : 1)))
  )

const isRefusal = (tag: string): boolean => /Denied|Refused|Expired|Unshowable|Stopped/.test(tag)

/** Finds the calls in the events of a session. */
const finder = (session: string, directory: string) => {
  const open = new Open()
  const started = new Set<string>()
  const line = ({ event, iteration, task, time, worker }: Envelope): ReadonlyArray<PastCall> => {
    if (!("callId" in event) || typeof event.callId !== "string") return []
    const key = callKey({ iteration, task, worker }, event.callId)
    if (event._tag === "ToolCallRequested") {
      const { arguments: input, callId: id, tool } = event
      const more = worker === undefined ? {} : { worker }
      return open.add(key, {
        agent: "tollgate",
        session,
        ...more,
        id,
        time,
        directory,
        tool,
        input,
        was: "unknown"
      })
    }
    if (event._tag === "ApprovalResolved") open.change(key, event.outcome === "granted" ? "approved" : "refused")
    if (event._tag === "ToolCallStarted") {
      started.add(key)
      if (event.approvedBy !== undefined) open.change(key, "approved")
    }
    if (!isCallEnd(event)) return []
    const call = open.take(key)
    const isStarted = started.delete(key)
    if (call === undefined) return []
    if (call.was !== "unknown") return [call]
    if (isStarted) return [{ ...call, was: "ran" }]
    const isRefused = event._tag === "ToolCallFailed" && isRefusal(event.error._tag)
    return [{ ...call, was: isRefused ? "refused" : "failed" }]
  }
  return { line, end: () => open.end() }
}

/** The calls of a session of ours. */
export const callsOf = (session: string, directory: string): Stream.Stream<PastCall, DatabaseError, SessionStore> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const store = yield* SessionStore
      const { end, line } = finder(session, directory)
      return eventsOf(store, session, yield* beginningOf(store, session)).pipe(
        Stream.mapConcat(line),
        Stream.concat(Stream.suspend(() => Stream.fromIterable(end())))
      )
    })
  )
