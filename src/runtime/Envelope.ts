import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { isDeepText, maxJsonDepth } from "../text/Json.ts"
import { visibleJson } from "../text/visible.ts"
import { decodeEvent, Event, type Event as AnyEvent } from "./Event.ts"
import { unicodeJson } from "../text/wellFormed.ts"

/** The version of the envelope and of every event in it; see docs/events.md for what may change within one. */
export const schemaVersion = 1

/** A line that no event has, as nothing of one is nested so deep. */
export class EventTooDeep extends Schema.TaggedError<EventTooDeep>()("EventTooDeep", { levels: Schema.Number }) {
  override get message() {
    return `the event is nested deeper than ${this.levels} levels`
  }
}

/** An event and where it belongs. */
export const Envelope = Schema.Struct({
  version: Schema.Literal(schemaVersion),
  /**
   * Numbers durable events per session from 1 without a gap. A transient event carries the number of the durable event
   * that it follows.
   */
  seq: Schema.Number,
  /** Epoch milliseconds. */
  time: Schema.Number,
  session: Schema.String,
  task: Schema.optionalWith(Schema.String, { exact: true }),
  /** The iteration of the agent loop, from 1. */
  iteration: Schema.optionalWith(Schema.Number, { exact: true }),
  /** From the root worker to the one that it concerns. */
  worker: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  /** Present on events that are not stored. */
  transient: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  event: Event
})
export interface Envelope extends Omit<typeof Envelope.Type, "event"> {
  readonly event: AnyEvent
}

/** Where an event belongs inside its session. */
export type Place = Pick<Envelope, "task" | "iteration" | "worker">

/**
 * One envelope as a line of JSONL, without the newline; every field of an event is its own JSON form, and what has no glyph
 * is escaped.
 */
export const toLine = (envelope: Envelope): string => visibleJson(unicodeJson(JSON.stringify(envelope)))

/** Levels of the data of an event around what a call or its model brings. */
export const maxEventDepth = 2 * maxJsonDepth

const Outside = Schema.Struct({ ...Envelope.fields, event: Schema.Unknown })
const decodeOutside = Schema.decodeUnknownEither(Outside, { onExcessProperty: "preserve" })

/** An envelope of this version; fields added by later ones are ignored. */
export const decode = (input: unknown): Either.Either<Envelope, ParseError> =>
  Either.flatMap(decodeOutside(input), (envelope) =>
    Either.map(decodeEvent(envelope.event), (event) => ({ ...envelope, event }))
  )

const parse = Schema.decodeUnknownEither(Schema.parseJson())

/** The envelope of a line. */
export const fromLine = (line: string): Either.Either<Envelope, EventTooDeep | ParseError> =>
  isDeepText(line, maxEventDepth)
    ? Either.left(new EventTooDeep({ levels: maxEventDepth }))
    : Either.flatMap(parse(line), decode)
