// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"

const token = `ghp_${"a1B2".repeat(9)}`

describe("a call that a hook has changed", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("is shown, stored and told to the model as it ran, without secrets (T8, A15, U5)", async () => {
    const hook = path.join(at.home, "hook.cjs")
    const parameters = { path: "b.txt", content: `token ${token}\n` }
    fs.writeFileSync(hook, `console.log(JSON.stringify(${JSON.stringify({ decision: "replace", parameters })}))`)
    const asked = { path: "a.txt", content: "one\n" }
    scripted(at, [{ steps: [{ call: { name: "write_file", arguments: asked } }] }, { steps: [{ say: "I see." }] }], {
      sandbox: { target: "none" },
      hooks: [{ event: "pre", name: "elsewhere", command: [process.execPath, hook] }]
    })
    const { code, stderr } = await tollgate(at, ["run", "--approve", "allow-edits", "write"])
    assert.strictEqual(code, 0, stderr)
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    assert.strictEqual(fs.readFileSync(path.join(at.work, "b.txt"), "utf8"), parameters.content)
    const listed = await tollgate(at, ["sessions", "list", "--json"])
    const [{ id }] = JSON.parse(listed.stdout) as readonly [{ readonly id: string }]
    const { stdout: shown } = await tollgate(at, ["sessions", "show", id])
    const { stdout: markdown } = await tollgate(at, ["export", id, "--format", "markdown"])
    const { stdout: events } = await tollgate(at, ["events", id, "--jsonl"])
    for (const text of [stderr, shown]) {
      assert.match(text, /Wrote b\.txt/)
      assert.notMatch(text, /Wrote a\.txt/)
      assert.include(text, "the hook elsewhere put other parameters in place")
      assert.match(text, /changed before it ran; asked for: a\.txt/)
    }
    assert.match(markdown, /what ran: \{"path":"b\.txt"/)
    const started = events.split("\n").find((line) => line.includes('"ToolCallStarted"')) ?? ""
    assert.include(started, '"parameters":{"path":"b.txt"')
    for (const text of [stderr, shown, markdown, events]) assert.notInclude(text, token)
  })
})
