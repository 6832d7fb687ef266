import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { fromCause } from "../../src/database/DatabaseError.ts"
import { type Handle, SqliteError } from "../../src/database/driver/Driver.ts"
import { driver } from "../../src/database/driver/load.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** A file with connections to it, which are closed with the test. */
const place = Effect.gen(function* () {
  const { open } = yield* driver
  const folder = yield* temporaryDirectory
  const opened: Array<Handle> = []
  yield* Effect.addFinalizer(() => Effect.sync(() => opened.forEach((handle) => handle.close())))
  const at = (name: string) => path.join(folder, name)
  const connect = (name: string, { readonly = false } = {}): Handle => {
    const handle = open(at(name), { readonly, timeout: 0 })
    opened.push(handle)
    return handle
  }
  return { at, connect, open }
})

/** The failure of whatever runs. */
const refused = (run: () => unknown): SqliteError => {
  try {
    run()
  } catch (error) {
    if (error instanceof SqliteError) return error
    throw error
  }
  throw new Error("it was not refused")
}

const rows = (handle: Handle, text: string, ...params: ReadonlyArray<unknown>) =>
  handle
    .prepare(text)
    .all(params)
    .map((row) => ({ ...row }))

const value = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => x === 0 || Math.abs(x) > 1e-6),
  fc.uint8Array({ maxLength: 8 }),
  fc.constant(null)
)
/** As SQLite tells it: an integer beyond 32 bits is bound as a number with a point, and zero has no sign. */
const told = (bound: unknown): unknown => (bound instanceof Uint8Array ? [...bound] : bound === 0 ? 0 : bound)

