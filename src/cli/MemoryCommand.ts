import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Configuration } from "../config/Configuration.ts"
import * as Stores from "../host/Stores.ts"
import { Memory } from "../memory/Memory.ts"
import type { MemoryEntry } from "../memory/MemoryEntry.ts"
import { makeVisible, oneLine } from "../text/visible.ts"
import { project } from "./here.ts"
import * as JsonOutput from "./jsonOutput.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { ago } from "./Sessions.ts"
import { fit } from "./terminal/Layout.ts"
import { Screen } from "./terminal/Screen.ts"

/** This project remembers nothing under that number. */
export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>()("MemoryNotFound", {
  id: Schema.Number,
  project: Schema.String
}) {
  override get message() {
    return `${this.project} has no memory ${this.id}. tollgate memory list shows what there is.`
  }
}

/** Entries that are read at a time. */
const page = 100

const line = ({ createdAt, id, kind, scope, text }: MemoryEntry, now: number): string =>
  [String(id).padStart(5), kind.padEnd(10), scope.padEnd(7), ago(now - createdAt).padEnd(11), oneLine(text)].join("  ")

const fields = (entry: MemoryEntry) => ({
  ...entry,
  createdAt: DateTime.formatIso(DateTime.unsafeMake(entry.createdAt))
})

const record = (entry: MemoryEntry): string => JSON.stringify(fields(entry))

/** The rows of what was found, one each. */
export const rows = (found: ReadonlyArray<MemoryEntry>, now: number): ReadonlyArray<string> =>
  found.map((entry) => line(entry, now))

const printed = (found: ReadonlyArray<MemoryEntry>, { json, jsonl }: JsonOutput.JsonOptions, none: string) =>
  Effect.gen(function* () {
    const { answer, width } = yield* Screen
    if (json || jsonl) return yield* answer(JsonOutput.render(found.map(record), { json }))
    if (found.length === 0) return yield* answer(`${none}\n`)
    const now = yield* Clock.currentTimeMillis
    yield* answer(
      rows(found, now)
        .map((row) => `${fit(row, width() - 1)}\n`)
        .join("")
    )
  })

/** The entry of that number, if it is one of the project. */
export const found = (id: number, project: string) =>
  Effect.gen(function* () {
    const entry = yield* (yield* Memory).find(id)
    return entry === undefined || entry.project !== project ? yield* new MemoryNotFound({ id, project }) : entry
  })

/** Forgets the entry of that number, if it is one of the project; gives what it was. */
export const forgotten = (id: number, project: string) =>
  Effect.tap(found(id, project), () => Effect.flatMap(Memory, (memory) => memory.forget(id)))

const reading = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    Effect.provide(Stores.memory),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(ReadOnlyHome.reading)
  )

/** Lists what the project remembers, its sessions included, latest first. */
export const list = ({ limit, ...json }: JsonOutput.JsonOptions & { readonly limit: number }) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf(json)
    const here = yield* project
    const entries = yield* (yield* Memory).list({ project: here, limit })
    yield* printed(
      entries,
      json,
      `${here} remembers nothing yet. Type # and a note at the prompt, or let the model remember.`
    )
  }).pipe(reading)

/** Finds what the project remembers with any of the words, best first. */
export const search = ({
  limit,
  query,
  ...json
}: JsonOutput.JsonOptions & { readonly limit: number; readonly query: string }) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf(json)
    const here = yield* project
    const entries = yield* (yield* Memory).retrieve({ project: here, query, limit })
    yield* printed(entries, json, `Nothing that ${here} remembers has any of these words.`)
  }).pipe(reading)

export interface OneOptions {
  readonly id: number
  readonly json: boolean
}

/** Shows one entry whole, with all that is known of it. */
export const show = ({ id, json }: OneOptions) =>
  Effect.gen(function* () {
    const { answer } = yield* Screen
    const entry = yield* found(id, yield* project)
    if (json) return yield* JsonOutput.document(fields(entry))
    const facts = [
      ["kind", entry.kind],
      ["scope", entry.scope],
      ["session", entry.sessionId],
      ["noted", DateTime.formatIso(DateTime.unsafeMake(entry.createdAt))],
      ...Object.entries(entry.metadata)
    ]
    yield* answer(
      `${facts.map(([name = "", value = ""]) => `${makeVisible(name)}: ${makeVisible(value)}\n`).join("")}\n`
    )
    yield* answer(`${makeVisible(entry.text)}\n`)
  }).pipe(reading)

/** Forgets one entry. */
export const forget = ({ id, json }: OneOptions) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const entry = yield* forgotten(id, yield* project)
    if (json) return yield* JsonOutput.document({ ...fields(entry), forgotten: true })
    const { text } = entry
    yield* answer(`${style.green("✓")} forgotten: ${oneLine(text)}\n`)
  }).pipe(
    Effect.provide(Stores.memory),
    Effect.provide(Screen.layer({ split: false })),
    Effect.provide(Configuration.layer())
  )

/** Prints all that the project remembers as JSON, latest first. */
export const exported = (json: JsonOutput.JsonOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf(json)
    const { answer } = yield* Screen
    const memory = yield* Memory
    const here = yield* project
    const entries = Stream.paginateChunkEffect(undefined as number | undefined, (before) =>
      Effect.map(memory.list({ project: here, limit: page, ...(before === undefined ? {} : { before }) }), (found) => [
        Chunk.fromIterable(found),
        found.length < page ? Option.none() : Option.fromNullable(found.at(-1)?.id)
      ])
    )
    if (json.json) {
      const all = yield* Stream.runCollect(Stream.map(entries, record))
      return yield* answer(JsonOutput.render([...all], { json: true }))
    }
    yield* Stream.runForEachChunk(entries, (chunk) =>
      answer(JsonOutput.render(Chunk.toReadonlyArray(chunk).map(record), { json: false }))
    )
  }).pipe(reading)
