import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Schema, Stream } from "effect"
import { offerTools } from "../../src/agent/ToolOffer.ts"
import { AnswerClientCall, DeclareClientTools, Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { NeedInput } from "../../src/tools/NeedInput.ts"
import { results, sentTo, told, turn } from "./Delegating.ts"

const Deploy = Tool.make("deploy", {
  description: "Deploys",
  mode: "manual",
  approval: "always",
  parameters: Schema.Struct({ env: Schema.Literal("staging", "production") }),
  success: Schema.String,
  handler: ({ env }) => Effect.succeed(`deployed to ${env}`)
})
const tools = [Delegate, NeedInput, Deploy] as const
const workers = { deployer: { tools: ["deploy"] }, builder: { tools: [] } }
const start = (worker: string, task: string) => ({ call: { name: "delegate", arguments: { task, worker } } })
const turns = [
  turn("go", start("deployer", "prepare")),
  turn("prepare", { say: "Prepared." }),
  turn("go", start("builder", "build")),
  turn("build", { say: "Built." }),
  turn("go", { say: "Done." })
]

/** Plays the prompt `go`; the frontend answers offers one after the other, and goes on after that. */
const played = (choices: ReadonlyArray<unknown>, declares = true) =>
  Effect.gen(function* () {
    const model = yield* Testing.Scripted.make(turns)
    const events = yield* Effect.gen(function* () {
      const session = yield* Testing.session()
      const runtime = yield* Runtime
      if (declares) yield* runtime.request(new DeclareClientTools({ session: session.id, tools: [offerTools] }))
      const left = [...choices]
      const seen = yield* runtime.events
      yield* Effect.forkScoped(
        Stream.runForEach(seen, ({ event }) =>
          event._tag === "ClientCallRequested"
            ? runtime.send(
                new AnswerClientCall({
                  session: session.id,
                  requestId: event.requestId,
                  result: left.shift() ?? {}
                })
              )
            : Effect.void
        )
      )
      return yield* session.run("go")
    }).pipe(
      Effect.scoped,
      Effect.provide(Testing.layer({ tools, model, settings: { workers }, decide: () => ({ decision: "approve" }) }))
    )
    assert.deepStrictEqual(Testing.Timeline.violations(events), [])
    return { events, model }
  })

describe("a sub-worker with manual tools that has returned", () => {
  it.effect("lets the person run them behind the gate before its parent goes on, which reads the results (U10)", () =>
    Effect.gen(function* () {
      const { events, model } = yield* played([
        { tool: "deploy", parameters: { env: "nowhere" } },
        { tool: "deploy", parameters: { env: "staging" } },
        { tool: "delegate", parameters: { task: "x" } }
      ])
      const offers = events.flatMap(({ event }) => (event._tag === "ClientCallRequested" ? [event] : []))
      assert.strictEqual(offers.length, 4)
      const [first] = offers
      assert.strictEqual(first?.tool, offerTools)
      const offer = first?.parameters as { readonly worker: unknown; readonly tools: ReadonlyArray<{ name: string }> }
      assert.deepStrictEqual([offer.worker, offer.tools.map(({ name }) => name)], [["root", "deployer"], ["deploy"]])
      assert.deepStrictEqual(
        told(events, "ApprovalRequested", "ToolCallStarted").filter((one) => /deployer/.test(one)),
        ["ApprovalRequested deployer", "ToolCallStarted deployer"]
      )
      const [, , [, , given = ""] = []] = results(events).filter(([, tool]) => tool === "delegate" || tool === "deploy")
      assert.match(given, /^\{"status":"done","text":"Prepared\.\\n\\n\[the user ran deploy: [^]*env[^]*\]\\n\\n/)
      assert.include(given, "[the user ran deploy: deployed to staging]")
      assert.include(given, "[the user asked for delegate, which this worker does not have]")
      const shown = yield* sentTo(model, "prepare")
      assert.isTrue(shown.every(({ functions }) => functions.every(({ name }) => name !== "deploy")))
    })
  )

  it.effect("returns at once where no frontend takes part (U10, S1)", () =>
    Effect.gen(function* () {
      const { events } = yield* played([], false)
      assert.deepStrictEqual(told(events, "ClientCallRequested"), [])
      assert.strictEqual(events.at(-1)?.event._tag, "TaskCompleted")
    })
  )

  it.effect("waits no longer than its task: an interruption ends the offer, the worker and the parent (U8, U10)", () =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make(turns)
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        const runtime = yield* Runtime
        yield* runtime.request(new DeclareClientTools({ session: session.id, tools: [offerTools] }))
        const waits = yield* Deferred.make<void>()
        const seen = yield* runtime.events
        const done = yield* Effect.fork(
          Stream.runCollect(
            Stream.takeUntil(
              Stream.tap(seen, ({ event }) =>
                event._tag === "ClientCallRequested" ? Deferred.succeed(waits, undefined) : Effect.void
              ),
              ({ event }) => event._tag === "TaskInterrupted"
            )
          )
        )
        yield* runtime.request(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        yield* Deferred.await(waits)
        yield* runtime.send(new Interrupt({ session: session.id }))
        const events = Array.from(yield* done)
        assert.deepStrictEqual(told(events, "WorkerInterrupted", "ToolCallInterrupted"), [
          "WorkerInterrupted deployer",
          "ToolCallInterrupted"
        ])
      }).pipe(Effect.scoped, Effect.provide(Testing.layer({ tools, model, settings: { workers } })))
    })
  )
})
