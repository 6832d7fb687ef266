// @effect-diagnostics asyncFunction:off - drives a real terminal from outside
import { describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { reads, session } from "../../support/shownRounds.ts"

describe("a command that waits for approval", () => {
  it("was on the screen or in the pager to its last character before an answer counts (A15)", async () => {
    for (const one of fc.sample(session, { numRuns: 1, seed: 15 })) await reads(one)
  })
})
