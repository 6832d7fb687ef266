import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import type { Limits, Scope } from "../../src/cost/Budgets.ts"
import type { Charge } from "../../src/cost/Charge.ts"
import { LedgerFailed } from "../../src/cost/Book.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import { counted } from "../../src/cost/Price.ts"
import { Database } from "../../src/database/Database.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { charge, ledgers, noLimits, placesFor } from "./charging.ts"

const limit = (scope: Scope, amount: number): Limits => new Map([[scope, amount]])

const book = (entry: Charge, limits = noLimits, reservation?: string) =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.settle(entry, { places: placesFor(entry), limits, ...(reservation === undefined ? {} : { reservation }) })
  )

const hold = (id: string, amount: number, limits: Limits, entry = charge(0)) =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.either(ledger.reserve({ id, amount, places: placesFor(entry), ifLost: entry }, limits))
  )

const name = FastCheck.constantFrom("a", "b", "c\u0000d", "ü", "")
const charges = FastCheck.array(
  FastCheck.record({
    amount: FastCheck.option(FastCheck.nat(1_000_000), { nil: undefined }),
    session: name,
    project: name,
    task: name,
    model: name,
    day: FastCheck.constantFrom("2026-11-21", "2026-11-22", "2026-12-01"),
    tools: FastCheck.uniqueArray(FastCheck.constantFrom("look", "grep", "edit"), { maxLength: 3 }),
    worker: FastCheck.constantFrom(["root"], ["root", "W1"]),
    tokens: FastCheck.nat(10_000),
    time: FastCheck.nat(5000)
  }).map(({ amount, day, model, project, session, task, time, tokens, tools, worker }) =>
    charge(amount, {
      payer: { session, project, task, worker, iteration: 1 },
      usage: counted({ inputTokens: tokens, outputTokens: 7, cachedInputTokens: 3, reasoningTokens: 1 }),
      model,
      day,
      tools,
      time
    })
  ),
  { maxLength: 12 }
)

const dimensions = ["day", "model", "tool", "session", "project", "task", "worker", "profile"] as const

/** What every ledger says of these charges, by every dimension. */
const report = (booked: ReadonlyArray<Charge>) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    for (const one of booked) yield* book(one)
    const totals = yield* Effect.forEach(dimensions, (by) => ledger.totals(by, {}))
    const some = yield* ledger.totals("model", { session: "a", since: 1000, until: 4000 })
    return {
      totals,
      some,
      project: yield* ledger.totals("day", { project: "ü" }),
      last: yield* ledger.charges({ limit: 3 })
    }
  })

it.scoped.prop(
  "two ledgers say the same of the same charges, and every dimension adds up to all of them (C1)",
  [charges],
  ([booked]) =>
    Effect.gen(function* () {
      const [memory, sql] = yield* Effect.forEach(ledgers, ([, layer]) =>
        Effect.flatMap(layer, (one) => Effect.provide(report(booked), one))
      )
      assert.deepStrictEqual(sql, memory)
      const amount = booked.reduce((sum, one) => sum + (one.amount ?? 0), 0)
      const tokens = booked.reduce((sum, one) => sum + one.usage.inputTokens, 0)
      for (const [index, found] of (memory?.totals ?? []).entries()) {
        assert.strictEqual(
          found.reduce((sum, one) => sum + one.amount, 0),
          amount,
          dimensions[index]
        )
        assert.strictEqual(
          found.reduce((sum, one) => sum + one.usage.inputTokens, 0),
          tokens,
          dimensions[index]
        )
      }
    }),
  { fastCheck: { numRuns: 15 } }
)

