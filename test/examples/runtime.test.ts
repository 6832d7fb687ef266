// @effect-diagnostics asyncFunction:off - the example runs as soon as it is loaded
import { assert, describe, it, vi } from "@effect/vitest"

describe("the README's runtime", () => {
  it("runs as it stands: a task with a call that is tried again, to its end (R1, R8)", async () => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => {})
    await import("../../examples/runtime.ts")
    const lines = printed.mock.calls.map(([seq, tag]) => `${seq} ${tag}`)
    printed.mockRestore()
    const tags = lines.map((line) => line.split(" ")[1])
    assert.notInclude(tags, "CommandRejected")
    assert.includeMembers(tags, ["SessionCreated", "TaskStarted", "ToolCallRetried", "ToolCallCompleted"])
    assert.strictEqual(tags.at(-1), "TaskCompleted")
  })
})
