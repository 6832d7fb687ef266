import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Envelope } from "./Envelope.ts"
import * as EventLog from "./EventLog.ts"
import type { Lease, SessionStore } from "./SessionStore.ts"

/** Names the log of what belongs to no session, such as rejected commands; it is not stored. */
export const runtimeSession = "runtime"

/** Events of the runtime itself that are kept for who reads late. */
const kept = 1024

const lease: Lease = { session: runtimeSession, epoch: 1, head: 0, created: true, project: "", profile: "" }

/** The log of the runtime itself, kept in memory alone, and no more than its end. */
export const make = (
  store: SessionStore["Type"],
  published: (envelope: Envelope) => void
): Effect.Effect<EventLog.EventLog, never, Scope> => {
  const events: Array<Envelope> = []
  const own: SessionStore["Type"] = {
    ...store,
    append: (_, more) =>
      Effect.sync(() => {
        for (const envelope of more) events.push(envelope)
        if (events.length > 2 * kept) events.splice(0, events.length - kept)
      }),
    read: (_, from, limit) => Effect.sync(() => events.filter(({ seq }) => seq >= from).slice(0, limit)),
    answer: () => Effect.succeedNone
  }
  return EventLog.make(lease, own, published)
}
