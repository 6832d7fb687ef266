import * as Schema from "effect/Schema"
import * as zlib from "node:zlib"

/** An event as it is stored. */
export const StoredEvent = Schema.Struct({
  seq: Schema.Number,
  time: Schema.Number,
  tag: Schema.String,
  task_id: Schema.NullOr(Schema.String),
  iteration: Schema.NullOr(Schema.Number),
  worker: Schema.NullOr(Schema.String),
  /** JSON. */
  event: Schema.String,
  /** Of the events that were committed together, on the first of them: the number of the last and their CRC-32. */
  checksum: Schema.NullOr(Schema.String)
})
export type StoredEvent = typeof StoredEvent.Type

/** An event that is about to be stored. */
export type NewEvent = Omit<StoredEvent, "checksum">

/** Text that a database gives back as it was, byte for byte. */
const plain = /^[\x20-\x7e]*$/

const told = (text: string | null): string | null => (text !== null && plain.test(text) ? text : null)

const add = (sum: number, { event, iteration, seq, tag, task_id, time, worker }: NewEvent): number =>
  zlib.crc32(`${seq} ${time} ${tag} ${told(task_id)} ${iteration} ${told(worker)} ${event}\n`, sum)

/** The checksum of events that are committed together, for the first of them to carry. */
export const of = (events: ReadonlyArray<NewEvent>): string =>
  `${events[events.length - 1]?.seq ?? 0}:${events.reduce(add, 0).toString(16)}`

/** Reads stored events of one session in order, from any one on, and says what is wrong with them. */
export class Reading {
  private next: number
  private batch: { readonly first: number; readonly last: number; readonly sum: string } | undefined
  private sum = 0

  constructor(from: number) {
    this.next = from
  }

  /** What is wrong with this event or those that were committed with it; those of older versions have no checksum. */
  fault(row: StoredEvent): string | undefined {
    if (row.seq !== this.next) return `event ${this.next} is missing`
    this.next = row.seq + 1
    const [, last, sum = ""] = /^(\d+):([0-9a-f]+)$/.exec(row.checksum ?? "") ?? []
    if (last !== undefined) {
      this.batch = { first: row.seq, last: Number(last), sum }
      this.sum = 0
    }
    if (this.batch === undefined) return undefined
    this.sum = add(this.sum, row)
    if (row.seq < this.batch.last) return undefined
    const { first, sum: expected } = this.batch
    this.batch = undefined
    if (this.sum.toString(16) === expected) return undefined
    return first < row.seq ? `events ${first} to ${row.seq} were changed` : `event ${row.seq} was changed`
  }
}
