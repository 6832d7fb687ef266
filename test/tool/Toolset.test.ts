import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Ref, Schema, TestClock } from "effect"
import { backoff } from "../../src/middleware/retry.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { CallRequest } from "../../src/gate/CallRequest.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"

const request = (name: string, rawParams: unknown): CallRequest => ({
  name,
  rawParams,
  callId: "call-1",
  sessionId: "session-1",
  workerPath: ["root"],
  startedAt: 0,
  sink: silent
})

class Flaky extends Schema.TaggedError<Flaky>()("Flaky", {}) {
  readonly retryable = true
}

describe("Toolset", () => {
  it.effect("decodes, runs and encodes (T1, T9)", () =>
    Effect.gen(function* () {
      const Echo = Tool.make("echo", {
        description: "Says it again",
        parameters: Schema.Struct({ text: Schema.String }),
        success: Schema.String,
        readOnly: true,
        handler: ({ text }) => Effect.succeed(text)
      })
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const result = yield* toolset.call(request("echo", { text: "hi" }))
      assert.strictEqual(result.text, "hi")
      const error = yield* Effect.flip(toolset.call(request("echo", { text: 1, extra: 2 })))
      assert.strictEqual(error._tag, "ParametersInvalid")
      assert.include(error.message, "text: Expected string, actual 1")
    })
  )

  it.effect("retries only what is declared repeatable, with the attempt on the call (T7)", () =>
    Effect.gen(function* () {
      const attempts = yield* Ref.make<ReadonlyArray<number>>([])
      const policy = backoff({
        maxAttempts: 3,
        initialDelay: "100 millis",
        multiplier: 2,
        maxDelay: "1 second",
        jitter: false
      })
      const body = (_: unknown, call: { readonly attempt: number }) =>
        Effect.zipRight(
          Ref.update(attempts, (seen) => [...seen, call.attempt]),
          new Flaky()
        )
      const common = { description: "d", parameters: Schema.Struct({}), success: Schema.Void, failure: Flaky }
      const Read = Tool.make("read", { ...common, readOnly: true, handler: body })
      const Write = Tool.make("write", { ...common, handler: body })
      const toolset = yield* Toolset.make([Read, Write], {
        middleware: DefaultStack.make({ retry: policy, timeouts: { limit: Duration.seconds(5) } }),
        gate: Gate.unguarded("unit test")
      })
      const fiber = yield* Effect.fork(Effect.flip(toolset.call(request("read", {}))))
      yield* TestClock.adjust("300 millis")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "RetriesExhausted")
      assert.include(error.message, "after 3 attempts")
      assert.deepStrictEqual(yield* Ref.getAndSet(attempts, []), [1, 2, 3])
      const once = yield* Effect.flip(toolset.call(request("write", {})))
      assert.strictEqual(once._tag, "Flaky")
      assert.deepStrictEqual(yield* Ref.get(attempts), [1])
    })
  )

  it.effect("frees the caller of a tool that ignores interruption on time (T5)", () =>
    Effect.gen(function* () {
      const Hang = Tool.make("hang", {
        description: "d",
        parameters: Schema.Struct({}),
        success: Schema.Void,
        timeout: "5 seconds",
        handler: () => Effect.uninterruptible(Effect.sleep("1 hour"))
      })
      const toolset = yield* Toolset.make([Hang], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const fiber = yield* Effect.fork(Effect.flip(toolset.call(request("hang", {}))))
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(fiber)
      assert.deepInclude(error, { _tag: "ToolTimedOut", tool: "hang", which: "limit", afterMillis: 5000 })
    })
  )

  it.effect("turns a bug into a failure without its stack (T4)", () =>
    Effect.gen(function* () {
      const Bug = Tool.make("bug", {
        description: "d",
        parameters: Schema.Struct({}),
        success: Schema.Void,
        handler: () => {
          throw new TypeError("x is not a function")
        }
      })
      const toolset = yield* Toolset.make([Bug], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const error = yield* Effect.flip(toolset.call(request("bug", {})))
      assert.strictEqual(error.message, "tool bug crashed")
    })
  )
})
