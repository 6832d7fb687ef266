import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { raiseBudget } from "../../src/agent/budgetQuestion.ts"
import { Accounts } from "../../src/cost/Accounts.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import type { ModelPart } from "../../src/model/ModelPart.ts"
import { AnswerClientCall, DeclareClientTools } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import { Delegate } from "../../src/tools/Delegate.ts"

const usage = { inputTokens: 100, outputTokens: 100, cachedInputTokens: 0, reasoningTokens: 0 }
const answered = (...parts: ReadonlyArray<ModelPart>) =>
  Stream.fromIterable<ModelPart>([...parts, { _tag: "Finished", reason: "stop", usage, model: "m" }])

/** A dear model: the root starts two workers at once, whose answers are short. */
const model = {
  name: "m",
  price: { input: 1000, output: 1000 },
  maxOutputTokens: 1000,
  stream: ({
    messages
  }: {
    readonly messages: ReadonlyArray<{ readonly message: { readonly content: string | null } }>
  }) => {
    const call = (at: number): ModelPart => ({
      _tag: "FunctionCalled",
      id: `c${at}`,
      name: "delegate",
      arguments: JSON.stringify({ task: `part ${at}` })
    })
    const [first] = messages
    return messages.length === 1 && first?.message.content === "go"
      ? answered(call(1), call(2))
      : answered({ _tag: "TextDelta", text: "done" })
  }
}

/** Plays the prompt; a frontend that takes part answers each question so. */
const played = (atLimit: "ask" | "refuse", answer: boolean | undefined) =>
  Effect.gen(function* () {
    const session = yield* Testing.session()
    const runtime = yield* Runtime
    if (answer !== undefined)
      yield* runtime.request(new DeclareClientTools({ session: session.id, tools: [raiseBudget] }))
    const seen = yield* runtime.events
    yield* Effect.forkScoped(
      Stream.runForEach(seen, ({ event }) =>
        event._tag === "ClientCallRequested"
          ? runtime.send(
              new AnswerClientCall({ session: session.id, requestId: event.requestId, result: { raise: answer } })
            )
          : Effect.void
      )
    )
    const events = yield* session.run("go")
    assert.deepStrictEqual(Testing.Timeline.violations(events), [])
    const ledger = yield* Ledger
    return { events, spent: (yield* ledger.totals("session", {}))[0]?.amount ?? 0 }
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Testing.layer({ tools: [Delegate], model, policy: "allow" }).pipe(
        Layer.provide(Accounts.layer({ budgets: { session: 1.2, atLimit } })),
        Layer.provideMerge(Ledger.layerMemory)
      )
    )
  )

const tagged = (events: ReadonlyArray<{ readonly event: { readonly _tag: string } }>, tag: string) =>
  events.filter(({ event }) => event._tag === tag)

describe("a request that does not fit into a budget", () => {
  it.effect("waits for the person who raises it, asked once for workers side by side (C2)", () =>
    Effect.gen(function* () {
      const { events } = yield* played("ask", true)
      assert.strictEqual(events.at(-1)?.event._tag, "TaskCompleted")
      const asked = tagged(events, "ClientCallRequested")
      assert.isAtLeast(asked.length, 1)
      assert.strictEqual(tagged(events, "BudgetRaised").length, asked.length)
      assert.match(
        JSON.stringify(asked[0]?.event),
        /The budget of \$1\.20 for this session is reached: \$0\.\d\d spent[^"]*; the next request may cost up to \$[\d.]+\. Raise it to \$2\.40 until Tollgate ends\?/
      )
    })
  )

  it.effect(
    "is refused where the person says no, where nobody takes part, and where asking is not configured (C2)",
    () =>
      Effect.gen(function* () {
        for (const [atLimit, answer] of [
          ["ask", false],
          ["ask", undefined],
          ["refuse", true]
        ] as const) {
          const { events, spent } = yield* played(atLimit, answer)
          assert.deepInclude(events.at(-1)?.event, { _tag: "TaskFailed", kind: "limit", error: "BudgetReached" })
          assert.strictEqual(tagged(events, "BudgetRaised").length, 0)
          assert.isAtMost(tagged(events, "ClientCallRequested").length, answer === false ? 1 : 0)
          assert.isAtMost(spent, 1.2e9)
        }
      })
  )
})