describe("the driver of SQLite", () => {
  it.scoped("gives back what was bound, in columns of any type (P1)", () =>
    Effect.gen(function* () {
      const handle = (yield* place).connect("a.db")
      handle.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
      const insert = handle.prepare("INSERT INTO t (id, v) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET v = excluded.v")
      const read = handle.prepare("SELECT v FROM t")
      fc.assert(
        fc.property(value, (bound) => {
          assert.strictEqual(insert.run([bound]).changes, 1)
          assert.deepStrictEqual(told(read.all([])[0]?.["v"]), told(bound))
          assert.deepStrictEqual(told(read.values([])[0]?.[0]), told(bound))
        })
      )
    })
  )

  it.scoped("refuses what it would change, and stores nothing of it (P1)", () =>
    Effect.gen(function* () {
      const handle = (yield* place).connect("a.db")
      handle.exec("CREATE TABLE t (a, b)")
      const insert = handle.prepare("INSERT INTO t VALUES (?, ?)")
      const hostile = [
        fc.tuple(fc.string(), fc.string()).map(([a, b]) => `${a}\0${b}`),
        fc.constantFrom<unknown>(undefined, true, false, NaN, Infinity, -Infinity, {}, [], Symbol.iterator, 2n ** 63n)
      ]
      fc.assert(
        fc.property(fc.oneof(...hostile), (bound) => {
          for (const run of [
            () => insert.run(["kept", bound]),
            () => handle.prepare("SELECT ?").all([bound]),
            () => handle.prepare("SELECT ?").values([bound])
          ]) {
            const error = refused(run)
            assert.strictEqual(error.code, "SQLITE_MISMATCH")
            assert.strictEqual(fromCause("a.db", error)._tag, "DatabaseFailed")
          }
        })
      )
      assert.deepStrictEqual(rows(handle, "SELECT count(*) AS n FROM t"), [{ n: 0 }])
    })
  )

  it.scoped("gives any text of JSON back by json_quote, U+0000 included (P1)", () =>
    Effect.gen(function* () {
      const handle = (yield* place).connect("a.db")
      handle.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; CREATE TABLE t (v TEXT)")
      const text = fc.string({ unit: "binary" }).map((some) => some.replaceAll("a", "\0"))
      fc.assert(
        fc.property(fc.oneof(text, fc.constantFrom("\0", "a\0b", "\0\0", '\0"\\u0000', "\0\u2028")), (bound) => {
          handle.exec("DELETE FROM t")
          handle.prepare("INSERT INTO t SELECT ? ->> '$.v'").run([JSON.stringify({ v: bound })])
          const [row] = rows(handle, "SELECT json_quote(v) AS v FROM t WHERE v = ? ->> '$'", JSON.stringify(bound))
          assert.strictEqual(JSON.parse(String(row?.["v"])), bound)
        })
      )
    })
  )

  it.scoped("has the statements that the stores use (P1)", () =>
    Effect.gen(function* () {
      const { at, connect } = yield* place
      const handle = connect("a.db")
      handle.exec(`
        PRAGMA journal_mode = WAL;
        CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL, twice TEXT GENERATED ALWAYS AS (text || text)) STRICT;
        CREATE VIRTUAL TABLE found USING fts5(text, content = 't', content_rowid = 'id', tokenize = 'unicode61');
        CREATE VIRTUAL TABLE thirds USING fts5(text, tokenize = 'trigram');
        CREATE TRIGGER added AFTER INSERT ON t BEGIN INSERT INTO found (rowid, text) VALUES (NEW.id, NEW.text); END;`)
      const insert = handle.prepare("INSERT INTO t (text) SELECT e.value ->> 0 FROM json_each(?) AS e")
      assert.isFalse(insert.reads)
      assert.strictEqual(insert.run([JSON.stringify([["one"], ["zwei"], ["三日月"]])]).changes, 3)
      const returning = handle.prepare("UPDATE t SET text = text || '!' WHERE id = ? RETURNING id, text AS id")
      assert.isTrue(returning.reads)
      assert.deepStrictEqual(returning.values([1]), [[1, "one!"]])
      assert.isTrue(handle.prepare("PRAGMA user_version").reads)
      assert.deepStrictEqual(rows(handle, "SELECT rowid FROM found WHERE found MATCH ?", "zwei"), [{ rowid: 2 }])
      assert.deepStrictEqual(rows(handle, "SELECT twice FROM t WHERE id = 3"), [{ twice: "三日月三日月" }])
      handle.prepare("INSERT INTO thirds SELECT text FROM t").run([])
      assert.lengthOf(rows(handle, "SELECT rowid FROM thirds WHERE thirds MATCH ?", "三日月"), 1)
      handle.exec("BEGIN; DELETE FROM t; SAVEPOINT s; INSERT INTO t (text) VALUES ('x'); ROLLBACK TO s; ROLLBACK")
      assert.lengthOf(rows(handle, "SELECT id FROM t"), 3)
      handle.prepare("VACUUM INTO ?").run([at("copy.db")])
      assert.lengthOf(rows(connect("copy.db", { readonly: true }), "SELECT id FROM t"), 3)
    })
  )

  it.scoped("names every refusal of SQLite, and the store its failure (P1)", () =>
    Effect.gen(function* () {
      const { at, connect, open } = yield* place
      const handle = connect("a.db")
      handle.exec(`
        PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT NOT NULL DEFAULT '' CHECK (b <> 'x'), c REFERENCES t);
        CREATE TRIGGER kept BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'it is kept'); END;
        INSERT INTO t (id, a) VALUES (1, 'a')`)
      const fails = (code: string, tag: string, run: () => unknown) => {
        const error = refused(run)
        assert.deepStrictEqual([error.code, fromCause("f", error)._tag], [code, tag])
        assert.isNotEmpty(error.message)
      }
      const run = (text: string) => () => handle.prepare(text).run([])
      fails("SQLITE_CONSTRAINT_PRIMARYKEY", "DatabaseFailed", run("INSERT INTO t (id) VALUES (1)"))
      fails("SQLITE_CONSTRAINT_UNIQUE", "DatabaseFailed", run("INSERT INTO t (a) VALUES ('a')"))
      fails("SQLITE_CONSTRAINT_NOTNULL", "DatabaseFailed", run("INSERT INTO t (b) VALUES (NULL)"))
      fails("SQLITE_CONSTRAINT_CHECK", "DatabaseFailed", run("INSERT INTO t (b) VALUES ('x')"))
      fails("SQLITE_CONSTRAINT_FOREIGNKEY", "DatabaseFailed", run("INSERT INTO t (c) VALUES (9)"))
      fails("SQLITE_CONSTRAINT_TRIGGER", "DatabaseFailed", run("DELETE FROM t"))
      fails("SQLITE_ERROR", "DatabaseFailed", () => handle.prepare("SELEC"))
      fails("SQLITE_ERROR", "DatabaseFailed", () => handle.exec("SELECT 1; SELEC"))
      const other = connect("a.db")
      handle.exec("BEGIN IMMEDIATE")
      fails("SQLITE_BUSY", "DatabaseLocked", () => other.exec("BEGIN IMMEDIATE"))
      fails("SQLITE_BUSY", "DatabaseLocked", () => other.prepare("BEGIN IMMEDIATE").run([]))
      handle.exec("ROLLBACK")
      other.exec("BEGIN")
      assert.lengthOf(rows(other, "SELECT id FROM t"), 1)
      handle.exec("INSERT INTO t (id) VALUES (2)")
      fails("SQLITE_BUSY_SNAPSHOT", "DatabaseLocked", () => other.exec("INSERT INTO t (id) VALUES (3)"))
      other.exec("ROLLBACK")
      const reader = connect("a.db", { readonly: true })
      fails("SQLITE_READONLY", "DatabaseUnreadable", () => reader.prepare("INSERT INTO t (id) VALUES (3)").run([]))
      handle.exec("PRAGMA max_page_count = 12")
      const fill = handle.prepare("INSERT INTO t (b) VALUES (?)")
      fails("SQLITE_FULL", "DatabaseFull", () => Array.from({ length: 99 }, () => fill.run(["y".repeat(3000)])))
      fails("SQLITE_CANTOPEN", "DatabaseUnreadable", () => open(at("no/a.db"), { readonly: false, timeout: 0 }))
      fails("SQLITE_CANTOPEN", "DatabaseUnreadable", () => open(at("no.db"), { readonly: true, timeout: 0 }))
      fails("SQLITE_CANTOPEN", "DatabaseUnreadable", () => open(at("."), { readonly: false, timeout: 0 }))
      fs.writeFileSync(at("junk.db"), "x".repeat(4096))
      fails("SQLITE_NOTADB", "DatabaseDamaged", () => connect("junk.db").prepare("SELECT * FROM sqlite_master"))
      handle.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      const bytes = fs.readFileSync(at("a.db"))
      fs.writeFileSync(at("damaged.db"), Buffer.from(bytes).fill(0xff, 4096))
      fs.writeFileSync(at("cut.db"), bytes.subarray(0, 4096 * 3))
      for (const name of ["damaged.db", "cut.db"])
        fails("SQLITE_CORRUPT", "DatabaseDamaged", () => rows(connect(name), "SELECT * FROM t ORDER BY b"))
    })
  )

  it.scoped("lets go of the file when it is closed, whatever was open (P1)", () =>
    Effect.gen(function* () {
      const { at, connect, open } = yield* place
      const handle = open(at("a.db"), { readonly: false, timeout: 0 })
      handle.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (id)")
      const insert = handle.prepare("INSERT INTO t VALUES (?)")
      const read = handle.prepare("SELECT id FROM t")
      insert.run([1])
      handle.exec("BEGIN IMMEDIATE")
      insert.run([2])
      assert.lengthOf(read.all([]), 2)
      handle.close()
      assert.strictEqual(fs.statSync(at("a.db-wal"), { throwIfNoEntry: false })?.size ?? 0, 0)
      fs.copyFileSync(at("a.db"), at("copy.db"))
      for (const name of ["a.db", "copy.db"]) {
        const next = connect(name)
        next.exec("BEGIN EXCLUSIVE; INSERT INTO t VALUES (3); COMMIT")
        assert.deepStrictEqual(rows(next, "SELECT id FROM t"), [{ id: 1 }, { id: 3 }])
      }
    })
  )
})
