import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { failureOf } from "../support/failureOf.ts"
import { contract, create, history, numbered } from "../support/storeContract.ts"
import { tracing } from "../tool/support.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { Sqlite } from "../support/Sqlite.ts"

describe("SessionStore", () => {
  it.scopedLive("SQLite: sees the owner that another connection of its process has, however often it looks (R9)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "store.db")
      const build = Layer.build(SqlSessionStore.layer.pipe(Layer.provide(Database.layer(file))))
      const [owner, other] = [yield* build, yield* build].map((built) => Context.get(built, SessionStore))
      const scope = yield* Scope.make()
      const lease = yield* Scope.extend(owner!.open({ session: "s", create }), scope)
      yield* Effect.scoped(other!.open({ session: "t", create }))
      for (let times = 0; times < 3; times++) {
        assert.strictEqual((yield* failureOf(other!.open({ session: "s" })))._tag, "SessionBusy")
      }
      yield* owner!.append(lease, numbered(lease, history))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* other!.open({ session: "s" })).epoch, 2)
    })
  )
  for (const [name, change, says] of [
    [
      "changed",
      "UPDATE events SET event = replace(event, 'hello', 'hollo') WHERE seq = 1",
      "events 1 to 7 were changed"
    ],
    ["changed in its columns", "UPDATE events SET iteration = 2 WHERE seq = 7", "events 1 to 7 were changed"],
    ["missing in the middle", "DELETE FROM events WHERE seq = 4", "event 4 is missing"],
    ["missing at the beginning", "DELETE FROM events WHERE seq = 1", "event 1 is missing"],
    ["no event", "UPDATE events SET event = '{' WHERE seq = 2", "event 2 cannot be read"],
    ["missing at the end", "DELETE FROM events WHERE seq = 7", "should have 7 events and its last one is 6"]
  ] as const) {
    it.scopedLive(`SQLite: says which event is ${name}, and hands out nothing instead (R9)`, () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "store.db")
        const using = <A, E>(use: (store: SessionStore["Type"]) => Effect.Effect<A, E, Scope.Scope>) =>
          Effect.scoped(
            Effect.provide(
              Effect.flatMap(SessionStore, use),
              Layer.provide(SqlSessionStore.layer, Database.layer(file))
            )
          )
        yield* using((store) =>
          Effect.flatMap(store.open({ session: "s", create }), (lease) => store.append(lease, numbered(lease, history)))
        )
        const sqlite = new Sqlite(file)
        sqlite.exec(change)
        sqlite.close()
        const open = (store: SessionStore["Type"]) => store.open({ session: "s" })
        const read = (store: SessionStore["Type"]) => store.read("s", 1, 100)
        const ways = [failureOf(using(read)), ...(name === "missing at the end" ? [failureOf(using(open))] : [])]
        for (const way of ways) {
          const error = yield* way
          assert.strictEqual(error._tag, "DatabaseDamaged")
          assert.include(error.message, says)
          assert.include(error.message, "session s")
        }
      })
    )
  }
  it.scopedLive(
    "SQLite: finds the answer to a command and a task by their indexes, and walks through no session for them (P1)",
    () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "store.db")
        const { spans, tracer } = tracing()
        const store = Context.get(
          yield* Layer.build(SqlSessionStore.layer.pipe(Layer.provide(Database.layer(file)))),
          SessionStore
        )
        const lease = yield* store.open({ session: "s", create })
        yield* store.append(lease, numbered(lease, history))
        yield* Effect.withTracer(Effect.zip(store.answer("s", "command"), store.hasTask("s", "task")), tracer)
        const asked = spans.flatMap(({ attributes }) => attributes.get("db.query.text") ?? []).map(String)
        const sqlite = new Sqlite(file)
        const plan = asked.flatMap((text) => sqlite.all(`EXPLAIN QUERY PLAN ${text}`).map(({ detail }) => detail))
        sqlite.close()
        assert.include(plan, "SEARCH events USING INDEX events_answers (session_id=? AND <expr>=?)")
        assert.include(plan, "SEARCH events USING INDEX events_queued (session_id=? AND task_id=?)")
      })
  )
  contract("memory", Effect.succeed(MemorySessionStore.layer))
  contract(
    "SQLite",
    Effect.map(temporaryDirectory, (folder) =>
      SqlSessionStore.layer.pipe(Layer.provide(Database.layer(path.join(folder, "store.db"))))
    )
  )
})
