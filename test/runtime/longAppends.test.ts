import { SqlError } from "@effect/sql/SqlError"
import type { Connection } from "@effect/sql/SqlConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer } from "effect"
import { MessageRecorded } from "../../src/agent/AgentEvent.ts"
import { Database } from "../../src/database/Database.ts"
import { ForkSession } from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { SessionCreated } from "../../src/runtime/RuntimeEvent.ts"
import { fork } from "../../src/runtime/fork.ts"
import { SessionFiles } from "../../src/runtime/SessionFiles.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { failureOf } from "../support/failureOf.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const session = "origin"
const messages = 2000
const create = { project: "test", profile: "scripted", time: 0 }

/** A session whose messages have two megabytes, and one of them more than a batch. */
const events: ReadonlyArray<Envelope> = [
  new SessionCreated({ project: "test", profile: "scripted", commandId: "made" }),
  ...Array.from({ length: messages }, (_, at) => {
    const content = `message ${at} `.repeat(at === 7 ? 40_000 : 80)
    return new MessageRecorded({ message: { id: `m${at}`, message: { role: "user" as const, content } } })
  })
].map((event, at) => ({ version: 1, seq: at + 1, time: at, session, event }))

/** What the writer was given and gave at once, and how often anything else could run. */
class Seen {
  characters = 0
  rows = 0
  turns = 0
  /** Inserts that are let through; the next one fails. */
  inserts = Number.POSITIVE_INFINITY
}

const watched = (connection: Connection, seen: Seen): Connection => ({
  ...connection,
  execute: (statement, params, transform) =>
    Effect.tap(connection.execute(statement, params, transform), (rows) => {
      seen.rows = Math.max(seen.rows, rows.length)
      return Effect.void
    }),
  executeRaw: (statement, params) =>
    Effect.suspend(() => {
      for (const param of params)
        if (typeof param === "string") seen.characters = Math.max(seen.characters, param.length)
      if (statement.includes("INSERT INTO events") && seen.inserts-- <= 0) {
        return new SqlError({ cause: new Error("no room"), message: "refused" })
      }
      return connection.executeRaw(statement, params)
    })
})

/** A store whose writer is watched. */
const store = (seen: Seen) =>
  Layer.unwrapScoped(
    Effect.map(temporaryDirectory, (directory) =>
      SqlSessionStore.layer.pipe(
        Layer.provide(
          Layer.effect(
            Database,
            Effect.map(Database, (database) =>
              Database.of({
                ...database,
                write: (run, moved, forgets) =>
                  database.write((connection) => run(watched(connection, seen)), moved, forgets)
              })
            )
          )
        ),
        Layer.provide(Database.layer(`${directory}/db`)),
        Layer.orDie
      )
    )
  )

const turn = Effect.async<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** Counts the turns of the event loop that others had meanwhile. */
const counted = <A, E, R>(self: Effect.Effect<A, E, R>, seen: Seen) =>
  Effect.gen(function* () {
    seen.turns = 0
    const counting = yield* Effect.fork(Effect.forever(Effect.tap(turn, () => Effect.sync(() => seen.turns++))))
    const done = yield* self
    yield* Fiber.interrupt(counting)
    return done
  })

const all = (of: string) => Effect.flatMap(SessionStore, (sessions) => sessions.read(of, 1, 2 * messages))

const appended = Effect.flatMap(SessionStore, (sessions) =>
  Effect.scoped(Effect.flatMap(sessions.open({ session, create }), (lease) => sessions.append(lease, events)))
)

const forked = (id: string, last?: number) =>
  Effect.flatMap(Effect.all([SessionStore, SessionFiles]), ([sessions, files]) =>
    fork(sessions, files, new ForkSession({ session, fork: id, ...(last === undefined ? {} : { last }) }))
  )

describe("many events at once", () => {
  it.scopedLive("are stored in batches of bounded size, between which others run, all or none (K2, R5)", () => {
    const seen = new Seen()
    return Effect.gen(function* () {
      seen.inserts = 3
      assert.isTrue(Either.isLeft(yield* Effect.either(appended)))
      assert.deepStrictEqual(yield* all(session), [])
      seen.inserts = Number.POSITIVE_INFINITY
      yield* counted(appended, seen)
      assert.isAbove(seen.turns, 3)
      // The largest message, and what was in the batch before it.
      assert.isBelow(seen.characters, 1_200_000)
      assert.deepStrictEqual(yield* all(session), events)
    }).pipe(Effect.provide(store(seen)))
  })

  it.scopedLive("are copied to a fork page by page, between which others run, all or none (K6, R5)", () => {
    const seen = new Seen()
    return Effect.gen(function* () {
      yield* appended
      Object.assign(seen, new Seen(), { inserts: 3 })
      assert.include((yield* failureOf(forked("none"))).message, "no room")
      assert.deepStrictEqual(yield* all("none"), [])
      seen.inserts = Number.POSITIVE_INFINITY
      const { event, seq } = yield* counted(forked("copy"), seen)
      assert.deepInclude(event, { _tag: "SessionForked", origin: session, last: messages + 1 })
      assert.strictEqual(seq, messages + 2)
      assert.isAbove(seen.turns, 3)
      assert.isAtMost(seen.rows, 200)
      assert.isBelow(seen.characters, 1_200_000)
      const [first, ...rest] = (yield* all("copy")).slice(0, -1)
      assert.deepStrictEqual(first?.event, new SessionCreated({ project: "test", profile: "scripted" }))
      assert.deepStrictEqual(
        rest.map((envelope) => ({ ...envelope, session })),
        events.slice(1)
      )
      const cut = yield* forked("cut", 450)
      assert.strictEqual(cut.seq, 451)
      assert.strictEqual((yield* all("cut")).length, 451)
      assert.deepStrictEqual(yield* all(session), events)
    }).pipe(Effect.provide(store(seen)))
  })
})
