import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import * as fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as path from "node:path"
import { Ledger } from "../../src/cost/Ledger.ts"
import { Database, type Write } from "../../src/database/Database.ts"
import { checkEngine, isSound } from "../../src/database/Engine.ts"
import { migrations } from "../../src/database/migrations.ts"
import * as SessionCheck from "../../src/runtime/SessionCheck.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { failureOf } from "../support/failureOf.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { Sqlite } from "../support/Sqlite.ts"

const opened = (file: string) => Effect.scoped(Layer.build(Database.layer(file)))
const insert =
  (id: string): Write<unknown> =>
  (connection) =>
    connection.executeRaw(
      "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch) VALUES (?, 'p', 'q', 0, 0, 0)",
      [id]
    )

/** Lets the next note of a commit in the anchor, which follows the commit itself, fail as a broken disk does; gives what mends it. */
const failAnchorOnce = (): (() => void) => {
  const system = process.getBuiltinModule("node:fs")
  const { writeSync } = system
  const put = (write: (...args: ReadonlyArray<never>) => number) => {
    Object.assign(system, { writeSync: write })
    syncBuiltinESMExports()
  }
  let left = 1
  put((...args) => {
    const [, , , length, position] = args as ReadonlyArray<unknown>
    if (length === 256 && Number(position) >= 3 * 256 && left-- > 0)
      throw Object.assign(new Error("input/output error"), { code: "EIO" })
    return writeSync(...(args as unknown as Parameters<typeof writeSync>))
  })
  return () => put(writeSync as (...args: ReadonlyArray<never>) => number)
}

