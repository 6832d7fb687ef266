import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { Accounts, type Ending } from "../../src/cost/Accounts.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import { ofUsd } from "../../src/cost/Money.ts"
import { costOf, type Price } from "../../src/cost/Price.ts"
import { ledgers } from "./charging.ts"

const price: Price = { input: 1, output: 4 }
const longest = 500

/** What one sub-task does: its requests, how long each takes, and how each ends. */
const request = FastCheck.record({
  input: FastCheck.nat(1000),
  output: FastCheck.nat(longest),
  turns: FastCheck.nat(20),
  ends: FastCheck.constantFrom("answered", "answered", "failed", "silent", "crashed")
})
const plans = FastCheck.record({
  tasks: FastCheck.array(FastCheck.array(request, { minLength: 1, maxLength: 4 }), { minLength: 64, maxLength: 64 }),
  usd: FastCheck.integer({ min: 1, max: 60 }).map((thousandths) => thousandths / 1000),
  interrupted: FastCheck.array(FastCheck.record({ task: FastCheck.nat(63), after: FastCheck.nat(40) }), {
    maxLength: 20
  })
})

type Request = typeof request extends FastCheck.Arbitrary<infer A> ? A : never

/** Lets the others run so many times. */
const turns = (count: number) => Effect.repeatN(Effect.yieldNow(), count)

const spend = (task: number, { ends, input, output, turns: takes }: Request, iteration: number) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { open } = yield* Accounts
      const payer = { session: "s", project: "/p", task: "t", worker: ["root", `W${task}`], iteration }
      const terms = { name: "m", price, maxOutputTokens: longest }
      const opened = yield* open({ payer, profile: "main", terms, number: 1, inputTokens: () => input * 2 })
      const usage = { inputTokens: input, outputTokens: output, cachedInputTokens: 0, reasoningTokens: 0 }
      const ending: Ending =
        ends === "answered"
          ? { outcome: "answered", usage }
          : ends === "failed"
            ? { outcome: "failed" }
            : { outcome: "failed", outputTokens: output }
      const exit = yield* Effect.exit(restore(turns(takes)))
      yield* opened.settle(Exit.isSuccess(exit) ? ending : { outcome: "interrupted", outputTokens: output })
      yield* exit
      if (ends === "crashed") yield* Effect.dieMessage("the sub-task has a bug")
      return ends === "answered" ? costOf(price, usage) : 0
    })
  )

for (const [where, layer] of ledgers) {
  describe(`a budget, with the ledger ${where}`, () => {
    it.scoped.prop(
      "is never overrun by 64 sub-tasks at once, whatever they cost and however they end, and nothing stays reserved (C3)",
      [plans],
      ([{ interrupted, tasks, usd }]) =>
        Effect.gen(function* () {
          const limit = ofUsd(usd)
          const paid = yield* Ref.make(0)
          const check = Effect.gen(function* () {
            const fibers = yield* Effect.forEach(tasks, (requests, task) =>
              Effect.fork(
                Effect.forEach(requests, (one, at) =>
                  Effect.flatMap(spend(task, one, at + 1), (amount) => Ref.update(paid, (sum) => sum + amount))
                )
              )
            )
            for (const { after, task } of interrupted) {
              yield* turns(after)
              const fiber = fibers[task]
              if (fiber !== undefined) yield* Fiber.interruptFork(fiber)
            }
            yield* Effect.forEach(fibers, Fiber.await)
            const ledger = yield* Ledger
            const [all] = yield* ledger.totals("session", {})
            assert.isAtMost(all?.amount ?? 0, limit)
            assert.isAtMost(yield* Ref.get(paid), all?.amount ?? 0)
            // What is left can be reserved to the last billionth: nothing is held by what has ended.
            const payer = { session: "s", project: "/p", task: "t", worker: ["root"], iteration: 1 }
            const [charge] = yield* ledger.charges({ limit: 1 })
            if (charge === undefined) return
            const places = {
              task: '["s","t"]',
              session: "s",
              day: charge.day,
              month: charge.day.slice(0, 7),
              project: "/p"
            }
            const left = { id: "rest", places, amount: limit - (all?.amount ?? 0), ifLost: { ...charge, payer } }
            yield* ledger.reserve(left, new Map([["task", limit]]))
          })
          const accounts = Accounts.layer({ budgets: { task: usd } })
          yield* Effect.provide(check, Layer.provideMerge(accounts, yield* layer))
        }),
      { fastCheck: { numRuns: where === "in memory" ? 25 : 4 } }
    )
  })
}
