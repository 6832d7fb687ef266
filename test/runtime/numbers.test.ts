import { assert, describe, it } from "@effect/vitest"
import { Cause, Chunk, Effect, Exit, Layer, Schema, Stream } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Reviewer } from "../../src/approval/Reviewer.ts"
import { Accounts } from "../../src/cost/Accounts.ts"
import { Scope } from "../../src/cost/Budgets.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import type { Terms } from "../../src/cost/Terms.ts"
import { concurrency } from "../../src/middleware/concurrency.ts"
import { rateLimit } from "../../src/middleware/rateLimit.ts"
import { backoff } from "../../src/middleware/retry.ts"
import { silenceTimeout } from "../../src/model/Endpoint.ts"
import { retried } from "../../src/model/RetryPolicy.ts"
import { CreateSession } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { defaults } from "../../src/runtime/RuntimeOptions.ts"
import * as Testing from "../../src/testing.ts"
import { ClientTools } from "../../src/tool/ClientTools.ts"
import * as Hook from "../../src/tool/Hook.ts"
import { loopGuard } from "../../src/tool/loopGuard.ts"
import * as Tool from "../../src/tool/Tool.ts"

const policy = { maxAttempts: 3, initialDelay: 1, multiplier: 2, maxDelay: 1, jitter: false }
const settled = Object.entries(defaults).flatMap(([name, value]) => (typeof value === "number" ? [name] : []))
const harness = (settings: object) => Effect.scoped(Layer.build(Testing.layer({ model: [], settings })))
const accounts = (budgets: object) =>
  Effect.scoped(Layer.build(Layer.provide(Accounts.layer({ budgets }), Ledger.layerMemory)))

type Taking = Readonly<Record<string, (value: number) => Effect.Effect<unknown, Testing.ToolsetInvalid>>>

/** What takes a whole number of at least one, or as many as one likes. */
const whole: Taking = {
  "concurrency: permits": concurrency,
  "rateLimit: permits": (permits) => rateLimit({ permits, per: 1 }),
  "backoff: maxAttempts": (maxAttempts) => Effect.sync(() => backoff({ ...policy, maxAttempts })),
  "retried: maxAttempts": (maxAttempts) => Effect.sync(() => retried({ maxAttempts }))
}
const unbounded: Taking = {
  "loopGuard: repeats": (repeats) => loopGuard({ action: "stop", repeats }),
  ...Object.fromEntries(
    settled.map((name) => [`RuntimeOptions: ${name}`, (value: number) => harness({ [name]: value })])
  )
}
const scaling: Taking = {
  "backoff: multiplier": (multiplier) => Effect.sync(() => backoff({ ...policy, multiplier })),
  "retried: multiplier": (multiplier) => Effect.sync(() => retried({ multiplier })),
  "budgets.unknownPrice: input": (input) => accounts({ day: 1, unknownPrice: { input, output: 1 } }),
  "budgets.unknownPrice: output": (output) => accounts({ day: 1, unknownPrice: { input: 1, output } }),
  ...Object.fromEntries(Scope.literals.map((scope) => [`budgets.${scope}`, (usd) => accounts({ [scope]: usd })]))
}

const built = <A, E>(layer: Layer.Layer<A, E>) => Effect.scoped(Layer.build(layer))
const made = (options: object) =>
  Effect.sync(() =>
    Tool.make("t", {
      description: "Does t",
      parameters: Schema.Struct({}),
      success: Schema.String,
      handler: () => Effect.succeed(""),
      ...options
    })
  )
const deadlines: Taking = {
  "Tool t: timeout": (timeout) => made({ timeout }),
  "Tool t: idleTimeout": (idleTimeout) => made({ idleTimeout }),
  "Reviewer: timeout": (timeout) =>
    Layer.succeed(Reviewer, { decide: undefined, timeout }).pipe(
      (reviewer) => Layer.provide(Approvals.layer({ policy: "ask" }), reviewer),
      built
    ),
  "Approvals: timeout": (timeout) => built(Approvals.layer({ policy: "ask", timeout })),
  "ClientTools: timeout": (timeout) => built(ClientTools.layer({ timeout })),
  "Hook pre t: timeout": (timeout) => Effect.sync(() => Hook.pre("t", () => Effect.never, { timeout })),
  "Hook post t: timeout": (timeout) => Effect.sync(() => Hook.post("t", () => Effect.never, { timeout })),
  "rateLimit: per": (per) => rateLimit({ permits: 1, per }),
  "rateLimit: maxWait": (maxWait) => rateLimit({ permits: 1, per: 1, maxWait }),
  "backoff: initialDelay": (initialDelay) => Effect.sync(() => backoff({ ...policy, initialDelay })),
  "backoff: maxDelay": (maxDelay) => Effect.sync(() => backoff({ ...policy, maxDelay })),
  "retried: initialDelay": (initialDelay) => Effect.sync(() => retried({ initialDelay })),
  "retried: maxDelay": (maxDelay) => Effect.sync(() => retried({ maxDelay })),
  "Model m: silenceTimeout": (timeout) =>
    Effect.sync(() => silenceTimeout({ model: "m", baseUrl: "", silenceTimeout: timeout }))
}
const sizes: Taking = { "Tool t: resultLimit": (resultLimit) => made({ resultLimit }) }

