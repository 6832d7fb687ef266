import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Redactor } from "../redaction/Redactor.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { type Event, isTransient } from "../runtime/Event.ts"
import { messageOf, titleOf } from "../runtime/Projection.ts"
import { isRewound } from "../runtime/Rewound.ts"
import { redactAhead, redactEvent } from "../runtime/redactEvent.ts"
import { type SessionNotFound, SessionStore } from "../runtime/SessionStore.ts"
import { DocumentSession, Entry, keep, keepSession, MessageFields, type Omissions, ordered } from "./Document.ts"
import { wellFormed } from "../text/wellFormed.ts"

/** A stored session as a document: what is said of it, and its entries in order. */
export interface StoredSession {
  readonly session: DocumentSession
  /** What it was when the session was looked up, as often as it is read. */
  readonly entries: Stream.Stream<Entry, DatabaseError>
}

/** Events that are read at once. */
const page = 256

const sessionOf = Schema.decodeUnknownOption(DocumentSession)
const fieldsOf = Schema.decodeUnknownOption(MessageFields)
const entryOf = Schema.decodeUnknownOption(Entry)

/** The JSON of an event. */
const dataOf = (event: Event): Readonly<Record<string, unknown>> =>
  event._tag === "UnknownEvent" ? { ...event.json } : { ...event }

const placeOf = ({ iteration, task, worker }: Envelope) => ({
  ...(task === undefined ? {} : { task }),
  ...(iteration === undefined ? {} : { iteration }),
  ...(worker === undefined ? {} : { worker })
})

/** The entry that an event is; one that an import wrote is what it was in the file. */
const entry = (envelope: Envelope, isRewound: boolean): Entry | undefined => {
  const taken = isRewound ? ({ rewound: true } as const) : {}
  const { event, time } = envelope
  if (event._tag === "HistoryImported") return Option.getOrUndefined(entryOf(event.entry))
  const stored = messageOf(event)
  if (stored === undefined) return { happened: { after: 0, time, ...placeOf(envelope), event: dataOf(event) } }
  const { id, message, provider, reasoning } = stored
  const own = { ...message, ...(reasoning === undefined ? {} : { reasoning }) }
  if (event._tag === "MessageRecorded" && event.imported !== undefined) {
    return { message: { ...Option.getOrElse(fieldsOf(event.imported), () => ({})), ...own, ...taken } }
  }
  const { _tag, message: _, ...details } = dataOf(event)
  return {
    message: {
      id,
      ...own,
      createdAt: time,
      ...placeOf(envelope),
      event: String(_tag),
      ...(Object.keys(details).length === 0 ? {} : { details }),
      ...(provider === undefined ? {} : { provider }),
      ...taken
    }
  }
}

/** Numbers events by the messages before them, and gives each message an id that no other has. */
class Numbering {
  private readonly ids = new Set<string>()
  private count = 0

  next(entry: Entry): Entry {
    if ("happened" in entry) return { happened: { ...entry.happened, after: this.count } }
    this.count += 1
    return { message: ordered({ ...entry.message, id: this.own(entry.message.id ?? `message_${this.count}`) }) }
  }

  private own(id: string): string {
    let free = id
    for (let more = 2; this.ids.has(free); more++) free = `${id}~${more}`
    this.ids.add(free)
    return free
  }
}

/** Looks a session up; its entries are read page by page, and redacted once more. */
export const find = (
  id: string,
  omitted: Omissions = {}
): Effect.Effect<StoredSession, SessionNotFound | DatabaseError, SessionStore> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const redactor = yield* Redactor
    const { head, ...summary } = yield* store.get(id)
    const [created, second] = yield* store.read(id, 1, 2)
    const directory = created?.event._tag === "SessionCreated" ? created.event.directory : undefined
    const from = second?.event._tag === "SessionImported" ? second.event : undefined
    const { createdAt, profile, project, status, title, updatedAt } = summary
    const own = { updatedAt, status, profile, project, ...(directory === undefined ? {} : { directory }) }
    const known = from === undefined ? undefined : Option.getOrUndefined(sessionOf(from.origin))
    const { id: _, title: __, ...origin } = known ?? { id, title }
    const session: DocumentSession = wellFormed({
      id,
      title: redactor.text(from !== undefined && titleOf(from.title) === title ? from.title : title),
      // As long as nothing was added to what was imported, its document is that of the file.
      ...(from === undefined || head > from.last ? { createdAt, ...own } : origin)
    })
    const rewound = yield* store.rewound(id)
    const events = Stream.paginateChunkEffect(from === undefined ? 1 : 3, (at) =>
      Effect.map(store.read(id, at, Math.max(0, Math.min(page, head + 1 - at))), (found) => {
        const next = at + found.length
        const more = found.length > 0 && next <= head ? Option.some(next) : Option.none<number>()
        return [Chunk.unsafeFromArray(found), more] as const
      })
    )
    return {
      session: keepSession(session, omitted),
      entries: Stream.suspend(() => {
        const numbering = new Numbering()
        return events.pipe(
          Stream.mapEffect((envelope): Effect.Effect<Envelope> =>
            isTransient(envelope.event)
              ? Effect.succeed(envelope)
              : Effect.map(redactAhead(envelope.event, redactor), () => ({
                  ...envelope,
                  event: isTransient(envelope.event) ? envelope.event : redactEvent(envelope.event, redactor)
                }))
          ),
          Stream.map((envelope) => {
            const found = entry(envelope, isRewound(rewound, envelope.seq))
            const kept = found === undefined ? undefined : keep(found, omitted)
            return kept === undefined ? undefined : numbering.next(wellFormed(kept))
          }),
          Stream.filter((found) => found !== undefined)
        )
      })
    }
  })
