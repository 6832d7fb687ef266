import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { applicationId } from "../../src/database/identity.ts"
import { Database, type Write } from "../../src/database/Database.ts"
import { migrations } from "../../src/database/migrations.ts"
import { bundled } from "../support/program.ts"
import { failureOf } from "../support/failureOf.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { Sqlite } from "../support/Sqlite.ts"

const opened = (file: string) => Effect.scoped(Layer.build(Database.layer(file)))

const session =
  (id: string, head: number): Write<unknown> =>
  (connection) =>
    connection.executeRaw(
      `INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch, head) VALUES (?, 'p', 'q', 0, 0, 0, ?)
        ON CONFLICT DO UPDATE SET head = excluded.head`,
      [id, head]
    )

/**
 * Writes three commits of a session, and makes `file` of the database as it is while it is open, as after `kill -9`. The open one
 * is another file: a connection lives until its statements are collected, and shares what it knows with those to the same file.
 */
const killed = (file: string) => {
  const live = `${file}.live`
  return Effect.provide(
    Effect.gen(function* () {
      const { write } = yield* Database
      for (const head of [1, 2, 3]) yield* write(session("s", head), () => ({ session: "s", head }))
      for (const end of ["", "-wal", "-anchor"]) fs.copyFileSync(`${live}${end}`, `${file}${end}`)
    }),
    Database.layer(live)
  )
}

const flip = (file: string, at: number): void => {
  const bytes = fs.readFileSync(file)
  const place = at < 0 ? bytes.length + at : at
  bytes[place] = (bytes[place] ?? 0) ^ 0xff
  fs.writeFileSync(file, bytes)
}
const cut = (file: string, share: number): void => fs.truncateSync(file, Math.floor(fs.statSync(file).size * share))
const statement = (file: string, text: string): void => {
  const database = new Sqlite(file)
  database.exec(text)
  database.close()
}

const losses: Readonly<Record<string, { readonly does: (file: string) => void; readonly says: RegExp }>> = {
  "a log that was cut": { does: (file) => cut(`${file}-wal`, 0.9), says: /acknowledged commits are missing/ },
  "a log with a flipped byte": { does: (file) => flip(`${file}-wal`, -3000), says: /session s ends at event 2 of 3/ },
  "a log that was deleted": { does: (file) => fs.rmSync(`${file}-wal`), says: /the file is now empty; 3 commits/ },
  "a log that was emptied": { does: (file) => cut(`${file}-wal`, 0), says: /the file is now empty; 3 commits/ },
  "a database that was deleted": {
    does: (file) => ["", "-wal", "-shm"].forEach((end) => fs.rmSync(`${file}${end}`, { force: true })),
    says: /the file is gone; 3 commits were stored, among them of s with 3 events/
  },
  "a database that was emptied": {
    does: (file) => {
      cut(file, 0)
      fs.rmSync(`${file}-wal`)
    },
    says: /the file is empty; 3 commits/
  },
  "a session that was deleted": {
    does: (file) => statement(file, "DELETE FROM sessions"),
    says: /session s ends at event 0 of 3/
  },
  "another database in its place": {
    does: (file) => statement(file, "UPDATE store SET name = 'other'"),
    says: /not the database that was used last/
  }
}

describe("what a database has lost", () => {
  it.scopedLive("is nothing after kill -9 (R9)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "a.db")
      yield* killed(file)
      for (let time = 0; time < 2; time++) yield* opened(file)
      assert.deepStrictEqual(
        yield* Effect.provide(
          Effect.map(Database, ({ notices }) => notices),
          Database.layer(file)
        ),
        []
      )
    })
  )

  for (const [name, { does, says }] of Object.entries(losses)) {
    it.scopedLive(`is said by every open: ${name} (R9)`, () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "a.db")
        yield* killed(file)
        does(file)
        for (let time = 0; time < 2; time++) {
          const error = yield* failureOf(opened(file))
          assert.strictEqual(error._tag, "DatabaseLost", error.message)
          assert.match(error.message, says)
          assert.include(error.message, `remove ${file}-anchor alone`)
        }
      })
    )
  }

  for (const [name, does] of Object.entries({
    gone: (file: string) => fs.rmSync(file),
    damaged: (file: string) => flip(file, 20)
  })) {
    it.scopedLive(`cannot be told where its anchor is ${name}, which is said once (R9)`, () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "a.db")
        yield* killed(file)
        does(`${file}-anchor`)
        const notices = Effect.provide(
          Effect.map(Database, ({ notices }) => notices.join()),
          Database.layer(file)
        )
        assert.include(yield* notices, "anchor")
        assert.strictEqual(yield* notices, "")
      })
    )
  }

  it.scopedLive("is found where a trigger is missing or another; the audit's own come back (K4)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "a.db")
      yield* opened(file)
      statement(file, "DROP TRIGGER audit_kept")
      const notices = Effect.provide(
        Effect.map(Database, ({ notices }) => notices.join()),
        Database.layer(file)
      )
      assert.include(yield* notices, "audit_kept")
      assert.strictEqual(yield* notices, "")
      for (const text of [
        "DROP TRIGGER memories_added",
        "CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN SELECT 1; END"
      ]) {
        statement(file, text)
        const error = yield* failureOf(opened(file))
        assert.strictEqual(error._tag, "DatabaseDamaged")
        assert.include(error.message, "trigger memories_added")
      }
    })
  )

  for (const [name, does] of Object.entries({
    "the file is deleted": (file: string) => fs.rmSync(file),
    "its log is deleted": (file: string) => fs.rmSync(`${file}-wal`),
    "the file is replaced": (file: string) => {
      fs.renameSync(file, `${file}.old`)
      fs.writeFileSync(file, "")
    }
  })) {
    it.scopedLive(`is saved where ${name} while it is open, and nothing more is acknowledged (R9)`, () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "a.db")
        const exits = yield* Effect.provide(
          Effect.gen(function* () {
            const { write } = yield* Database
            const first = yield* Effect.exit(write(session("s", 1)))
            does(file)
            return [first, yield* Effect.exit(write(session("s", 2))), yield* Effect.exit(write(session("s", 3)))]
          }),
          Database.layer(file)
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, false])
        const rescued = fs.readdirSync(path.dirname(file)).find((one) => one.endsWith(".rescued"))
        assert.include(String(exits[1]), rescued ?? "no copy")
        const saved = new Sqlite(path.join(path.dirname(file), rescued ?? ""), { readonly: true })
        assert.deepStrictEqual(saved.values("SELECT head FROM sessions"), [2])
        saved.close()
      })
    )
  }
})

