// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { probes } from "./TerminalProbe.ts"

const done = { steps: [{ say: "So be it." }] }
const listing = { steps: [{ call: { name: "list_dir", arguments: {} } }] }
const writing = { steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one\n" } } }] }

describe("the configuration of a project", { timeout: 60_000 }, () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const open = probes(() => at)

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
    scripted(at, [listing, done])
    bring({ hooks: [hook()] })
    const before = await tollgate(at, ["run", "look"])
    assert.include(before.stderr, "is not trusted")
    assert.isFalse(ran())
    const shown = await tollgate(at, ["trust"])
    assert.strictEqual(shown.code, 2)
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
    await tollgate(at, ["trust", "--yes"])
    scripted(at, [
      listing,
      { steps: [{ call: { name: "write_file", arguments: { path: "check.cjs", content: program("ran") } } }] },
      listing,
      done
    ])
    const { stderr } = await tollgate(at, ["run", "--approve", "allow-edits", "go"])
    assert.isTrue(fs.existsSync(path.join(at.home, "first")))
    assert.isFalse(ran())
    assert.include(stderr, "has changed since it was trusted")
    assert.include((await tollgate(at, ["run", "--approve", "deny", "go"])).stderr, "has changed since it was trusted")
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
