import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { killRounds } from "../support/killRounds.ts"

describe("kill -9", () => {
  it.live("loses nothing that a subscriber saw, runs no write twice and closes what was open (R9)", () =>
    Effect.gen(function* () {
      const report = yield* Effect.promise(() => killRounds(6))
      assert.deepStrictEqual(report.violations, [])
      assert.isAbove(report.events, 0)
    })
  )
})