describe("a database of another state", () => {
  const at = (version: number, application: number, tables: string) => (file: string) => {
    const database = new Sqlite(file)
    database.exec(tables)
    database.exec(`PRAGMA user_version = ${version}`)
    database.exec(`PRAGMA application_id = ${application}`)
    database.close()
  }
  const foreign = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes (text) VALUES ('theirs')"
  const ours = migrations.flat().join(";")

  for (const [version, application, tables, tag] of [
    [0, 0, foreign, "DatabaseForeign"],
    [3, 0, foreign, "DatabaseForeign"],
    [migrations.length, 0, foreign, "DatabaseForeign"],
    [2_000_000_000, 0, foreign, "DatabaseForeign"],
    [-1, 0, foreign, "DatabaseForeign"],
    [-1, 0, ours, "DatabaseForeign"],
    [-1, applicationId, ours, "DatabaseForeign"],
    [3, 0, "", "DatabaseForeign"],
    [0, 0x42424242, "", "DatabaseForeign"],
    [migrations.length, 0x42424242, ours, "DatabaseForeign"],
    [migrations.length + 1, 0, ours, "DatabaseTooNew"],
    [2_000_000_000, applicationId, ours, "DatabaseTooNew"]
  ] as const) {
    it.scopedLive(`is refused and left as it is: ${version}, ${application}, ${tables.slice(13, 21)} (K4)`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryDirectory
        const file = path.join(folder, "a.db")
        at(version, application, tables)(file)
        const before = fs.readFileSync(file)
        const error = yield* failureOf(opened(file))
        assert.strictEqual(error._tag, tag, error.message)
        assert.isTrue(before.equals(fs.readFileSync(file)))
        assert.deepStrictEqual(fs.readdirSync(folder), ["a.db"])
      })
    )
  }

  for (let version = 1; version <= migrations.length; version++) {
    it.scopedLive(`is upgraded from version ${version} behind a backup of it (K4)`, () =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "a.db")
        at(version, 0, migrations.slice(0, version).flat().join(";"))(file)
        statement(
          file,
          "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch) VALUES ('kept', 'p', 'q', 0, 0, 0)"
        )
        yield* opened(file)
        yield* opened(file)
        for (const [name, found] of [
          [file, migrations.length],
          [`${file}.v${version}.0.backup`, version]
        ] as const) {
          const database = new Sqlite(name, { readonly: true })
          assert.strictEqual(database.values("PRAGMA user_version")[0], found)
          assert.deepStrictEqual(database.values("SELECT id FROM sessions"), ["kept"])
          database.close()
        }
      })
    )
  }

  it.scopedLive("names the process that is stopped inside a transaction, and how to go on (R9)", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "a.db")
      yield* Effect.provide(
        Effect.flatMap(Database, ({ write }) => write(session("s", 1))),
        Database.layer(file)
      )
      const program = yield* Effect.acquireRelease(
        Effect.promise(() => bundled("stopped")),
        ({ remove }) => Effect.sync(remove)
      )
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, [program.file, file], { stdio: ["ignore", "pipe", "inherit"] })),
        (one) => Effect.sync(() => one.kill("SIGKILL"))
      )
      yield* Effect.async<void>((resume) => void child.stdout.once("data", () => resume(Effect.void)))
      const error = yield* failureOf(
        Effect.provide(
          Effect.flatMap(Database, ({ write }) => write(session("s", 2))),
          Database.layer(file, { lockTimeout: "50 millis" })
        )
      )
      assert.include(error, { _tag: "DatabaseLocked", pid: child.pid, stopped: true })
      assert.include(error.message, `kill -CONT ${child.pid}`)
    })
  )
})
