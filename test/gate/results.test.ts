import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { CallEvent } from "../../src/gate/CallEvent.ts"
import type { Middleware } from "../../src/middleware/Middleware.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { ToolCall } from "../../src/tool/ToolCall.ts"
import { request } from "../tool/support.ts"

const Act = Tool.make("act", {
  description: "Acts.",
  parameters: Schema.Struct({}),
  success: Schema.String,
  approval: "never",
  handler: () => Effect.succeed("done")
})

/** Middleware of who has no types, or works around them. */
const untyped: Readonly<Record<string, (next: Effect.Effect<unknown>) => Effect.Effect<unknown>>> = {
  "gives nothing": (next) => Effect.asVoid(next),
  "gives a text": (next) => Effect.as(next, "done"),
  "gives a number": (next) => Effect.as(next, 99),
  "gives an object without a text": (next) => Effect.as(next, { value: 1 })
}

describe("a middleware that is none by its type", () => {
  for (const [what, wrap] of Object.entries(untyped)) {
    it.effect(`and ${what} has crashed, and its call has one end (T4, R4)`, () =>
      Effect.gen(function* () {
        const middleware = ((call: ToolCall, next: (call: ToolCall) => Effect.Effect<unknown>) =>
          wrap(next(call))) as unknown as Middleware<ToolCall>
        const toolset = yield* Toolset.make([Act], { middleware })
        const events: Array<CallEvent> = []
        const heard = (event: CallEvent) => Effect.sync(() => void events.push(event))
        const exit = yield* Effect.exit(toolset.call({ ...request("act", {}), sink: { emit: heard, commit: heard } }))
        assert.isTrue(exit._tag === "Failure" && exit.cause._tag === "Die")
        const ends = events.filter(({ _tag }) => /^ToolCall(?:Completed|Failed|Interrupted)$/.test(_tag))
        assert.deepStrictEqual(
          ends.map(({ _tag }) => _tag),
          ["ToolCallFailed"]
        )
      })
    )
  }
})
