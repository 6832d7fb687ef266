import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { ScriptStep } from "../../src/model/Script.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"

const Echo = Tool.make("echo", {
  description: "Echoes",
  approval: "never",
  readOnly: true,
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String,
  handler: ({ text }) => Effect.succeed(text)
})

const echo = { call: { name: "echo", arguments: { text: "hi" } } }
const absent = { call: { name: "absent", arguments: {} } }
const reserved = { call: { name: "client.requestApproval", arguments: {} } }

/** What a task ends with whose model makes these calls, one an answer, and how many requests that took. */
const played = (calls: ReadonlyArray<ScriptStep>) =>
  Effect.gen(function* () {
    const model = yield* Testing.Scripted.make([
      ...calls.map((call) => ({ steps: [call] })),
      { steps: [{ say: "Done." }] }
    ])
    const events = yield* Effect.flatMap(Testing.session(), (session) => session.run("go")).pipe(
      Effect.scoped,
      Effect.provide(Testing.layer({ tools: [Echo], model }))
    )
    assert.deepStrictEqual(Testing.Timeline.violations(events), [])
    const { event: end } = events.at(-1)!
    return { end, requests: (yield* model.requests).length }
  })

describe("a model that makes an impossible call again and again", () => {
  for (const call of [absent, reserved, { call: { name: "echo", arguments: "{broken" } }])
    it.effect(`is stopped at the fourth in a row: ${call.call.name} (T15)`, () =>
      Effect.gen(function* () {
        const { end, requests } = yield* played(Array.from({ length: 20 }, () => call))
        assert.strictEqual(requests, 4)
        assert.deepInclude(end, { _tag: "TaskFailed" })
        assert.match(JSON.stringify(end), /was called 3 times in a row.*the task was stopped/)
      })
    )

  it.effect("goes on where it does something else in between (T15)", () =>
    Effect.gen(function* () {
      const { end, requests } = yield* played([absent, absent, absent, echo, absent, absent, absent, reserved])
      assert.strictEqual(end._tag, "TaskCompleted")
      assert.strictEqual(requests, 9)
    })
  )
})
