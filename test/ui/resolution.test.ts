import { assert, describe, it } from "@effect/vitest"
import { resolutionOf } from "../../src/approval/Decision.ts"
import { ApprovalResolved, trusted } from "../../src/tool/ToolEvent.ts"
import { resolution } from "../../src/ui/narration/resolution.ts"

const said = (by: string, reason?: string): string =>
  resolution(
    new ApprovalResolved(
      {
        callId: "c1",
        tool: "write",
        approvalId: "r1",
        outcome: "withdrawn",
        by,
        waitedMillis: 0,
        ...(reason === undefined ? {} : { reason })
      },
      trusted
    )
  )

/** What is told of a request whose parameters somebody has changed. */
const edited = (by: string): string => {
  const { outcome, reason } = resolutionOf({ by, decision: "approve", scope: "once", parameters: { path: "b.txt" } })
  assert.strictEqual(outcome, "withdrawn")
  return said(by, reason)
}

describe("the end of a withdrawn request", () => {
  it("says who edited the parameters (A9, U12)", () => {
    assert.strictEqual(edited("user"), "you edited the parameters")
    assert.strictEqual(edited("user ada"), "edited by user ada")
  })

  it("says why, where a reason is known", () => {
    assert.strictEqual(
      said("change", "What it would do has changed."),
      "the request was withdrawn: what it would do has changed"
    )
    assert.strictEqual(said("interruption"), "the request was withdrawn")
  })
})
