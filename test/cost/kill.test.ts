// @effect-diagnostics newPromise:off - drives real processes from outside
import { assert, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { Accounts } from "../../src/cost/Accounts.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import { Database } from "../../src/database/Database.ts"
import { bundled } from "../support/program.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** Starts the program and kills it without warning once it has printed so many dots. */
const killedAfter = (program: string, folder: string, dots: number) =>
  Effect.promise(
    () =>
      new Promise<NodeJS.Signals | null>((resolve) => {
        const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] })
        let left = dots
        child.stdout.on("data", (printed: Buffer) => {
          left -= printed.length
          if (left <= 0) child.kill("SIGKILL")
        })
        child.once("exit", (_, signal) => resolve(signal))
      })
  )

const limit = 20e9

it.scopedLive(
  "a budget holds for processes that are killed at any moment, and nothing stays reserved for the dead (C3)",
  () =>
    Effect.gen(function* () {
      const program = yield* Effect.acquireRelease(
        Effect.promise(() => bundled("spender")),
        ({ remove }) => Effect.sync(remove)
      )
      const folder = yield* temporaryDirectory
      const file = path.join(folder, "tollgate.db")
      const looked = () => {
        const database = new Sqlite(file, { readonly: true })
        const one = (statement: string) => Number(database.values(statement)[0] ?? 0)
        const found = {
          spent: one("SELECT spent FROM cost_totals WHERE scope = 'session'"),
          reserved: one("SELECT reserved FROM cost_totals WHERE scope = 'session'"),
          held: one("SELECT coalesce(sum(amount), 0) FROM cost_reservations"),
          charged: one("SELECT coalesce(sum(amount), 0) FROM cost_charges")
        }
        database.close()
        return found
      }
      for (const [one, other] of [
        [1, 9],
        [20, 47],
        [90, 133],
        [400, 61],
        [210, 350],
        [800, 520]
      ] as const) {
        const ends = yield* Effect.all(
          [killedAfter(program.file, folder, one), killedAfter(program.file, folder, other)],
          {
            concurrency: 2
          }
        )
        assert.deepStrictEqual(ends, ["SIGKILL", "SIGKILL"])
        const { charged, held, reserved, spent } = looked()
        assert.isAtMost(spent + reserved, limit)
        assert.strictEqual(reserved, held)
        assert.strictEqual(spent, charged)
      }
      yield* Effect.gen(function* () {
        const { open } = yield* Accounts
        const payer = { session: "s", project: "/p", task: "t", worker: ["root"], iteration: 1 }
        const terms = { name: "m", price: { input: 1000, output: 1000 }, maxOutputTokens: 1 }
        const opened = yield* Effect.either(open({ payer, profile: "main", terms, number: 1, inputTokens: () => 1 }))
        if (Either.isRight(opened)) yield* opened.right.settle({ outcome: "failed" })
      }).pipe(
        Effect.provide(
          Accounts.layer({ budgets: { session: 20 } }).pipe(
            Layer.provide(Ledger.layerSql),
            Layer.provide(Database.layer(file))
          )
        )
      )
      const { charged, held, reserved, spent } = looked()
      assert.deepStrictEqual({ held, reserved }, { held: 0, reserved: 0 })
      assert.strictEqual(spent, charged)
      assert.isAtMost(spent, limit)
      assert.isAbove(spent, 0)
    })
)