const assertRefused = (name: string, value: number, exit: Exit.Exit<unknown, unknown>) => {
  assert(Exit.isFailure(exit), `${name} takes ${value}`)
  const error = Cause.squash(exit.cause)
  assert.instanceOf(error, RangeError)
  assert.match(String(error), new RegExp(`${name} must be a (?:whole )?number of at least \\d, not ${value}\\.`))
}

describe("a number that an option takes", () => {
  const tables = [
    { taking: whole, wrong: [Number.NaN, -1, 0, 1.5, Infinity, -Infinity], right: [1, 3] },
    { taking: unbounded, wrong: [Number.NaN, -1, 1.5, -Infinity], right: [1, Infinity] },
    { taking: deadlines, wrong: [Number.NaN, -1, -Infinity], right: [0, 1.5, Infinity] },
    { taking: sizes, wrong: [Number.NaN, -1, 1.5, -Infinity], right: [0, 3, Infinity] },
    { taking: scaling, wrong: [Number.NaN, -1, Infinity, -Infinity], right: [0, 1.5] }
  ]
  for (const { right, taking, wrong } of tables)
    it.effect.each(Object.entries(taking))("is refused by its name where it is none: %s (R5)", ([name, take]) =>
      Effect.gen(function* () {
        for (const value of wrong) assertRefused(name, value, yield* Effect.exit(take(value)))
        for (const value of right) yield* take(value)
      })
    )

  it.effect("is refused where it stands for a time that is written otherwise, too (R5)", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(made({ timeout: "soon" }))
      assert(Exit.isFailure(exit))
      assert.include(
        String(Cause.squash(exit.cause)),
        'Tool t: timeout must be milliseconds or e.g. "10 seconds", not soon.'
      )
    })
  )

  it.scoped("is refused where it says which events a subscriber gets, who misses none otherwise (R5)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const session = yield* runtime.session({ id: "s", create: { project: "p" } })
      yield* session.prompt("hi")
      const whole = Chunk.size(yield* Stream.runCollect(session.events({ from: 1, follow: false, transient: false })))
      const counted = (asked: { readonly from: number; readonly page?: number }) =>
        Stream.runCount(runtime.subscribe("s", { ...asked, follow: false, transient: false }))
      for (const from of [Number.NaN, Infinity, 1.5, -1])
        for (const events of [runtime.subscribe("s", { from }), session.events({ from })])
          assertRefused("subscribe: from", from, yield* Effect.exit(Stream.runDrain(events)))
      for (const page of [Number.NaN, Infinity, 0.5, 0, -1])
        for (const events of [runtime.subscribe("s", { from: 1, page }), session.events({ from: 1, page })])
          assertRefused("subscribe: page", page, yield* Effect.exit(Stream.runDrain(events)))
      for (const from of [0, 1])
        for (const page of [1, 2, 1000]) assert.strictEqual(yield* counted({ from, page }), whole)
      assert.strictEqual(yield* counted({ from: whole + 7 }), 0)
    }).pipe(Effect.provide(Testing.layer({ model: ["Done"] })))
  )
})

describe("the sender of the commands of a session", () => {
  for (const by of ["", "x".repeat(65)])
    it.scoped(`is refused as the command refuses it, not cut: ${by.length} characters (R5)`, () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        assert.throws(() => new CreateSession({ session: "s", project: "p", by }), /by/)
        yield* runtime.session({ id: "there", create: { project: "p" } })
        const ways = [
          { id: "s", create: { project: "p" } },
          { id: "there", resume: true },
          { resume: { lastOf: "p" } }
        ] as const
        for (const way of ways) {
          const refused = yield* Effect.flip(runtime.session({ ...way, by }))
          assert.strictEqual(refused._tag, "RequestRejected")
          assert.include(refused.message, "by: ")
        }
      }).pipe(Effect.provide(Testing.layer({ model: [] })))
    )
})

describe("the terms of a model of one's own", () => {
  const rates = [Number.NaN, -1, Infinity]
  const terms: ReadonlyArray<readonly [string, Terms]> = [
    ...rates.flatMap((rate) => [
      ["a rate", { name: "own", price: { input: rate, output: 1 } }] as const,
      ["a rate", { name: "own", price: { input: 1, output: rate } }] as const
    ]),
    ...rates.map((most) => ["a limit", { name: "own", price: { input: 1, output: 1 }, maxOutputTokens: most }] as const)
  ]
  it.effect.each(terms)("leave a budget as it is with %s that is none (C3)", ([what, own]) =>
    Effect.gen(function* () {
      const { open } = yield* Accounts
      const payer = { session: "s", project: "/p", task: "t", worker: ["root"], iteration: 1 }
      const attempt = { payer, profile: "main", terms: own, number: 1, inputTokens: () => 10 }
      const error = yield* Effect.flip(open(attempt))
      assert.strictEqual(error._tag, what === "a rate" ? "PriceUnknown" : "BudgetReached")
    }).pipe(Effect.provide(Layer.provide(Accounts.layer({ budgets: { task: 0.000_02 } }), Ledger.layerMemory)))
  )
})
