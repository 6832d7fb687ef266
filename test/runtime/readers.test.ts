import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Layer, Stream } from "effect"
import * as path from "node:path"
import { DatabaseFailed } from "../../src/database/DatabaseError.ts"
import { ResumeSession, SubmitPrompt } from "../../src/runtime/Command.ts"
import { decode, type Envelope, fromLine, toLine } from "../../src/runtime/Envelope.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { Narrator } from "../../src/ui/Narrator.ts"
import { storeIn } from "../support/doomed.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { Sqlite } from "../support/Sqlite.ts"

type Json = Readonly<Record<string, unknown>>

const recorded = Effect.gen(function* () {
  const session = yield* Testing.session()
  yield* session.run("go", "t")
  return yield* session.recorded
}).pipe(Effect.provide(Testing.layer({ model: [[{ say: "Done" }]] })))

/** The log of a later version: an event, fields and literals that this one does not know. */
const later = (envelopes: ReadonlyArray<Envelope>): ReadonlyArray<Json> =>
  [
    ...envelopes.slice(0, 3),
    { ...envelopes[2], event: { _tag: "BudgetReached", percent: 90, deep: { a: [1] } } },
    ...envelopes.slice(3)
  ].map((envelope, index) => {
    const json = JSON.parse(JSON.stringify({ ...envelope, seq: index + 1 })) as Json & { readonly event: Json }
    const literal = json.event["_tag"] === "ModelAnswered" ? { finish: "paused" } : {}
    const message = json.event["message"] as Json | undefined
    const more = message === undefined ? {} : { message: { ...message, sources: ["a"] } }
    return { ...json, trace: "abc", event: { ...json.event, ...literal, ...more, added: { by: "a later version" } } }
  })

const stored = (log: ReadonlyArray<Json>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const create = { project: "test", profile: "scripted", time: 0 }
    const lease = yield* store.open({ session: "session_1", create })
    yield* store.append(lease, yield* Effect.forEach(log, (json) => decode(json)))
  }).pipe(Effect.scoped)

describe("a log of a later version", () => {
  it.effect("is passed on as it is, and what is not known is shown by its tag (R12)", () =>
    Effect.gen(function* () {
      const log = later(yield* recorded)
      const envelopes = yield* Effect.forEach(log, (json) => fromLine(JSON.stringify(json)))
      assert.deepStrictEqual(
        envelopes.map((envelope) => JSON.parse(toLine(envelope)) as Json),
        log
      )
      const narrator = new Narrator()
      const told = JSON.stringify(envelopes.flatMap((envelope) => narrator.tell(envelope)))
      assert.include(told, "BudgetReached: an event of a later version")
      assert.include(told, "Done")
      assert.isTrue(Either.isLeft(decode({ ...log[0], version: 2 })), "a later envelope is refused")
      assert.isTrue(Either.isLeft(decode({ ...log[0], event: { tag: "x" } })))
    })
  )

  it.scopedLive("is read from the database and gone on with (R9, R12)", () =>
    Effect.gen(function* () {
      const log = later(yield* recorded)
      const folder = yield* temporaryDirectory
      const model = yield* Testing.Scripted.make(["Again"])
      yield* Effect.gen(function* () {
        yield* stored(log)
        const session = yield* Testing.session()
        const after = yield* session.run("on")
        assert.strictEqual(after.at(-1)?.event._tag, "TaskCompleted")
        const events = yield* session.recorded
        const same = events.slice(0, log.length).map(({ event }) => JSON.parse(JSON.stringify(event)) as Json)
        assert.deepStrictEqual(
          same,
          log.map(({ event }) => event)
        )
      }).pipe(Effect.provide(Testing.layer({ model, store: storeIn(folder), randomIds: true })))
      const [request] = yield* model.requests
      assert.deepStrictEqual(
        request?.messages.map(({ message }) => message.content),
        ["go", "Done", "on"]
      )
    })
  )

  it.effect.prop(
    "is known by its tag alone: any other change of an event leaves an event (R12)",
    [FastCheck.integer({ min: 0, max: 6 }), FastCheck.jsonValue(), FastCheck.nat()],
    ([index, value, pick]) =>
      Effect.gen(function* () {
        const log = later(yield* recorded)
        const { event, ...outside } = log[index % log.length] as { readonly event: Json }
        const names = Object.keys(event).filter((name) => name !== "_tag")
        const changed = { ...event, [names[pick % Math.max(1, names.length)] ?? "x"]: value }
        const read = yield* decode({ ...outside, event: changed })
        assert.deepStrictEqual(JSON.parse(JSON.stringify(read.event)), JSON.parse(JSON.stringify(changed)))
      }),
    { fastCheck: { numRuns: 100 } }
  )
})

