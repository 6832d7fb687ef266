import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const Finding = Schema.Struct({
  millis: Schema.Number,
  peakMiB: Schema.Number,
  delivered: Schema.Number,
  gaps: Schema.Number
})
const Findings = Schema.parseJson(
  Schema.Struct({
    deltas: Schema.Number,
    without: Finding,
    stalled: Schema.Struct({ ...Finding.fields, ends: Schema.String })
  })
)

describe("a subscriber that stalls through hundreds of thousands of deltas", () => {
  it.live("costs no memory and catches up without a gap (R5)", () =>
    Effect.gen(function* () {
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(process.execPath, ["scripts/run.mjs", "test/fixtures/programs/stalled.ts", "400000"])
      )
      const { stalled, without } = yield* Schema.decode(Findings)(stdout)
      assert.isBelow(stalled.peakMiB, without.peakMiB + 20)
      assert.strictEqual(stalled.gaps, 0)
      assert.strictEqual(stalled.ends, "TaskCompleted")
      assert.isBelow(stalled.delivered, 50, "deltas coalesce")
    })
  )
})
