// @effect-diagnostics asyncFunction:off - the example runs as soon as it is loaded
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as fs from "node:fs"
import { type Place, place, scripted } from "../cli/command.ts"
import { database } from "../cli/stored.ts"

describe("the README's host", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("runs as it stands: the user's models, stores and tools, in the project that it is called in (R16)", async () => {
    scripted(at, [
      { steps: [{ call: { name: "list_dir", arguments: {} } }] },
      { steps: [{ call: { name: "write_file", arguments: { path: "tidied.txt", content: "all of it" } } }] },
      { steps: [{ say: "I have looked." }] }
    ])
    for (const [name, value] of Object.entries(at.env)) vi.stubEnv(name, value)
    vi.spyOn(process, "cwd").mockReturnValue(at.work)
    const printed = vi.spyOn(console, "log").mockImplementation(() => {})
    await import("../../examples/host.ts")
    const tags = printed.mock.calls.map(([, tag]: ReadonlyArray<unknown>) => tag)
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    assert.includeMembers(tags, ["TaskStarted", "ToolCallCompleted", "ApprovalResolved", "ToolCallFailed"])
    assert.strictEqual(tags.at(-1), "TaskCompleted")
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
    assert.isTrue(fs.existsSync(database(at)))
  })
})
