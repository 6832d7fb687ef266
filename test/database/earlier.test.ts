import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { additions } from "../../src/database/additions.ts"
import { Database } from "../../src/database/Database.ts"
import { migrations } from "../../src/database/migrations.ts"
import { open } from "../../src/database/Sqlite.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import { nameOf, sqlOf, versions } from "../support/earlierDatabase.ts"
import { failureOf } from "../support/failureOf.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const fixture = (name: string): string => fs.readFileSync(path.resolve("test/fixtures/schemas", name), "utf8")

/** A file as a program of that version left it. */
const made = (sql: string) =>
  Effect.gen(function* () {
    const file = path.join(yield* temporaryDirectory, "tollgate.db")
    yield* Effect.scoped(
      Effect.flatMap(open(file, { readonly: false, wal: true }), (connection) => connection.script(sql))
    )
    return file
  })

const services = (file: string) => {
  const database = Layer.orDie(Database.layer(file))
  return Layer.mergeAll(
    Testing.layer({ model: ["Found."], store: Layer.provide(SqlSessionStore.layer, database), randomIds: true }),
    Layer.provide(Memory.layerSql, database),
    database
  )
}

describe("a database of an earlier version", () => {
  for (const version of versions) {
    const name = nameOf(version)
    it.scopedLive(`${name} is opened, upgraded and gone on with, behind a backup (K4)`, () =>
      Effect.gen(function* () {
        const sql = fixture(name)
        // A step that has been released is never changed.
        assert.strictEqual(sqlOf(version), sql, `the steps up to ${name} are those that were released`)
        const file = yield* made(sql)
        yield* Effect.gen(function* () {
          const store = yield* SessionStore
          const runtime = yield* Runtime
          const { read } = yield* Database
          const [row] =
            yield* read`SELECT additions, (SELECT user_version FROM pragma_user_version) AS version FROM store`
          assert.deepStrictEqual({ ...row }, { additions: additions.length, version: migrations.length })
          assert.deepInclude(yield* store.get("ended"), { title: "where is the lighthouse", head: 9, status: "open" })
          const told = yield* store.read("ended", 1, 100)
          const later = told.find(({ seq }) => seq === 8)
          assert.deepInclude(later?.event, { _tag: "UnknownEvent", tag: "FutureThing" })
          assert.deepStrictEqual(
            (yield* store.messages("ended", 10)).map(({ message }) => message.role),
            ["user", "assistant", "tool"]
          )
          const { calls, tasks } = yield* store.unfinished("crashed")
          assert.deepStrictEqual(
            [tasks, calls.map((call) => [call.callId, call.mayHaveHappened])],
            [["t1"], [["c1", true]]]
          )
          const ended = yield* runtime.session({ id: "ended", resume: true })
          assert.strictEqual((yield* ended.prompt("and now?")).text, "Found.")
          yield* runtime.session({ id: "crashed", resume: true })
          const repaired = (yield* store.tagged("crashed", ["SessionResumed"])).at(-1)?.event
          assert.deepInclude(repaired, {
            unknownCalls: 1,
            repaired: { tasks: 1, calls: 1, workers: 0, requests: 0 }
          })
          const kept = yield* (yield* Memory).list({ project: "/there", limit: 10 })
          assert.strictEqual(kept.length, version.version < 4 ? 0 : 1)
        }).pipe(Effect.provide(services(file)))
        const isPresent = version.version === migrations.length && version.added === additions.length
        assert.strictEqual(fs.existsSync(`${file}.v${version.version}.${version.added}.backup`), !isPresent)
      })
    )
  }

  it("has a fixture for each version (K4)", () => {
    assert.deepStrictEqual(
      fs.readdirSync(path.resolve("test/fixtures/schemas")).toSorted(),
      versions.map(nameOf).toSorted()
    )
  })

  it.scopedLive("of a later version is refused unharmed (K4)", () =>
    Effect.gen(function* () {
      const last = versions.at(-1)!
      const file = yield* made(`${fixture(nameOf(last))}PRAGMA user_version = ${migrations.length + 1};`)
      const before = fs.readFileSync(file)
      const refused = yield* failureOf(Effect.scoped(Layer.build(Database.layer(file))))
      assert.strictEqual(refused._tag, "DatabaseTooNew")
      assert.isTrue(before.equals(fs.readFileSync(file)))
    })
  )
})
