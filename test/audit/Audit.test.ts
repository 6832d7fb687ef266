// @effect-diagnostics asyncFunction:off - the template is made before the tests
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, Stream } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Audit, type AuditError } from "../../src/audit/Audit.ts"
import { rowOf, start, Verifier } from "../../src/audit/AuditChain.ts"
import type { AuditRow } from "../../src/audit/AuditChain.ts"
import { Database } from "../../src/database/Database.ts"
import { withoutAdditions } from "../support/withoutAdditions.ts"
import { Sqlite } from "../support/Sqlite.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-audit-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
)

const sql = (made: string) =>
  Audit.layerSql(path.join(made, "keys")).pipe(Layer.provide(Database.layer(path.join(made, "tollgate.db"))))

const asked = { kind: "requested", session: "s", tool: "run_shell", call: "c", approval: "a" } as const
const granted = { ...asked, kind: "resolved", outcome: "granted", decision: "approve", decided_by: "user" } as const

/** One run with the audit of a place. */
const use = <A>(made: string, f: (audit: Audit["Type"]) => Effect.Effect<A, AuditError>) =>
  Effect.provide(Effect.flatMap(Audit, f), sql(made))

describe("Audit", () => {
  for (const [name, layer] of [
    ["in memory", Effect.succeed(Audit.layerMemory)],
    ["in SQLite", Effect.map(directory, sql)]
  ] as const) {
    it.scoped(`chains what it is told, redacted and in order, and sums it up, ${name} (A9, A10, A14)`, () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        yield* audit.record({
          ...asked,
          arguments: { command: "echo x\n2026 APPROVED", token: "abc", password: "hunter2" }
        })
        yield* audit.commit({ ...granted, waited_millis: 1000 })
        yield* audit.record({ ...asked, approval: "b" })
        yield* audit.commit({ ...granted, approval: "b", outcome: "denied", decision: "deny", waited_millis: 3000 })
        yield* audit.record({ kind: "automatic", session: "s", tool: "run_shell", decided_by: "grant g\u202e\n1" })
        const rows = [...(yield* Stream.runCollect(audit.entries))]
        assert.deepStrictEqual(
          rows.map(({ id }) => id),
          [1, 2, 3, 4, 5]
        )
        assert.notInclude(JSON.stringify(rows), "hunter2")
        assert.notMatch(rows.map((row) => `${row.arguments}${row.decided_by}`).join(""), /[\n\u202e]/)
        assert.deepStrictEqual(yield* audit.verify, { intact: true, entries: 5 })
        assert.deepStrictEqual(yield* audit.stats, [
          {
            tool: "run_shell",
            asked: 2,
            granted: 1,
            denied: 1,
            expired: 0,
            withdrawn: 0,
            automatic: 1,
            meanMillis: 2000,
            maxMillis: 3000
          }
        ])
      }).pipe((self) => Effect.flatMap(layer, (given) => Effect.provide(self, given)))
    )
  }

  it.scoped("is one chain when two processes write it (A10)", () =>
    Effect.gen(function* () {
      const made = yield* directory
      const write = (name: string) =>
        Effect.gen(function* () {
          const audit = yield* Audit
          for (let index = 0; index < 20; index++) yield* audit.commit({ ...asked, call: `${name}${index}` })
        }).pipe(Effect.provide(sql(made)))
      yield* Effect.all([write("a"), write("b")], { concurrency: 2 })
      const found = yield* Effect.provide(
        Effect.flatMap(Audit, ({ verify }) => verify),
        sql(made)
      )
      assert.deepStrictEqual(found, { intact: true, entries: 40 })
    })
  )

  it.scoped("refuses to change by itself (A10)", () =>
    Effect.gen(function* () {
      const made = yield* directory
      yield* use(made, (audit) => audit.commit(asked))
      const database = new Sqlite(path.join(made, "tollgate.db"))
      assert.throws(() => database.exec("UPDATE audit SET tool = 'x' WHERE id = 1"), /only appended/)
      assert.throws(() => database.exec("DELETE FROM audit"), /only appended/)
      database.close()
    })
  )

  const keys = (made: string, name: string) => path.join(made, "keys", `audit.${name}`)
  const statement = (made: string, text: string): void => {
    const database = new Sqlite(path.join(made, "tollgate.db"))
    database.exec(`DROP TRIGGER audit_kept; ${text}`)
    database.close()
  }
  const commits = (audit: Audit["Type"], count: number, call: string) =>
    Effect.all(Effect.replicate(audit.commit({ ...asked, call }), count), { concurrency: "unbounded", discard: true })
  let template = ""
  beforeAll(async () => {
    template = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-audit-"))
    await Effect.runPromise(Effect.scoped(use(template, (audit) => commits(audit, 3, "c"))))
    fs.copyFileSync(keys(template, "head"), path.join(template, "old"))
    await Effect.runPromise(Effect.scoped(use(template, (audit) => commits(audit, 3, "d"))))
  })
  afterAll(() => fs.rmSync(template, { recursive: true, force: true, maxRetries: 5 }))

  /** What can be done to the four parts of an audit of six entries, whose head was copied after the third. */
  const deeds: Readonly<Record<string, { readonly part: string; readonly does: (made: string) => void }>> = {
    "entries deleted": { part: "entries", does: (made) => statement(made, "DELETE FROM audit") },
    "tail deleted": { part: "entries", does: (made) => statement(made, "DELETE FROM audit WHERE id > 3") },
    "last deleted": { part: "entries", does: (made) => statement(made, "DELETE FROM audit WHERE id = 6") },
    "head deleted": { part: "head", does: (made) => fs.rmSync(keys(made, "head")) },
    "head emptied": { part: "head", does: (made) => fs.truncateSync(keys(made, "head")) },
    "head rolled back": { part: "head", does: (made) => fs.copyFileSync(path.join(made, "old"), keys(made, "head")) },
    "head forged": {
      part: "head",
      does: (made) => {
        const head = JSON.parse(fs.readFileSync(path.join(made, "old"), "utf8")) as object
        fs.writeFileSync(keys(made, "head"), JSON.stringify({ ...head, signature: "0".repeat(64) }))
      }
    },
    "head unsigned": {
      part: "head",
      does: (made) => {
        const { hash, id } = JSON.parse(fs.readFileSync(path.join(made, "old"), "utf8")) as Record<string, unknown>
        fs.writeFileSync(keys(made, "head"), JSON.stringify({ id, hash }))
      }
    },
    "key deleted": { part: "key", does: (made) => fs.rmSync(keys(made, "key")) },
    "key cut": { part: "key", does: (made) => fs.truncateSync(keys(made, "key"), 16) }
  }
  const names = Object.keys(deeds)
  const pairs = names.flatMap((one, index) =>
    names.slice(index + 1).flatMap((other) => (deeds[one]?.part === deeds[other]?.part ? [] : [[one, other]]))
  )
  /** An older head alone: every entry is there, and the chain leads on from it. */
  const harmless = new Set(["head rolled back", "head unsigned"])

  it.scoped("is whole without a fault and says so after every run, from the first on (A10)", () =>
    Effect.gen(function* () {
      const made = yield* directory
      for (let run = 0; run < 3; run++) {
        assert.deepStrictEqual(yield* use(made, ({ verify }) => verify), { intact: true, entries: run })
        assert.isUndefined(yield* use(made, ({ broken }) => broken))
        yield* use(made, (audit) => audit.commit(asked))
      }
    })
  )

  for (const done of [...names.map((name) => [name]), ...pairs, ["entries deleted", "head deleted", "key deleted"]]) {
    it.scoped(`${done.join(" and ")}: is seen at once, said by every run, and does not heal (A10)`, () =>
      Effect.gen(function* () {
        const made = yield* directory
        fs.cpSync(template, made, { recursive: true })
        for (const name of done) deeds[name]?.does(made)
        const copy = `${made}-copy`
        fs.cpSync(made, copy, { recursive: true })
        yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(copy, { recursive: true })))
        const intact = done.every((name) => harmless.has(name))
        const verdict = (place: string) =>
          Effect.match(Effect.scoped(use(place, ({ verify }) => verify)), {
            onFailure: (error) => ({ intact: false, reason: error.message }),
            onSuccess: (result) => result
          })
        assert.strictEqual((yield* verdict(copy)).intact, intact)
        for (let run = 0; run < 2; run++) {
          const said = yield* Effect.match(
            use(made, (audit) => Effect.zipLeft(audit.broken, commits(audit, 10, "later"))),
            { onFailure: ({ message }) => message, onSuccess: (broken) => broken?.reason }
          )
          assert.strictEqual(said === undefined, intact, said)
        }
        const after = yield* verdict(made)
        assert.strictEqual(after.intact, intact, JSON.stringify(after))
      })
    )
  }

  it.scoped("takes over a head that an older version did not sign, once (K4)", () =>
    Effect.gen(function* () {
      const made = yield* directory
      yield* use(made, (audit) => Effect.repeatN(audit.commit(asked), 2))
      const { hash, id } = JSON.parse(fs.readFileSync(keys(made, "head"), "utf8")) as Record<string, unknown>
      fs.writeFileSync(keys(made, "head"), JSON.stringify({ id, hash }))
      const database = new Sqlite(path.join(made, "tollgate.db"))
      withoutAdditions(database)
      database.close()
      fs.rmSync(path.join(made, "tollgate.db-anchor"))
      yield* use(made, (audit) => audit.commit(asked))
      assert.deepStrictEqual(yield* use(made, ({ verify }) => verify), { intact: true, entries: 4 })
      assert.include(fs.readFileSync(keys(made, "head"), "utf8"), "signature")
    })
  )

  it.prop(
    "finds the first entry that was changed, left out, doubled or put in (A10)",
    { length: fc.integer({ min: 1, max: 8 }), at: fc.nat(), how: fc.nat(3), field: fc.nat(15) },
    ({ at, field, how, length }) => {
      const key = new Uint8Array(32).fill(7)
      const rows: Array<AuditRow> = []
      for (let time = 0; time < length; time++) {
        rows.push(rowOf(key, rows[rows.length - 1] ?? start, { time, entry: { ...asked, arguments: "{}" } }))
      }
      const last = rows[rows.length - 1]
      const index = at % length
      const row = rows[index]
      if (row === undefined || last === undefined) return
      const names = Object.keys(row).filter((name) => name !== "id")
      const name = names[field % names.length] ?? "tool"
      const tampered =
        how === 0
          ? rows.with(index, { ...row, [name]: "other" })
          : how === 1
            ? rows.toSpliced(index, 1)
            : how === 2
              ? rows.toSpliced(index, 0, row)
              : rows.toSpliced(
                  index,
                  0,
                  rowOf(new Uint8Array(32), start, { time: 0, entry: { ...asked, arguments: null } })
                )
      const verify = (given: ReadonlyArray<AuditRow>) => {
        const verifier = new Verifier(key, { id: last.id, hash: last.hash })
        for (const each of given) verifier.add(each)
        return verifier.result()
      }
      assert.deepStrictEqual(verify(rows), { intact: true, entries: length })
      assert.isFalse(verify(tampered).intact)
    }
  )
})
