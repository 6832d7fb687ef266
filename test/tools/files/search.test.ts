import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Exit, Fiber } from "effect"
import * as Budget from "../../../src/tools/files/Budget.ts"
import { matcher, searchText } from "../../../src/tools/files/Search.ts"
import { turnsDuring } from "../../support/turns.ts"

const search = (text: string, pattern: string, context = 0) =>
  Effect.flatMap(Budget.make({ found: 200, text: 64 * 1024, files: 10, millis: 30_000 }), (budget) =>
    searchText("f", text, Either.getOrThrow(matcher(pattern, false)), context, budget)
  )

describe("searchText", () => {
  it.effect("shows lines around matches once, with a sign between groups (S1)", () =>
    Effect.gen(function* () {
      const text = "1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10"
      assert.deepStrictEqual(yield* search(text, "x", 1), [
        "f-2-2",
        "f:3:x3",
        "f-4-4",
        "f:5:x5",
        "f-6-6",
        "--",
        "f-9-9",
        "f:10:x10"
      ])
      assert.deepStrictEqual(yield* search("x\n\nx\n", "x", 10), ["f:1:x", "f-2-", "f:3:x"])
      assert.deepStrictEqual(yield* search("\n\n", "^$"), ["f:1:", "f:2:"])
    })
  )

  it.effect("lets others run while it searches large files of empty, short and longer lines (S1)", () =>
    Effect.gen(function* () {
      for (const text of ["\n".repeat(4_000_000), "a\n".repeat(2_000_000), `${"ab ".repeat(30)}\n`.repeat(200_000)]) {
        assert.isAbove(yield* turnsDuring(search(text, "(a|b)*needle")), 0)
      }
    })
  )

  it.effect("can be interrupted in the middle of a file (S1)", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.forever(search("a\n".repeat(2_000_000), "needle")))
      yield* Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    })
  )
})
