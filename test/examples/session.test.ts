import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Schema, Stream } from "effect"
import { Runtime, Tool } from "tollgate"
import * as Testing from "tollgate/testing"
import { program } from "../../examples/session.ts"

const Deploy = Tool.make("deploy", {
  description: "Deploys",
  parameters: Schema.Struct({}),
  success: Schema.String,
  approval: "always",
  handler: () => Effect.succeed("deployed")
})

describe("the README's session", () => {
  it.effect("compiles, asks, denies and clears (R1, R8)", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* program, "Hello.")
      const stored = (yield* Runtime).subscribe("s1", { from: 1, follow: false })
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(stored))
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      const said = Testing.Timeline.render(events)
      assert.include(said, '"outcome":"denied","by":"user ada"')
      assert.include(said, "SessionCleared")
      assert.notInclude(said, "ToolCallStarted")
    }).pipe(
      Effect.provide(
        Testing.layer({
          tools: [Deploy],
          model: ["Hello.", [{ call: { name: "deploy", arguments: {} } }], "Not today."],
          policy: "ask"
        })
      )
    )
  )
})
