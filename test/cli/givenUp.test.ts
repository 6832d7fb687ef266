// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { probes } from "./terminal/TerminalProbe.ts"

const escape = "\u001b"
const ctrlC = "\u0003"
const writing = { call: { name: "write_file", arguments: { path: "a.txt", content: "one\n" } } }

/** Every kind of question that a command asks, and what of it is on the screen. */
const questions = [
  [["--resume"], "Which session?", "number, or words"],
  [["configure"], "Which model server?", "number:"],
  [["sessions", "delete", "session_"], "Delete it for good", "y/N:"],
  [["trust"], "Trust 0 hooks", "answer:"],
  [["approvals", "answer", "approval_", "yes"], "Allow exactly this?", "answer:"],
  [["hook", "install", "claude"], "Enter the hook", "answer:"],
  [["mcp", "add", "clock", "--", "true"], "Add it, start it", "answer:"],
  [["tool", "recall", "-i"], "query (", "query ("]
] as const

describe("a question of a command", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { open, prompt } = probes(() => at)

  /** A session that waits for an answer, and a project that wants to be trusted. */
  const prepare = async () => {
    scripted(at, [{ repeat: true, steps: [writing] }])
    const asking = await prompt()
    asking.press("write\r")
    await asking.seen("allow?")
    asking.kill()
    await asking.ended
    fs.mkdirSync(path.join(at.work, ".tollgate"))
    const rules = [{ id: "grep", tool: "grep", decision: "ask", level: "project" }]
    fs.writeFileSync(path.join(at.work, ".tollgate", "config.json"), JSON.stringify({ approvals: { rules } }))
  }

  it("is given up by Ctrl-C, which ends the command as interrupted, with the terminal as it was (U1, U8)", async () => {
    await prepare()
    for (const env of [{}, { TERM: "dumb" }]) {
      for (const [args, drawn, plain] of questions) {
        const terminal = await open(args, { env: { ...env, OLLAMA_HOST: "127.0.0.1:1" } })
        await terminal.seen("TERM" in env ? plain : drawn)
        terminal.press(ctrlC)
        assert.strictEqual(await terminal.ended, 130, args.join(" "))
        assert.isFalse(terminal.isRaw())
        assert.notMatch(terminal.screen(), /internal error|✓|Answered/)
      }
    }
    assert.strictEqual((await tollgate(at, ["trust", "list"])).stdout, "No project is trusted.\n")
    assert.isFalse(fs.existsSync(path.join(at.home, ".claude")))
  })

  it("is left by Esc with nothing done (U1)", async () => {
    await prepare()
    const left = await open(["trust"])
    await left.seen("Trust 0 hooks")
    left.press(escape)
    await left.seen("It stays untrusted.")
    assert.strictEqual(await left.ended, 0)
  })
})
