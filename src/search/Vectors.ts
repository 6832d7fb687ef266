import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Pace from "../system/Pace.ts"
import type { Embedder } from "./Embeddings.ts"
import { conditions, isNarrow } from "./narrow.ts"
import type { Filter } from "./Search.ts"

/** A vector as it is stored: a byte for each dimension, the longest one 127. */
export const quantized = (vector: Float32Array): Int8Array | undefined => {
  const most = vector.reduce((known, value) => Math.max(known, Math.abs(value)), 0)
  return most > 0 && Number.isFinite(most)
    ? Int8Array.from(vector, (value) => Math.round((value / most) * 127))
    : undefined
}

/** Bytes of vectors that are kept; of more, the latest are. */
const maxBytes = 128 * 1024 * 1024
/** Rows of one read. */
const page = 20_000
/** Rows that are compared before others get their turn. */
const stretch = 10_000

interface Row {
  readonly id: number
  readonly message_id: number
  /** Bytes, unless another program has changed the row. */
  readonly vector: unknown
}

/** The messages that are most similar so far, the most similar first. */
class Best {
  /** A less similar message is none of them. */
  least: number
  private readonly limit: number
  private readonly allowed: ((id: number) => boolean) | undefined
  private readonly found: Array<{ readonly id: number; readonly cosine: number }> = []

  constructor(similar: number, limit: number, allowed: ((id: number) => boolean) | undefined) {
    this.least = similar
    this.limit = limit
    this.allowed = allowed
  }

  get ids(): ReadonlyArray<number> {
    return this.found.map(({ id }) => id)
  }

  add(id: number, cosine: number): void {
    const { allowed, found, limit } = this
    if (allowed !== undefined && !allowed(id)) return
    const place = found.findIndex((one) => one.cosine < cosine)
    found.splice(place < 0 ? found.length : place, 0, { id, cosine })
    if (found.length <= limit) return
    found.pop()
    this.least = found[limit - 1]!.cosine
  }
}

/** The vectors of one model and length, in one buffer. */
class Kept {
  readonly model: string
  readonly dimensions: number
  /** How many there is room for. */
  readonly capacity: number
  count = 0
  /** The row that was read last. */
  last = 0
  bytes = new Int8Array(0)
  messages = new Float64Array(0)
  /** 1 by the length of each. */
  inverse = new Float32Array(0)

  constructor(model: string, dimensions: number) {
    this.model = model
    this.dimensions = dimensions
    this.capacity = Math.floor(maxBytes / dimensions)
  }

  private grow(count: number): void {
    if (count <= this.messages.length) return
    const size = Math.min(this.capacity, Math.max(count, this.messages.length * 2, 1024))
    const { bytes, inverse, messages } = this
    this.bytes = new Int8Array(size * this.dimensions)
    this.bytes.set(bytes)
    this.messages = new Float64Array(size)
    this.messages.set(messages)
    this.inverse = new Float32Array(size)
    this.inverse.set(inverse)
  }

  add({ id, message_id, vector }: Row): void {
    const { dimensions } = this
    this.last = id
    if (!(vector instanceof Uint8Array) || vector.length !== dimensions) return
    this.grow(Math.min(this.count + 1, this.capacity))
    // The oldest gives way where there is no room.
    const at = this.count % this.capacity
    this.bytes.set(new Int8Array(vector.buffer, vector.byteOffset, dimensions), at * dimensions)
    this.messages[at] = message_id
    let squares = 0
    for (let index = at * dimensions; index < (at + 1) * dimensions; index++) squares += this.bytes[index]! ** 2
    this.inverse[at] = squares === 0 ? 0 : 1 / Math.sqrt(squares)
    this.count++
  }

