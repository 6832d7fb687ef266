import * as Schema from "effect/Schema"
import { Event } from "./Event.ts"

/** The version of the envelope and of every event in it; see docs/events.md for what may change within one. */
export const schemaVersion = 1

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
export type Envelope = typeof Envelope.Type

/** Where an event belongs inside its session. */
export type Place = Pick<Envelope, "task" | "iteration" | "worker">

/** One envelope as a line of JSONL, without the newline; every field of an event is its own JSON form. */
export const toLine = (envelope: Envelope): string => JSON.stringify(envelope)

export const fromLine = Schema.decodeUnknown(Schema.parseJson(Envelope))
export const decode = Schema.decodeUnknown(Envelope)
