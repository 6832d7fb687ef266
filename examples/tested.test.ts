import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Tool } from "tollgate"
import * as Testing from "tollgate/testing"

const Deploy = Tool.make("deploy", {
  description: "Deploys a version",
  parameters: Schema.Struct({ version: Schema.String }),
  success: Schema.String,
  approval: "always",
  risk: "high",
  handler: ({ version }) => Effect.succeed(`deployed ${version}`)
})

describe("a session that wants to deploy", () => {
  it.effect("does not deploy what is denied, and says so to the model", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const events = yield* session.run("ship it")
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      assert.include(Testing.Timeline.render(events), "ToolCallFailed")
      assert.notInclude(Testing.Timeline.render(events), "ToolCallStarted")
    }).pipe(
      Effect.provide(
        Testing.layer({
          tools: [Deploy],
          model: [[{ call: { name: "deploy", arguments: { version: "1.2.3" } } }], "Understood, not today."],
          decide: ({ risk }) => ({ decision: risk === "high" ? "deny" : "approve", reason: "not on a Friday" })
        })
      )
    )
  )
})
