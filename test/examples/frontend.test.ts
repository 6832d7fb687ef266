import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Schema, Stream } from "effect"
import { Approvals, MemorySessionStore, Models, Runtime, Scripted, Tool, Tools, Toolset } from "tollgate"
import { DefaultStack } from "tollgate"
import { frontend } from "../../examples/frontend.ts"

const deployed: Array<string> = []

const Deploy = Tool.make("deploy", {
  description: "Deploys a version",
  parameters: Schema.Struct({ version: Schema.String }),
  success: Schema.String,
  approval: "always",
  handler: ({ version }) => Effect.sync(() => `deployed ${deployed.push(version)}`)
})

const Wait = Tool.make("wait", {
  description: "Waits for ever",
  parameters: Schema.Struct({}),
  success: Schema.String,
  readOnly: true,
  timeout: 0,
  handler: () => Effect.never
})

const deploy = (version: string) => [{ call: { name: "deploy", arguments: { version } } }]

const live = Runtime.layer.pipe(
  Layer.provide(Tools.layerEffect(Toolset.make([Deploy, Wait], { middleware: DefaultStack.make({}) }))),
  Layer.provide(Approvals.layer({ policy: "ask" })),
  Layer.provide(
    Layer.unwrapEffect(
      Effect.gen(function* () {
        const first = yield* Scripted.make([
          "Hello.",
          deploy("1"),
          "Deployed.",
          deploy("2"),
          "Left.",
          [{ call: { name: "wait", arguments: {} } }]
        ])
        const second = yield* Scripted.make(["I am the other one."])
        return Models.layerOf({ first, second })
      })
    )
  ),
  Layer.provide(MemorySessionStore.layer)
)

describe("a frontend on the public API alone", () => {
  it.effect("prompts, approves, denies, cancels and switches models (R11)", () =>
    Effect.gen(function* () {
      const lines = yield* Queue.unbounded<string>()
      const printed = yield* Queue.unbounded<string>()
      const running = yield* Effect.fork(
        frontend(Stream.fromQueue(lines), (text) => Queue.offer(printed, text), "/somewhere")
      )
      /** Types a line and gives what is printed next. */
      const type = (line: string) => Effect.zipRight(Queue.offer(lines, line), Queue.take(printed))
      assert.strictEqual(yield* type("hello"), "Hello.")
      assert.include(yield* type("deploy"), 'deploy wants {"version":"1"}')
      assert.strictEqual(yield* type("y"), "Deployed.")
      assert.include(yield* type("again"), 'deploy wants {"version":"2"}')
      assert.strictEqual(yield* type("n"), "Left.")
      assert.deepStrictEqual(deployed, ["1"])
      yield* Queue.offer(lines, "wait")
      assert.strictEqual(yield* type("/cancel"), "cancelled")
      assert.include(yield* type("/model third"), "error: ")
      assert.include(yield* type("/model second"), "second")
      assert.strictEqual(yield* type("who are you?"), "I am the other one.")
      yield* Queue.shutdown(lines)
      yield* Fiber.await(running)
    }).pipe(Effect.provide(live))
  )
})
