// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import { faultRound } from "../support/faultRounds.ts"

/** Each fault once, each moment; `scripts/soak/faults.ts` lets every fault strike at every moment. */
describe("a fault in the middle of a task", () => {
  it.each([
    ["kill -9", "ToolCallStarted"],
    ["SIGHUP", "ModelAnswered"],
    ["SIGSTOP", "ToolCallStarted"],
    ["output closed", "ToolCallStarted"],
    ["log deleted", "ToolCallCompleted"],
    ["database deleted while open", "ModelAnswered"],
    ["page zeroed", "ToolCallStarted"],
    ["projection damaged", "ToolCallCompleted"],
    ["trigger deleted", "TaskStarted"],
    ["audit head deleted", "TaskCompleted"],
    ["few descriptors", "TaskStarted"]
  ] as const)(
    "%s at %s: loses nothing unsaid, repeats nothing, ends once and names a way on (R9, R4)",
    async (name, moment) => {
      assert.deepStrictEqual(await faultRound(name, moment), [])
    }
  )
})
