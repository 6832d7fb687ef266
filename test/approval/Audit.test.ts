import Sqlite from "better-sqlite3"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, Stream } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Audit, type AuditError } from "../../src/approval/Audit.ts"
import { rowOf, start, Verifier } from "../../src/approval/AuditChain.ts"
import type { AuditRow } from "../../src/approval/AuditEntry.ts"
import { Database } from "../../src/database/Database.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-audit-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

const sql = (made: string) =>
  Audit.layerSql(path.join(made, "keys")).pipe(Layer.provide(Database.layer(path.join(made, "tollgate.db"))))

const asked = { kind: "requested", session: "s", tool: "run_shell", call: "c", approval: "a" } as const
const granted = { ...asked, kind: "resolved", outcome: "granted", decision: "approve", decided_by: "user" } as const

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

  it.scoped("notices a cut tail and a lost anchor, and refuses to change by itself (A10)", () =>
    Effect.gen(function* () {
      const made = yield* directory
      const use = <A>(f: (audit: Audit["Type"]) => Effect.Effect<A, AuditError>) =>
        Effect.orDie(Effect.provide(Effect.flatMap(Audit, f), sql(made)))
      yield* use((audit) => Effect.repeatN(audit.commit(asked), 4))
      const database = new Sqlite(path.join(made, "tollgate.db"))
      assert.throws(() => database.exec("UPDATE audit SET tool = 'x' WHERE id = 1"), /only appended/)
      assert.throws(() => database.exec("DELETE FROM audit"), /only appended/)
      database.exec("DROP TRIGGER audit_kept; DELETE FROM audit WHERE id > 3")
      database.close()
      const cut = yield* use(({ verify }) => verify)
      assert.isTrue(!cut.intact && cut.entry === 4 && cut.reason.includes("the end was cut"))
      yield* use((audit) => Effect.repeatN(audit.commit({ ...asked, call: "later" }), 9))
      const grown = yield* use(({ verify }) => verify)
      assert.isTrue(!grown.intact && grown.entry === 5 && grown.reason.includes("anchored"))
      fs.rmSync(path.join(made, "keys", "audit.head"))
      const lost = yield* use(({ verify }) => verify)
      assert.isTrue(!lost.intact && lost.reason.includes("anchor"))
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
