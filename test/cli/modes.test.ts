// @effect-diagnostics asyncFunction:off - drives a real terminal from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { leave, probes } from "./terminal/TerminalProbe.ts"

describe("the mode of approvals", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, [{ steps: [{ say: "Fine." }] }])
  })
  afterEach(() => at.remove())
  const { open } = probes(() => at)

  const detected = "sandbox (?:off|bubblewrap|sandbox-exec)"
  it.each([
    { flags: [], target: "detect", header: "asks before acting", sandbox: detected, prompt: "ASK" },
    {
      flags: ["--approve", "allow-edits"],
      target: "none",
      header: "allows edits without asking",
      sandbox: "sandbox off",
      prompt: "EDITS"
    },
    {
      flags: ["--mode", "plan"],
      target: "none",
      header: "reads only, and plans",
      sandbox: "sandbox off",
      prompt: "PLAN"
    },
    {
      flags: ["--dangerously-allow-all"],
      target: "detect",
      header: "RUNS EVERY CALL WITHOUT ASKING",
      sandbox: detected,
      prompt: "ALLOW ALL"
    }
  ])("stands in the header, the prompt and /status, beside where commands run: $header (A8, S3)", async (row) => {
    scripted(at, [], { sandbox: { target: row.target } })
    const terminal = await open(row.flags, { columns: 160 })
    await terminal.seen(new RegExp(`${row.header} · ${row.sandbox} · /help`))
    await terminal.seen(new RegExp(`^ ${row.prompt} · test`, "m"))
    terminal.press("/status\r")
    await terminal.seen(new RegExp(`no session yet · .* · ${row.header} · ${row.sandbox} · `))
    await leave(terminal)
  })

  it("goes on to the next by shift-tab, and to any by /mode, also before there is a session (U13)", async () => {
    const terminal = await open([], { columns: 100 })
    await terminal.seen(/^ ASK · test/m)
    terminal.press("\u001b[Z")
    await terminal.seen(/^ EDITS · test/m)
    terminal.press("\u001b[Z")
    await terminal.seen(/^ PLAN · test/m)
    terminal.press("/mode edits\r")
    await terminal.seen(/^ EDITS · test/m)
    await terminal.seen("· mode: edits")
    terminal.press("/mode allow\r")
    await terminal.seen("allow cannot be set here")
    await terminal.seen(/^ EDITS · test/m)
    // The session exists by now, and what a key does leaves no rows behind.
    terminal.press("\u001b[Z")
    await terminal.seen(/^ PLAN · test/m)
    terminal.press("\u001b[Z\u001b[Z")
    await terminal.seen(/^ EDITS · test/m)
    await leave(terminal)
    assert.strictEqual(terminal.screen().split("mode: ").length, 2)
    // Who has asked for it is told, and nobody else.
    assert.strictEqual(terminal.screen().split("allow cannot be set here").length, 2)
    assert.match(terminal.screen(), /Start with: tollgate\s+--dangerously-allow-all/)
  })

  it("goes on from a plan in the mode that the person chooses, with the model's next answer (U13)", async () => {
    scripted(at, [{ steps: [{ say: "1. Read it\n2. Mend it" }] }, { steps: [{ say: "Carried out." }] }])
    const terminal = await open(["--mode", "plan"], { columns: 100 })
    await terminal.seen(/^ PLAN · test/m)
    terminal.press("plan it\r")
    await terminal.seen("Carry out this plan?")
    terminal.press("e\r")
    await terminal.seen("Carried out.")
    await terminal.seen(/^ EDITS · test/m)
    await leave(terminal)
  })

  it("stays in plan mode on esc after a plan, and does not quit (U13)", async () => {
    scripted(at, [{ steps: [{ say: "## The plan\nMend it." }] }, { steps: [{ say: "## Another plan\nMend it." }] }])
    const terminal = await open(["--mode", "plan"], { columns: 100 })
    await terminal.seen(/^ PLAN · test/m)
    terminal.press("plan it\r")
    await terminal.seen("Carry out this plan?")
    terminal.press("\u001b")
    await terminal.seen(/^› ?\n PLAN · test/m)
    terminal.press("plan more\r")
    await terminal.seen(/Another plan[^]*Carry out this plan\?/)
    terminal.press("\u001b")
    await terminal.seen(/^› ?\n PLAN · test/m)
    assert.notInclude(terminal.screen(), "to quit")
    await leave(terminal)
  })

  it("leaves the question after a plan by shift-tab, for the next mode, and keeps what was typed there (U13)", async () => {
    scripted(at, [{ steps: [{ say: "## The plan\nMend it." }] }, { steps: [{ say: "Mended." }] }])
    const terminal = await open(["--mode", "plan"], { columns: 100 })
    await terminal.seen(/^ PLAN · test/m)
    terminal.press("plan it\r")
    await terminal.seen("Carry out this plan?")
    terminal.press("but first")
    await terminal.seen("answer but first")
    terminal.press("\u001b[Z")
    await terminal.seen(/^› ?\n ASK · test/m)
    terminal.press("\u001b[A")
    await terminal.seen("› but first")
    terminal.press("\r")
    await terminal.seen("Mended.")
    await leave(terminal)
  })

  it("is refused where it is sandboxed and nothing holds commands, with what to do (U13)", async () => {
    scripted(at, [], { sandbox: { target: "none" } })
    const { code, stderr } = await tollgate(at, ["run", "--mode", "sandboxed", "hello"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "The mode sandboxed needs a sandbox.")
    assert.include(stderr, "choose ask or edits")
  })

  it("is said by every run (A8)", async () => {
    const { stderr } = await tollgate(at, ["run", "--dangerously-allow-all", "hello"])
    assert.match(stderr, /RUNS EVERY CALL WITHOUT ASKING · sandbox \w+/)
  })

  it("cannot be set to allow, nor a profile to one that does not exist (A8)", async () => {
    for (const [args, why] of [
      [["approvals.policy", "allow"], "--dangerously-allow-all"],
      [["profile", "nobody"], "configured: test"]
    ] as const) {
      const { code, stderr } = await tollgate(at, ["config", "set", ...args])
      assert.strictEqual(code, 4)
      assert.include(stderr, why)
    }
    for (const value of ["off", "0", "10 minutes"]) {
      assert.strictEqual((await tollgate(at, ["config", "set", "approvals.timeout", value])).code, 0, value)
    }
    assert.include((await tollgate(at, ["config", "get", "approvals.timeout"])).stdout, "10 minutes")
  })
})
