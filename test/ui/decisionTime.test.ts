import { assert, describe, it } from "@effect/vitest"
import { ApprovalRequested, ApprovalResolved, ToolCallStarted, trusted } from "../../src/tool/ToolEvent.ts"
import { ModelRequested } from "../../src/agent/AgentEvent.ts"
import type { Event } from "../../src/runtime/Event.ts"
import { DecisionTime } from "../../src/ui/narration/DecisionTime.ts"

const asks = (id: string) =>
  new ApprovalRequested({ request: { id } as ApprovalRequested["request"], ahead: 0 }, trusted)
const answers = (approvalId: string) =>
  new ApprovalResolved(
    { callId: approvalId, tool: "t", approvalId, outcome: "granted", by: "user", waitedMillis: 0 },
    trusted
  )
const asked = new ModelRequested({ profile: "p", model: "m", messages: 1, functions: 0 }, trusted)
const started = (callId: string) => new ToolCallStarted({ callId, tool: "t", readOnly: false }, trusted)

const after = (...events: ReadonlyArray<readonly [time: number, worker: string, event: Event]>) => {
  const decided = new DecisionTime()
  for (const [index, [time, worker, event]] of events.entries()) {
    decided.step({
      version: 1,
      session: "s",
      seq: index,
      time,
      task: "t",
      iteration: 1,
      worker: ["root", worker],
      event
    })
  }
  return decided.millis
}

describe("the time that a task waits for decisions", () => {
  it("is what passes while nothing else goes on: no wait counts that another worker worked through (U9)", () => {
    assert.strictEqual(after([0, "a", asks("1")], [10, "a", answers("1")]), 10)
    // Two at once are waited for once.
    assert.strictEqual(
      after([0, "a", asks("1")], [2, "b", asks("2")], [8, "a", answers("1")], [10, "b", answers("2")]),
      10
    )
    // Another worker asks its model, or runs a call, meanwhile.
    assert.strictEqual(after([0, "b", asked], [1, "a", asks("1")], [10, "a", answers("1")]), 0)
    assert.strictEqual(after([0, "a", asks("1")], [4, "b", started("c")], [10, "a", answers("1")]), 4)
  })
})
