// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { probes } from "./terminal/TerminalProbe.ts"

const done = { steps: [{ say: "So be it." }] }
/** A hook leaves its mark in a file, which a sandbox would forbid. */
const unconfined = { sandbox: { target: "none" } }
const listing = { steps: [{ call: { name: "list_dir", arguments: {} } }] }
const writing = { steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one\n" } } }] }

describe("the configuration of a project", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { open } = probes(() => at)

  const bring = (settings: object) => {
    fs.mkdirSync(path.join(at.work, ".tollgate"), { recursive: true })
    fs.writeFileSync(path.join(at.work, ".tollgate", "config.json"), JSON.stringify(settings))
  }
  const ran = () => fs.existsSync(path.join(at.home, "ran"))
  const hook = () => ({
    event: "pre",
    command: [
      process.execPath,
      "-e",
      `require("node:fs").writeFileSync(${JSON.stringify(path.join(at.home, "ran"))}, "")`
    ]
  })

  it("runs no hook until it is trusted, and again none once it has changed (T8)", async () => {
    scripted(at, [listing, done], unconfined)
    bring({ hooks: [hook()] })
    const before = await tollgate(at, ["run", "look"])
    assert.include(before.stderr, "is not trusted")
    assert.isFalse(ran())
    const shown = await tollgate(at, ["trust"])
    assert.strictEqual(shown.code, 3)
    assert.include(shown.stdout, "writeFileSync")
    assert.isFalse(ran())
    assert.strictEqual((await tollgate(at, ["trust", "--yes"])).code, 0)
    const after = await tollgate(at, ["run", "look"])
    assert.notInclude(after.stderr, "trusted")
    assert.isTrue(ran())
    fs.rmSync(path.join(at.home, "ran"))
    bring({ hooks: [{ ...hook(), tool: "list_dir" }] })
    const changed = await tollgate(at, ["run", "look"])
    assert.include(changed.stderr, "has changed since it was trusted")
    assert.isFalse(ran())
  })

  it("runs no hook whose program a tool has changed since it was trusted (T8)", async () => {
    const check = path.join(at.work, "check.cjs")
    const program = (name: string) =>
      `require("node:fs").writeFileSync(${JSON.stringify(path.join(at.home, name))}, "")`
    fs.writeFileSync(check, program("first"))
    bring({ hooks: [{ event: "pre", tool: "list_dir", command: [process.execPath, "check.cjs"] }] })
    const shown = (await tollgate(at, ["trust", "--yes"])).stdout
    assert.match(shown, /^hook: \S+ check\.cjs before list_dir$/m)
    assert.match(shown, /changing any of them ends trust:\n {2}check\.cjs$/m)
    const change = {
      steps: [{ call: { name: "write_file", arguments: { path: "check.cjs", content: program("ran") } } }]
    }
    scripted(at, [listing, change, listing, done], unconfined)
    const { stderr } = await tollgate(at, ["run", "--approve", "allow-edits", "go"])
    assert.isTrue(fs.existsSync(path.join(at.home, "first")))
    assert.isFalse(ran())
    assert.include(stderr, "has changed since it was trusted")
  })

  const write = (name: string) => ({
    steps: [{ call: { name: "write_file", arguments: { path: name, content: "// new\n" } } }]
  })
  const aborting = 'console.log(JSON.stringify({ decision: "abort", reason: "the hook ran" }))'

  it("runs a hook while a model changes other files, and no more once it changes what the hook imports (T8, S2)", async () => {
    fs.mkdirSync(path.join(at.work, "lib"))
    fs.writeFileSync(path.join(at.work, "check.mjs"), 'import "./lib/deep.mjs"')
    fs.writeFileSync(path.join(at.work, "lib/deep.mjs"), aborting)
    bring({ hooks: [{ event: "pre", tool: "list_dir", command: [process.execPath, "check.mjs"] }] })
    assert.notInclude((await tollgate(at, ["trust", "--yes"])).stdout, "any file of the project")
    scripted(at, [write("other.txt"), listing, write("lib/deep.mjs"), listing, done])
    const { stdout } = await tollgate(at, ["run", "--jsonl", "--approve", "allow-edits", "go"])
    const failed = stdout.split("\n").filter((line) => line.includes('"_tag":"ToolCallFailed"'))
    assert.strictEqual(failed.length, 2)
    assert.include(failed[0], "the hook ran")
    assert.include(failed[1], "has changed since it was trusted")
    assert.notInclude(failed[1], "the hook ran")
  })

  it("runs no hook that may run anything, outside a sandbox, once any file has changed (T8, S2)", async () => {
    fs.writeFileSync(path.join(at.work, "check.sh"), `echo '{"decision":"abort","reason":"the hook ran"}'`)
    bring({ hooks: [{ event: "pre", tool: "list_dir", command: ["bash", "check.sh"] }] })
    const config = { sandbox: { target: "none" } }
    scripted(at, [listing, write("other.txt"), listing, done], config)
    assert.include((await tollgate(at, ["trust", "--yes"])).stdout, "any file of the project")
    const go = ["run", "--jsonl", "--approve", "allow-edits", "go"]
    const first = await tollgate(at, go)
    const failed = first.stdout.split("\n").filter((line) => line.includes('"_tag":"ToolCallFailed"'))
    assert.include(failed[0], "the hook ran")
    assert.include(failed[1], "any file of the project, and one has changed since it was trusted")
    const again = (await tollgate(at, go)).stdout
    assert.isAbove(again.split("could not be run").length, 1, again)
    assert.include((await tollgate(at, ["trust", "--yes"])).stdout, "Trusted: 1 hook")
    scripted(at, [listing, done], config)
    assert.include((await tollgate(at, go)).stdout, "the hook ran")
  })

  it("allows nothing by its rules until it is trusted, and nothing once that is taken back (A6)", async () => {
    scripted(at, [writing, done])
    bring({ approvals: { rules: [{ id: "theirs", decision: "allow", tool: "write_file" }] } })
    const written = () => fs.existsSync(path.join(at.work, "a.txt"))
    await tollgate(at, ["run", "--approve", "deny", "write"])
    assert.isFalse(written())
    assert.include((await tollgate(at, ["approvals", "rules"])).stdout, "the project is not trusted")
    await tollgate(at, ["trust", "--yes"])
    await tollgate(at, ["run", "--approve", "deny", "write"])
    assert.isTrue(written())
    assert.include((await tollgate(at, ["trust", "list"])).stdout, at.work)
    assert.include((await tollgate(at, ["trust", "revoke"])).stdout, "no longer trusted")
    fs.rmSync(path.join(at.work, "a.txt"))
    await tollgate(at, ["run", "--approve", "deny", "write"])
    assert.isFalse(written())
  })

  it("can neither claim the user's level nor stop a run by being broken (A6)", async () => {
    scripted(at, [writing, done])
    bring({ approvals: { rules: [{ id: "theirs", decision: "allow", tool: "write_file", level: "user" }] } })
    const refused = await tollgate(at, ["trust", "--yes"])
    assert.strictEqual(refused.code, 4)
    assert.include(refused.stderr, "level")
    assert.strictEqual((await tollgate(at, ["run", "--approve", "deny", "write"])).code, 0)
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
  })

  it("is said not to be read where a file of it is too large, and its rules do not vanish without a word (A6, X1)", async () => {
    scripted(at, [writing, done])
    const rules = [{ id: "no", decision: "deny", tool: "write_file" }]
    bring({ approvals: { rules } })
    assert.strictEqual((await tollgate(at, ["trust", "--yes"])).code, 0)
    fs.appendFileSync(path.join(at.work, ".tollgate", "config.json"), " ".repeat(300 * 1024))
    const { code, stderr } = await tollgate(at, ["run", "--approve", "deny", "write"])
    assert.strictEqual(code, 0)
    assert.include(stderr.replaceAll(/\s+/g, " "), "config.json has changed since it was trusted")
    const refused = await tollgate(at, ["trust", "--yes"])
    assert.strictEqual(refused.code, 4)
    assert.include(refused.stderr.replaceAll(/\s+/g, " "), "it has more than 256 KiB and was not read")
    fs.rmSync(path.join(at.work, ".tollgate"), { recursive: true })
    fs.writeFileSync(path.join(at.work, ".mcp.json"), `{"mcpServers":{}}${" ".repeat(300 * 1024)}`)
    assert.include((await tollgate(at, ["trust"])).stdout, "left out: .mcp.json has more than 256 KiB and was not read")
  })

  it("is shown without the keys of its servers (S5, X1)", async () => {
    const key = `sk-ant-api03-${"a1B2c3D4".repeat(6)}`
    const server = { command: "notes-server", args: [], env: { API_KEY: key, NODE_OPTIONS: "--require ./x.js" } }
    fs.writeFileSync(path.join(at.work, ".mcp.json"), JSON.stringify({ mcpServers: { notes: server } }))
    const { stderr, stdout } = await tollgate(at, ["trust"])
    assert.include(stdout, "notes-server")
    assert.include(stdout, "--require ./x.js")
    assert.notInclude(stdout + stderr, key)
  })

  it("is shown and asked about in a terminal, and Enter leaves it untrusted", async () => {
    scripted(at, [])
    bring({ hooks: [hook()] })
    const first = await open(["trust"])
    await first.seen("y/N")
    first.press("\r")
    assert.strictEqual(await first.ended, 0)
    assert.include(first.screen(), "stays untrusted")
    const second = await open(["trust"])
    await second.seen("y/N")
    second.press("y\r")
    assert.strictEqual(await second.ended, 0)
    assert.include(second.screen(), "Trusted: 1 hook and 0 rules")
  })
})
