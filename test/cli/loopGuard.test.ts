// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { probes } from "./terminal/TerminalProbe.ts"

const read = { call: { name: "read_file", arguments: { path: "x.txt" } } }
const forEver = [{ repeat: true, steps: [read] }]
const allow = { id: "reads", decision: "allow", level: "user", tool: "read_file" }

describe("a model that makes the same call over and over", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    fs.writeFileSync(path.join(at.work, "x.txt"), "hi\n")
  })
  afterEach(() => at.remove())
  const { open } = probes(() => at)

  const calls = async (args: ReadonlyArray<string>, more: object = {}) => {
    scripted(at, forEver, { maxIterations: 14, ...more })
    const { stdout } = await tollgate(at, ["run", "--jsonl", "read", ...args])
    const tags = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).event as { _tag: string }]))
    return {
      ran: tags.filter(({ _tag }) => _tag === "ToolCallCompleted").length,
      stopped: stdout.includes("LoopDetected")
    }
  }

  it.each([
    [["--approve", "allow-read-only"], 3],
    [["--approve", "allow-edits"], 3],
    [["--approve", "deny"], 3],
    [["--approve", "fail"], 3],
    [["--dangerously-allow-all"], 9]
  ] as const)(
    "is stopped where nobody can be asked, also where a rule allows the call: %j (T15)",
    async (args, ran) => {
      // These allow it themselves, each in its way.
      if (args.length === 1 || args[1] === "allow-read-only")
        assert.deepStrictEqual(await calls(args), { ran, stopped: true })
      assert.deepStrictEqual(await calls(args, { approvals: { rules: [allow] } }), { ran, stopped: true })
    }
  )

  it("is bounded as the configuration says, which config and doctor show (T15)", async () => {
    const mode = ["--dangerously-allow-all"]
    assert.deepStrictEqual(await calls(mode, { loopGuard: { action: "stop", repeats: 5 } }), { ran: 5, stopped: true })
    assert.include((await tollgate(at, ["doctor", "--stack"])).stdout, "loop guard  stop after 5 identical calls")
    assert.match((await tollgate(at, ["config"])).stdout, /loopGuard\.repeats +5 /)
    assert.deepStrictEqual(await calls(mode, { loopGuard: { action: "off" } }), { ran: 14, stopped: false })
    assert.notInclude((await tollgate(at, ["doctor", "--stack"])).stdout, "loop guard")
  })

  it("is asked about in a terminal, once at a time, whatever the mode allows (A6, T15)", async () => {
    const steps = [read]
    scripted(at, [{ steps }, { steps }, { steps }, { steps }, { steps: [{ say: "So be it." }] }])
    const terminal = await open(["run", "read", "--approve", "allow-edits"])
    const screen = await terminal.seen("allow?")
    assert.include(screen, "the 4th identical call in a row with the same result")
    assert.match(screen, /allow\? +y allow once +n deny/)
    terminal.press("y")
    assert.strictEqual(await terminal.ended, 0)
    assert.include(terminal.screen(), "So be it.")
  })
})
