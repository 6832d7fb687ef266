// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import { faultRound } from "../support/faultRounds.ts"

describe("a fault in the middle of a task", { timeout: 60_000 }, () => {
  it.each([
    ["kill -9", "ToolCallStarted"],
    ["log deleted", "ToolCallCompleted"],
    ["database deleted while open", "ModelAnswered"],
    ["audit head deleted", "TaskCompleted"],
    ["SIGSTOP", "ToolCallStarted"]
  ] as const)(
    "%s at %s: loses nothing unsaid, repeats nothing, ends once and names a way on (R9, R4)",
    async (name, moment) => {
      assert.deepStrictEqual(await faultRound(name, moment), [])
    }
  )
})
