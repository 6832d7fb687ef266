import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { chosen, offeredFor } from "../../src/acp/Permission.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"

const offered = offeredFor({ scopes: ["once", "session"] } as unknown as ApprovalRequest, true)

describe("an editor's answer to a request for permission", () => {
  it.each([[null], [undefined], [{}], [{ outcome: null }], [{ outcome: {} }], [{ outcome: "selected" }], [5], [[]]])(
    "is no choice where it is none: %j (A3)",
    (answer) => {
      assert.isUndefined(chosen(answer, offered))
    }
  )

  it.effect.prop(
    "allows nothing unless it selects an option that allows, whatever it is (A3)",
    [fc.oneof(fc.anything(), fc.record({ outcome: fc.anything() }))],
    ([answer]) =>
      Effect.sync(() => {
        const choice = chosen(answer, offered)
        assert.isTrue(choice === undefined || choice === "cancelled" || choice._tag === "Reject")
      })
  )

  it("is the option that it selects, or that the question was taken back (A3)", () => {
    const [allow] = offered
    assert.deepStrictEqual(chosen({ outcome: { outcome: "selected", optionId: "once" } }, offered), allow?.choice)
    assert.strictEqual(chosen({ outcome: { outcome: "cancelled" } }, offered), "cancelled")
  })
})