  /** Compares some rows with a query, whose length is `norm`. */
  private compare(query: Int8Array, norm: number, from: number, to: number, best: Best): void {
    const { bytes, dimensions, inverse, messages } = this
    const whole = dimensions - (dimensions % 4)
    for (let row = from; row < to; row++) {
      const start = row * dimensions
      let dot = 0
      for (let at = 0; at < whole; at += 4) {
        const from = start + at
        dot =
          (dot +
            Math.imul(bytes[from]!, query[at]!) +
            Math.imul(bytes[from + 1]!, query[at + 1]!) +
            Math.imul(bytes[from + 2]!, query[at + 2]!) +
            Math.imul(bytes[from + 3]!, query[at + 3]!)) |
          0
      }
      for (let at = whole; at < dimensions; at++) dot += bytes[start + at]! * query[at]!
      const cosine = (dot * inverse[row]!) / norm
      if (cosine >= best.least) best.add(messages[row]!, cosine)
    }
  }

  /** The messages that are most similar to a vector, the most similar first; others run meanwhile. */
  nearest(query: Int8Array, best: Best): Effect.Effect<ReadonlyArray<number>> {
    const size = Math.min(this.count, this.capacity)
    const norm = Math.sqrt(query.reduce((sum, value) => sum + value * value, 0))
    const pace = Pace.make()
    const all = Effect.loop(0, {
      while: (from) => from < size,
      step: (from) => from + stretch,
      body: (from) =>
        Effect.zipRight(
          Effect.sync(() => this.compare(query, norm, from, Math.min(from + stretch, size), best)),
          pace
        ),
      discard: true
    })
    return Effect.map(all, () => best.ids)
  }
}

/** The vectors of the database, read once and then what is new of them. */
export const make = (sql: SqlClient) => {
  let kept: Kept | undefined
  const one = Effect.unsafeMakeSemaphore(1)

  const more = (vectors: Kept): Effect.Effect<Kept, SqlError> =>
    Effect.flatMap(
      sql<Row>`SELECT id, message_id, vector FROM vectors
        WHERE id > ${vectors.last} AND model = ${vectors.model} ORDER BY id LIMIT ${page}`,
      (rows) => {
        for (const row of rows) vectors.add(row)
        return rows.length < page ? Effect.succeed(vectors) : more(vectors)
      }
    )
  const current = (model: string, dimensions: number) =>
    one.withPermits(1)(
      Effect.suspend(() => {
        if (kept === undefined || kept.model !== model || kept.dimensions !== dimensions)
          kept = new Kept(model, dimensions)
        return more(kept)
      })
    )
  /** Whether a message is wanted, by its id. */
  const allowed = (filter: Filter) =>
    isNarrow(filter)
      ? Effect.map(
          sql<{ readonly id: number }>`SELECT id FROM messages WHERE ${sql.and(conditions(sql, filter))}`.values,
          (rows) => {
            const ids = new Set(rows.map(([id]) => Number(id)))
            return (id: number) => ids.has(id)
          }
        )
      : Effect.succeed(undefined)
  /** Those of them that still have a vector: what was deleted stays in the buffer until it is read anew. */
  const existing = (ids: ReadonlyArray<number>, model: string) =>
    Effect.map(
      sql<{ readonly id: number }>`SELECT wanted.value AS id FROM json_each(${JSON.stringify(ids)}) AS wanted
        CROSS JOIN vectors ON vectors.message_id = wanted.value AND vectors.model = ${model}`,
      (rows) => new Set(rows.map(({ id }) => id))
    )

  return {
    /** The messages that are most similar to a vector, the most similar first, each once. */
    nearest: (
      vector: Float32Array,
      { model, similar }: Pick<Embedder, "model" | "similar">,
      filter: Filter,
      limit: number
    ): Effect.Effect<ReadonlyArray<number>, SqlError> =>
      Effect.gen(function* () {
        const query = quantized(vector)
        if (query === undefined) return []
        const vectors = yield* current(model, query.length)
        const best = new Best(similar, limit * 2, yield* allowed(filter))
        const found = [...new Set(yield* vectors.nearest(query, best))]
        const present = yield* existing(found, model)
        if (present.size < found.length) kept = undefined
        return found.filter((id) => present.has(id)).slice(0, limit)
      })
  }
}