for (const [where, layer] of ledgers) {
  const given = <A, E>(self: Effect.Effect<A, E, Ledger>) => Effect.flatMap(layer, (one) => Effect.provide(self, one))

  describe(`a ledger ${where}`, () => {
    it.scoped("holds money back until it is settled, and refuses what does not fit in (C3)", () =>
      given(
        Effect.gen(function* () {
          const limits = limit("session", 100)
          assert.isTrue(Either.isRight(yield* hold("a", 60, limits)))
          const refused = Either.flip(yield* hold("b", 41, limits))
          assert.deepInclude(Either.getOrThrow(refused), { _tag: "BudgetReached", spent: 0, reserved: 60, needed: 41 })
          assert.isTrue(Either.isRight(yield* hold("c", 40, limits)))
          yield* book(charge(10), limits, "a")
          assert.isTrue(Either.isRight(yield* hold("d", 50, limits)))
          const full = Either.getOrThrow(Either.flip(yield* hold("e", 1, limits)))
          assert.deepInclude(full, { spent: 10, reserved: 90 })
          // Nothing costs nothing.
          assert.isTrue(Either.isRight(yield* hold("f", 0, limits)))
        })
      )
    )

    it.scoped("bounds each task, session, day, month and project by itself (C2)", () =>
      given(
        Effect.gen(function* () {
          const other: Readonly<Record<Scope, Charge>> = {
            task: charge(0, { task: "u" }),
            session: charge(0, { payer: { session: "u", project: "/p", task: "t", worker: ["root"], iteration: 1 } }),
            day: charge(0, { day: "2026-11-23" }),
            month: charge(0, { day: "2026-12-22" }),
            project: charge(0, { payer: { session: "s", project: "/q", task: "t", worker: ["root"], iteration: 1 } })
          }
          yield* book(charge(100))
          for (const scope of ["task", "session", "day", "month", "project"] as const) {
            const refused = yield* hold(scope, 1, limit(scope, 100))
            assert.strictEqual(
              Either.isLeft(refused) && refused.left._tag === "BudgetReached" && refused.left.scope,
              scope
            )
            assert.isTrue(Either.isRight(yield* hold(`other ${scope}`, 1, limit(scope, 100), other[scope])), scope)
          }
        })
      )
    )

    it.scoped("tells of 50, 75, 90 and 100 % once each, and anew of another limit (C2)", () =>
      given(
        Effect.gen(function* () {
          const told: Array<ReadonlyArray<number>> = []
          const pay = (amount: number, most: number) =>
            Effect.map(book(charge(amount), limit("day", most)), (alerts) => {
              told.push(alerts.map(({ percent }) => percent))
            })
          for (const amount of [49, 1, 10, 31, 5, 4, 50]) yield* pay(amount, 100)
          yield* pay(1, 200)
          yield* pay(0, 200)
          assert.deepStrictEqual(told, [[], [50], [], [75, 90], [], [100], [], [50, 75], []])
        })
      )
    )
  })
}

it.scopedLive("what a process held that is gone is free for the next, and booked as lost (C3)", () =>
  Effect.gen(function* () {
    const file = path.join(yield* temporaryDirectory, "tollgate.db")
    const opened = Ledger.layerSql.pipe(Layer.provide(Database.layer(file)))
    const limits = limit("session", 100)
    yield* Effect.provide(hold("a", 90, limits, charge(30, { outcome: "lost" })), Layer.fresh(opened))
    const [held, last] = yield* Effect.provide(
      Effect.all([hold("b", 70, limits), Effect.flatMap(Ledger, (ledger) => ledger.charges({ limit: 9 }))]),
      Layer.fresh(opened)
    )
    assert.isTrue(Either.isRight(held))
    assert.deepStrictEqual(
      last.map(({ amount, outcome }) => [amount, outcome]),
      [[30, "lost"]]
    )
  })
)

it.scopedLive("says that another program has changed a row of it, and crashes nothing (C1, C3)", () =>
  Effect.gen(function* () {
    const file = path.join(yield* temporaryDirectory, "tollgate.db")
    const limits = limit("session", 100)
    const [refused, settled] = yield* Effect.gen(function* () {
      yield* book(charge(1), limits)
      const other = new Sqlite(file)
      other.exec("UPDATE cost_totals SET alerted = 'much'")
      other.close()
      return [yield* hold("a", 1, limits), yield* Effect.either(book(charge(1), limits))] as const
    }).pipe(Effect.provide(Ledger.layerSql.pipe(Layer.provide(Database.layer(file)))))
    for (const one of [Either.merge(refused), Either.merge(settled)]) {
      assert.instanceOf(one, LedgerFailed)
      assert.match(String(one), /a row of its ledger was changed by another program/)
    }
  })
)
