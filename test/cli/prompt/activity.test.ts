// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../command.ts"
import { probes } from "../terminal/TerminalProbe.ts"

const call = (name: string, args: object) => ({ call: { name, arguments: args } })

describe("what goes on", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { prompt } = probes(() => at)

  it("is shown by /status while a task runs, iterations, calls and files, and afterwards (T13, T14, T16, U7)", async () => {
    const pipe = path.join(at.work, "go")
    scripted(at, [
      { steps: [call("write_file", { path: "a.txt", content: "a" })] },
      { steps: [call("run_shell", { command: `mkfifo ${pipe}; cat ${pipe}` })] },
      { steps: [{ say: "Done." }] }
    ])
    const terminal = await prompt(["--approve=ask"], { columns: 200 })
    terminal.press("go\r")
    await terminal.seen("allow?")
    terminal.press("y")
    await terminal.seen(/⏸ Run [^]*allow\?/)
    terminal.press("y")
    await terminal.seen("running run_shell")
    terminal.press("/status\r")
    const shown = await terminal.seen("changed: 1 file, a.txt")
    assert.match(shown, /running: root: iteration 1, \d+ tokens of 100/)
    assert.include(shown, "running: Run command")
    terminal.press("/exit\r")
    await terminal.seen("a task is running · esc stops it")
    fs.writeFileSync(pipe, "")
    await terminal.seen("3 requests")
    terminal.press("/status\r")
    await terminal.seen(/changed: 1 file, a\.txt[^]*changed: 1 file, a\.txt/)
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
  })

  it("keeps the whole of a long result where read_file reads it unasked, without its secrets (T10, S5)", async () => {
    const secret = ["ghp_", "a1".repeat(18)].join("")
    fs.writeFileSync(path.join(at.work, "numbers"), Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join(""))
    fs.writeFileSync(path.join(at.work, "token"), `${secret}\n`)
    const results = path.join(at.env["TOLLGATE_HOME"]!, "results")
    scripted(at, [{ steps: [call("run_shell", { command: "cat token numbers" })] }, { steps: [{ say: "Done." }] }])
    const { code, stdout } = await tollgate(at, ["run", "go", "--jsonl", "--approve=deny"])
    assert.strictEqual(code, 0)
    const [, kept = ""] = /the whole is in (\S+?), read it with read_file/.exec(stdout) ?? []
    assert.strictEqual(path.dirname(path.dirname(kept)), results)
    const whole = fs.readFileSync(kept, "utf8")
    assert.include(whole, "line 9999\n")
    assert.notInclude(whole, secret)
    assert.strictEqual(fs.statSync(kept).mode & 0o777, 0o600)
    const result = stdout.split("\n").find((line) => line.includes('"_tag":"ToolCallCompleted"'))
    assert.isBelow(result?.length ?? Infinity, 40_000)

    scripted(at, [
      {
        steps: [
          call("read_file", { path: kept, offset: 10_000, limit: 2 }),
          call("write_file", { path: kept, content: "" }),
          call("read_file", { path: path.join(at.env["TOLLGATE_HOME"]!, "config.json") })
        ]
      },
      { steps: [{ say: "Done." }] }
    ])
    const read = await tollgate(at, ["run", "--continue", "go", "--jsonl", "--approve=deny"])
    const ends = read.stdout.split("\n").filter((line) => /"_tag":"ToolCall(?:Completed|Failed)"/.test(line))
    assert.strictEqual(ends.length, 3)
    assert.include(
      ends.find((line) => line.includes("Completed")),
      "line 999"
    )
    assert.strictEqual(fs.readFileSync(kept, "utf8"), whole)
  })
})
