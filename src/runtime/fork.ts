import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { causeOf, type ForkSession } from "./Command.ts"
import * as Continuation from "./continuation.ts"
import type { Envelope } from "./Envelope.ts"
import { type Event, SessionForked } from "./Event.ts"
import * as EventLog from "./EventLog.ts"
import * as MemorySessionStore from "./MemorySessionStore.ts"
import { copyTitle } from "./Projection.ts"
import { cutOff } from "./recover.ts"
import { type SessionBusy, type SessionFenced, type SessionNotFound, SessionStore } from "./SessionStore.ts"

/** The session has no such event, or the other one exists already; nothing was copied. */
export class ForkRefused extends Schema.TaggedError<ForkRefused>()("ForkRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Sessions of the project whose titles the copy's is told from. */
const compared = 1000

export type ForkError = ForkRefused | SessionNotFound | SessionBusy | SessionFenced | DatabaseError

/** The event without the id of the command that it answered, which was one of the other session. */
const unanswering = (event: Event): Event => {
  if (event._tag === "UnknownEvent" || !("commandId" in event)) return event
  const { commandId: _, ...rest } = event
  return rest as Event
}

/**
 * Stores a copy of a session up to an event under the id of another, in one transaction: what is open in it is ended, so that
 * nothing of it runs, waits or is granted there. Gives the event that tells of it.
 */
export const fork = (store: SessionStore["Type"], command: ForkSession): Effect.Effect<Envelope, ForkError> =>
  Effect.gen(function* () {
    const { fork: id, session: origin } = command
    const { head, project } = yield* store.get(origin)
    const last = command.last ?? head
    if (last > head) return yield* new ForkRefused({ reason: `Session ${origin} has ${head} events; ${last} is none.` })
    const copies = (yield* store.read(origin, 1, last)).map((envelope): Envelope => ({
      ...envelope,
      session: id,
      event: unanswering(envelope.event)
    }))
    const [first] = copies
    if (first?.event._tag !== "SessionCreated") {
      return yield* new ForkRefused({ reason: `Session ${origin} has no events yet.` })
    }
    const time = yield* Clock.currentTimeMillis
    const create = { project, profile: first.event.profile, time }
    // In memory first: all of it is stored at once, or nothing.
    const drafts = yield* Effect.provide(SessionStore, MemorySessionStore.layer)
    const draft = yield* drafts.open({ session: id, create })
    yield* drafts.append(draft, copies)
    const lease = { ...draft, head: last, created: false }
    const log = yield* EventLog.make(lease, drafts)
    const found = yield* Continuation.find(log, drafts, { goesOn: false })
    const { title } = yield* drafts.get(id)
    const others = (yield* store.list({ project, limit: compared })).map((one) => one.title)
    const named = title === "" ? {} : { title: copyTitle(title, others) }
    yield* log.emit(new SessionForked({ ...causeOf(command), origin, last, ...named }, trusted), {})
    yield* cutOff(log, found)
    yield* log.close
    const events = yield* drafts.read(id, 1, Number.MAX_SAFE_INTEGER)
    const own = yield* store.open({ session: id, create })
    if (!own.created) return yield* new ForkRefused({ reason: `Session ${id} exists already; choose another id.` })
    yield* store.append(own, events)
    const forked = events[last]
    return forked?.event._tag === "SessionForked"
      ? forked
      : yield* Effect.dieMessage("a fork without the event that tells of it")
  }).pipe(Effect.scoped)
