// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted } from "./command.ts"
import { leave, probes } from "./terminal/TerminalProbe.ts"

describe("what the prompt has for sessions", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { prompt } = probes(() => at)

  it("is cost with its alerts, search, export, a copy and an undo, each said in a line (C2, K1, K2, K6, U7)", async () => {
    const usage = { usage: { inputTokens: 200_000, outputTokens: 10_000 } }
    scripted(
      at,
      [
        { when: "paint", steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "red\n" } } }] },
        { repeat: true, steps: [{ say: "The lighthouse is red." }, usage] }
      ],
      { budgets: { session: 1 } }
    )
    const config = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const { profiles, ...rest } = JSON.parse(fs.readFileSync(config, "utf8"))
    const test = { ...profiles.test, price: { input: 2, output: 10 }, maxOutputTokens: 1000 }
    fs.writeFileSync(config, JSON.stringify({ ...rest, profiles: { test } }))
    const terminal = await prompt(["--mode", "edits"], { columns: 120 })
    terminal.press("paint the lighthouse\r")
    await terminal.idle(/50 % of the budget of this session is spent: \$0\.5\d of \$1\.00[^]*lighthouse is red/)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "red\n")
    terminal.press("/cost\r")
    await terminal.seen(
      /this session \$0\.5\d · today \$0\.5\d · this month \$0\.5\d[^]*scripted[^]*2 requests · 207\.4k in[^]*budget of this session: \$0\.5\d of \$1\.00 \(5\d %\)/
    )
    terminal.press("/search lighthouses\r")
    await terminal.seen(/user.*by text[^]*paint the \[?lighthouse/)
    terminal.press("/export markdown talk.md\r")
    await terminal.seen(`written: ${path.join(at.work, "talk.md")}`)
    assert.include(fs.readFileSync(path.join(at.work, "talk.md"), "utf8"), "The lighthouse is red.")
    terminal.press("/export markdown talk.md\r")
    await terminal.seen(/talk\.md.*exists/)
    terminal.press("/fork 9\r")
    await terminal.seen("no prompt 9 · give a number from 1 to 1")
    terminal.press("/fork\r")
    await terminal.idle(/in the copy now[^]*resume with[^]*paint the lighthouse[^]*2 requests · 1 call/)
    terminal.press("/undo\r")
    await terminal.seen(/delete a\.txt[^]*y yes · n no/)
    terminal.press("y")
    await terminal.seen(/rewound: 1 file/)
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    terminal.press("\u0015/title\r")
    await terminal.seen("paint the lighthouse (fork)")
    await leave(terminal)
  })
})
