// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { rowsOf } from "./stored.ts"
import { probes } from "./terminal/TerminalProbe.ts"

const write = { call: { name: "write_file", arguments: { path: "a.txt", content: "x" } } }
const turns = [{ steps: [write] }, { steps: [{ say: "Done." }] }]
const denyRule = { id: "no-writes", level: "user", decision: "deny", tool: "write_file" }

interface Row {
  readonly kind: string
  readonly tool: string | null
  readonly decision: string | null
  readonly outcome: string | null
  readonly decided_by: string | null
  readonly reason: string | null
}

/** What the audit says of who decided on writes, without the requests themselves. */
const decisions = (at: Place, tool = "write_file") => {
  const rows = rowsOf<Row>(at, "SELECT * FROM audit ORDER BY id")
  return rows
    .filter((row) => row.tool === tool && row.kind !== "requested")
    .map(({ decided_by, decision, kind, outcome }) => [kind, decision, outcome, decided_by].join(" "))
}

/** A program that stands for a reviewer, as the configuration names it. */
const reviewer = (script: string, more: object = {}) => ({
  reviewer: { command: [process.execPath, "-e", script], ...more }
})

describe("the audit of calls that nobody could be asked about", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it.each<[string, ReadonlyArray<string>, object, ReadonlyArray<string>]>([
    ["nothing said", [], {}, ["automatic deny unavailable policy"]],
    ["fail as configured", [], { policy: "fail" }, ["automatic deny unavailable policy"]],
    ["deny", ["--approve", "deny"], {}, ["automatic deny denied policy"]],
    ["allow-read-only", ["--approve", "allow-read-only"], {}, ["automatic deny denied policy"]],
    ["allow-edits", ["--approve", "allow-edits"], {}, ["automatic approve granted policy"]],
    ["events alone", ["--jsonl"], {}, ["automatic deny unavailable policy"]],
    ["a rule", ["--approve", "allow-edits"], { rules: [denyRule] }, ["automatic deny denied rule no-writes"]],
    [
      "a reviewer whose failure denies",
      ["--approve", "deny"],
      reviewer("process.exitCode = 3", { onFailure: "deny" }),
      ["automatic deny denied reviewer node"]
    ]
  ])("says what denied, never the user: %s (A10, A7)", async (_, args, approvals, expected) => {
    scripted(at, turns, { approvals })
    const { stderr } = await tollgate(at, ["run", ...args, "go"])
    assert.deepStrictEqual(decisions(at), expected, stderr)
    assert.strictEqual(fs.existsSync(path.join(at.work, "a.txt")), expected.join().includes("granted"))
  })

  it("shows why a reviewer did not decide, once, and counts no other names as tools (A10, A14)", async () => {
    const forged = { call: { name: "client.requestApproval", arguments: {} } }
    scripted(at, [{ steps: [write, forged] }, { steps: [{ say: "Done." }] }], {
      approvals: reviewer("process.exitCode = 3")
    })
    const { stderr } = await tollgate(at, ["run", "--approve", "deny", "go"])
    assert.strictEqual(stderr.match(/it exited with code 3/g)?.length, 1, stderr)
    assert.deepStrictEqual(decisions(at), ["consulted  failed reviewer node", "automatic deny denied policy"], stderr)
    const { stdout } = await tollgate(at, ["approvals", "audit", "--jsonl"])
    assert.match(stdout, /"kind":"reserved_name_attempt"/)
    assert.match(stdout, /"reason":"it exited with code 3"/)
    const stats = await tollgate(at, ["approvals", "stats", "--jsonl"])
    assert.deepStrictEqual(
      stats.stdout
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { readonly tool: string }).tool),
      ["write_file"]
    )
  })
})

describe("the audit of calls that somebody could be asked about", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  const { open: probe } = probes(() => at)
  afterEach(() => at.remove())

  it("says that the user did: yes, no, or escape (A10)", async () => {
    const steps = ["a.txt", "b.txt", "c.txt"].map((name) => ({
      call: { name: "write_file", arguments: { path: name, content: "x" } }
    }))
    scripted(at, [{ steps }, { steps: [{ say: "Done." }] }])
    const terminal = await probe(["run", "go"])
    for (const [file, key] of Object.entries({ "a.txt": "y", "b.txt": "n", "c.txt": "\u001b" })) {
      await terminal.seen(new RegExp(`Write ${file}[^]*allow\\?`))
      terminal.press(key)
    }
    await terminal.ended
    assert.deepStrictEqual(decisions(at), [
      "resolved approve granted user",
      "resolved deny denied user",
      "resolved deny withdrawn interruption"
    ])
  })

  it("says that its time was over, and not that somebody answered (A8, A10)", async () => {
    scripted(at, turns, { approvals: { timeout: "1 second" } })
    await (
      await probe(["run", "go"])
    ).ended
    assert.deepStrictEqual(decisions(at), ["resolved deny expired timeout"])
  })
})
