import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { causeOf, type ForkSession } from "./Command.ts"
import * as Continuation from "./continuation.ts"
import type { Envelope } from "./Envelope.ts"
import { SessionForked } from "./RuntimeEvent.ts"
import * as EventLog from "./EventLog.ts"
import { copyTitle } from "./Projection.ts"
import { cutOff } from "./recover.ts"
import type { SessionFilesFailed, SessionFilesShape } from "./SessionFiles.ts"
import type { SessionBusy, SessionFenced, SessionNotFound, SessionStore } from "./SessionStore.ts"

/** The session has no such event, or the other one exists already; nothing was copied. */
export class ForkRefused extends Schema.TaggedError<ForkRefused>()("ForkRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Sessions of the project whose titles the copy's is told from. */
const compared = 1000

export type ForkError = ForkRefused | SessionFilesFailed | SessionNotFound | SessionBusy | SessionFenced | DatabaseError

/** Takes back what was copied for a session that was not stored. */
const dropped = (files: SessionFilesShape, session: string): Effect.Effect<void> =>
  Effect.catchAll(files.remove(session), ({ path, reason }) =>
    Effect.logWarning(`Files that were copied for session ${session}, which was not made, stay at ${path}: ${reason}.`)
  )

/**
 * Stores a copy of a session up to an event under the id of another, in one transaction and page by page: what is open in it is ended, so that
 * nothing of it runs, waits or is granted there. Its files are copied before, so that no copy is without them. Gives the event that tells of it.
 */
export const fork = (
  store: SessionStore["Type"],
  files: SessionFilesShape,
  command: ForkSession
): Effect.Effect<Envelope, ForkError> =>
  Effect.gen(function* () {
    const { fork: id, session: origin } = command
    const { head, project } = yield* store.get(origin)
    const last = command.last ?? head
    if (last > head) return yield* new ForkRefused({ reason: `Session ${origin} has ${head} events; ${last} is none.` })
    const [first] = yield* store.read(origin, 1, 1)
    if (first?.event._tag !== "SessionCreated") {
      return yield* new ForkRefused({ reason: `Session ${origin} has no events yet.` })
    }
    const time = yield* Clock.currentTimeMillis
    const taken = new ForkRefused({ reason: `Session ${id} exists already; choose another id.` })
    const own = yield* store
      .open({ session: id, create: { project, profile: first.event.profile, time } })
      .pipe(Effect.catchTag("SessionBusy", () => taken))
    if (!own.created) return yield* taken
    const others = (yield* store.list({ project, limit: compared })).map((one) => one.title)
    const stored = store.copy(own, { session: origin, last }, ({ open, summary: { title } }) =>
      Effect.gen(function* () {
        const events: Array<Envelope> = []
        // What is open is known by the events of its tasks up to there; what is said of it comes behind the copy.
        const copied: SessionStore["Type"] = {
          ...store,
          unfinished: () => Effect.succeed(open),
          ofTasks: (_, which) =>
            Effect.map(store.ofTasks(origin, which), (found) => found.filter(({ seq }) => seq <= last)),
          tagged: (_, tags, from) =>
            Effect.map(store.tagged(origin, tags, from), (found) => found.filter(({ seq }) => seq <= last)),
          append: (_, batch) => Effect.sync(() => void events.push(...batch))
        }
        const log = yield* EventLog.make({ ...own, head: last, created: false }, copied)
        const found = yield* Continuation.find(log, copied, { goesOn: false })
        const named = title === "" ? {} : { title: copyTitle(title, others) }
        yield* log.emit(new SessionForked({ ...causeOf(command), origin, last, ...named }, trusted), {})
        yield* cutOff(log, found)
        yield* log.close
        return events
      }).pipe(Effect.scoped)
    )
    const [forked] = yield* files.copy(origin, id).pipe(
      Effect.zipRight(stored),
      Effect.onError(() => dropped(files, id))
    )
    return forked?.event._tag === "SessionForked"
      ? forked
      : yield* Effect.dieMessage("a fork without the event that tells of it")
  }).pipe(Effect.scoped)