/** What the runtime answers to a command. */
const answerTo = (session: string, commandId: string) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const events = yield* runtime.events
    yield* runtime.send(new ResumeSession({ session, commandId }))
    const answer = Stream.filter(events, ({ event }) => "commandId" in event && event.commandId === commandId)
    return yield* Effect.flatten(Stream.runHead(answer))
  })

describe("a session that cannot be read", () => {
  it.scopedLive("is not opened: the answer names the record and the ways to go on (R9)", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      yield* Effect.flatMap(Testing.session(), (session) => session.run("go")).pipe(
        Effect.provide(Testing.layer({ model: ["Done"], store: storeIn(folder) }))
      )
      const database = new Sqlite(path.join(folder, "doomed.db"))
      database.exec(`UPDATE events SET event = '{"id":' WHERE tag = 'ModelAnswered'`)
      database.close()
      const { event } = yield* answerTo("session_1", "c").pipe(
        Effect.provide(Testing.layer({ model: ["Done"], store: storeIn(folder) }))
      )
      assert.strictEqual(event._tag, "CommandRejected")
      if (event._tag !== "CommandRejected") return
      assert.include(event.reason, "of session session_1, event 5 cannot be read")
      assert.include(event.reason, "To restore a backup: copy it to")
      assert.include(event.reason, "To start with a new one: mkdir ")
    })
  )

  const failing = (broken: Partial<SessionStore["Type"]>) =>
    Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) => ({ ...store, ...broken }))
    ).pipe(Layer.provide(MemorySessionStore.layer))
  const failure = new DatabaseFailed({ file: "sessions.db", code: "test", reason: "it is broken" })

  /** A session of an earlier process, of which only the beginning was stored. */
  const begunBefore = Effect.flatMap(SessionStore, (store) =>
    Effect.scoped(
      Effect.flatMap(
        store.open({ session: "session_1", create: { project: "test", profile: "scripted", time: 0 } }),
        (lease) => Effect.flatMap(recorded, (events) => store.append(lease, events.slice(0, 4)))
      )
    )
  )

  it.effect("starts no task where nobody can tell whether it ran before (R9)", () =>
    Effect.gen(function* () {
      yield* begunBefore
      yield* answerTo("session_1", "c")
      const runtime = yield* Runtime
      const rejected = Stream.filter(yield* runtime.events, ({ event }) => event._tag === "CommandRejected")
      yield* runtime.send(new SubmitPrompt({ session: "session_1", task: "again", prompt: "go" }))
      assert.include(JSON.stringify(yield* Effect.flatten(Stream.runHead(rejected))), "it is broken")
      const kept = yield* (yield* SessionStore).read("session_1", 1, 100)
      assert.isFalse(kept.some(({ event, task }) => event._tag === "TaskQueued" && task === "again"))
    }).pipe(Effect.provide(Testing.layer({ model: ["Done"], store: failing({ hasTask: () => failure }) })))
  )

  for (const part of ["unfinished", "changes"] as const) {
    it.effect(`is not opened where its ${part} cannot be found (R9)`, () =>
      Effect.gen(function* () {
        const store = yield* SessionStore
        yield* begunBefore
        const { event } = yield* answerTo("session_1", "c")
        assert.deepInclude(event, { _tag: "CommandRejected", reason: failure.message })
        const kept = yield* store.read("session_1", 1, 100)
        assert.strictEqual(kept.length, 4, "nothing was written")
      }).pipe(Effect.provide(Testing.layer({ model: ["Done"], store: failing({ [part]: () => failure }) })))
    )
  }
})