describe("Database", () => {
  it.scopedLive("sets FULL on every open, not only on the first (K4)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "a.db")
      yield* opened(file)
      const level = Effect.gen(function* () {
        const database = yield* Database
        return yield* database.write((connection) => connection.execute("PRAGMA synchronous", [], undefined))
      })
      const rows = yield* Effect.provide(level, Database.layer(file))
      assert.deepStrictEqual(rows, [{ synchronous: 2 }])
    })
  )

  it.scopedLive("opens as version 6.2 left it, with all its sessions, and keeps a ledger from then on (K4, C1)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "a.db")
      const old = new Sqlite(file)
      old.exec(fs.readFileSync(new URL("../fixtures/databases/v6.2.sql", import.meta.url), "utf8"))
      old.close()
      const found = yield* Effect.gen(function* () {
        const store = yield* SessionStore
        const [session] = yield* store.list({ limit: 10 })
        const said = yield* store.messages(session?.id ?? "", 10)
        return {
          title: session?.title,
          said: said.flatMap(({ message }) =>
            message.role === "assistant" && message.content !== null ? [message.content] : []
          ),
          sound: (yield* SessionCheck.check).sessions,
          totals: yield* (yield* Ledger).totals("day", {})
        }
      }).pipe(
        Effect.provide(Layer.provideMerge(Layer.merge(SqlSessionStore.layer, Ledger.layerSql), Database.layer(file)))
      )
      assert.deepStrictEqual(found, { title: "say hello", said: ["Hello.", "One file."], sound: 1, totals: [] })
    })
  )

  it.scopedLive("upgrades an older file and keeps what is in it (K4)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "old.db")
      const old = new Sqlite(file)
      for (const statement of migrations[0] ?? []) old.exec(statement)
      old.exec(
        "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch) VALUES ('kept', 'p', 'q', 0, 0, 0)"
      )
      old.exec("PRAGMA user_version = 1")
      old.close()
      yield* opened(file)
      const upgraded = new Sqlite(file, { readonly: true })
      assert.strictEqual(upgraded.values("PRAGMA user_version")[0], migrations.length)
      assert.deepStrictEqual(upgraded.all("SELECT id FROM sessions"), [{ id: "kept" }])
      upgraded.close()
    })
  )

  it.scopedLive("refuses a newer file and leaves it alone (K4)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "new.db")
      const newer = new Sqlite(file)
      newer.exec(`PRAGMA user_version = ${migrations.length + 1}`)
      newer.close()
      const error = yield* failureOf(opened(file))
      assert.strictEqual(error._tag, "DatabaseTooNew")
      assert.include(error.message, "Upgrade Tollgate")
    })
  )

  it.scopedLive("names a file that is no database, a directory, and one under a file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const file = path.join(folder, "text.db")
      fs.writeFileSync(file, "this is not a database, and long enough to be read as the header of one ".repeat(20))
      for (const [bad, tag] of [
        [file, "DatabaseDamaged"],
        [folder, "DatabaseUnreadable"],
        [path.join(file, "below.db"), "DatabaseUnreadable"]
      ] as const) {
        const error = yield* failureOf(opened(bad))
        assert.strictEqual(error._tag, tag, bad)
        assert.notInclude(error.message, ".recover")
      }
    })
  )

  it.scopedLive("says that another process holds the lock, and which where the system tells (R14)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "locked.db")
      yield* opened(file)
      const holder = new Sqlite(file)
      holder.exec("BEGIN EXCLUSIVE")
      const error = yield* failureOf(
        Effect.provide(
          Effect.flatMap(Database, (database) => database.write(insert("a"))),
          Database.layer(file, { lockTimeout: "50 millis" })
        )
      )
      holder.close()
      const pid = fs.existsSync("/proc/locks") ? process.pid : undefined
      assert.deepInclude(error, { _tag: "DatabaseLocked", pid })
    })
  )

  it.scopedLive("commits the writes around one that fails, and says which failed", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "mixed.db")
      const ids = ["a", "b", "a", "c"]
      const exits = yield* Effect.provide(
        Effect.flatMap(Database, (database) =>
          Effect.forEach(ids, (id) => Effect.exit(database.write(insert(id))), { concurrency: "unbounded" })
        ),
        Database.layer(file)
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
      const found = new Sqlite(file, { readonly: true })
      assert.deepStrictEqual(found.values("SELECT id FROM sessions ORDER BY id"), ["a", "b", "c"])
      found.close()
    })
  )

  it.scopedLive("runs no write again that is stored, where the file beside it cannot be written (R9)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "a.db")
      const context = yield* Layer.build(Database.layer(file))
      const { read, write } = Context.get(context, Database)
      yield* write((connection) => connection.executeRaw("CREATE TABLE noted (text TEXT)", []))
      const note = (text: string) =>
        Effect.either(write((connection) => connection.executeRaw("INSERT INTO noted (text) VALUES (?)", [text])))
      const mend = failAnchorOnce()
      const notes = yield* Effect.all([note("one"), note("two")], { concurrency: "unbounded" }).pipe(
        Effect.ensuring(Effect.sync(mend))
      )
      assert.deepStrictEqual(yield* read`SELECT text FROM noted`, [{ text: "one" }, { text: "two" }])
      assert.deepStrictEqual(
        notes.map(({ _tag }) => _tag),
        ["Left", "Left"]
      )
    })
  )

  it.scopedLive("fails with a full disk and keeps what was acknowledged", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "full.db")
      const big = "x".repeat(200_000)
      const program = Effect.gen(function* () {
        const database = yield* Database
        yield* database.write(insert("kept"))
        yield* database.write((connection) => connection.execute("PRAGMA max_page_count = 40", [], undefined))
        return yield* failureOf(database.write(insert(big)))
      })
      const error = yield* Effect.provide(program, Database.layer(file))
      assert.strictEqual(error._tag, "DatabaseFull")
      const found = new Sqlite(file, { readonly: true })
      assert.deepStrictEqual(found.values("SELECT id FROM sessions"), ["kept"])
      found.close()
    })
  )

  it.scopedLive("outlives a bug in one write, which fails alone (T4)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "bug.db")
      const bug: Write<unknown> = () => {
        throw new Error("bug")
      }
      const exits = yield* Effect.provide(
        Effect.flatMap(Database, ({ write }) =>
          Effect.zipWith(
            Effect.forEach([insert("a"), bug, insert("b")], (one) => Effect.exit(write(one)), {
              concurrency: "unbounded"
            }),
            Effect.exit(write(insert("later"))),
            (together, later) => [...together, later]
          )
        ),
        Database.layer(file)
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, true])
    })
  )

  it.scopedLive("names a file whose schema or pages are damaged", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const damaged = (name: string, from: number, to?: number) =>
        Effect.gen(function* () {
          const file = path.join(folder, name)
          yield* Effect.provide(
            Effect.flatMap(Database, ({ write }) => write(insert("x".repeat(50_000)))),
            Database.layer(file)
          )
          const bytes = fs.readFileSync(file)
          fs.writeFileSync(file, bytes.fill(0xa5, from, to))
          return file
        })
      const schema = yield* failureOf(opened(yield* damaged("schema.db", 100, 4096)))
      assert.strictEqual(schema._tag, "DatabaseDamaged")
      const write = Effect.flatMap(Database, (database) => database.write(insert("y")))
      const pages = yield* failureOf(Effect.provide(write, Database.layer(yield* damaged("pages.db", 4096))))
      assert.strictEqual(pages._tag, "DatabaseDamaged")
      assert.include(pages.message, "To start with a new one: mkdir ")
    })
  )

  it.scopedLive("keeps a new file from other users, also in a directory that is open to them (S5)", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      fs.chmodSync(folder, 0o755)
      const file = path.join(folder, "a.db")
      const modes = Effect.map(
        Effect.flatMap(Database, ({ write }) => write(insert("a"))),
        () => fs.readdirSync(folder).map((name) => [name, fs.statSync(path.join(folder, name)).mode & 0o777])
      )
      assert.deepStrictEqual(yield* Effect.provide(modes, Database.layer(file)), [
        ["a.db", 0o600],
        ["a.db-anchor", 0o600],
        ["a.db-shm", 0o600],
        ["a.db-wal", 0o600]
      ])
    })
  )

  it("trusts no SQLite that can damage a file with two writers (R9)", () => {
    const versions = ["3.44.0", "3.51.2", "3.51.3", "3.51.10", "3.53.2", "4.0.0"]
    assert.deepStrictEqual(versions.map(isSound), [false, false, true, true, true, true])
    const refused = Effect.flip(checkEngine("a.db", { execute: () => Effect.succeed([{ version: "3.51.2" }]) }))
    const error = Effect.runSync(refused)
    assert.strictEqual(error._tag, "DatabaseEngineTooOld")
    assert.include(error.message, "3.51.3")
  })
})
