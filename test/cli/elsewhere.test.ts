// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"

const write = (file: string) => ({ steps: [{ call: { name: "write_file", arguments: { path: file, content: "x" } } }] })
const listing = { steps: [{ call: { name: "list_dir", arguments: {} } }] }
const done = { steps: [{ say: "So be it." }] }

describe("a session that goes on from another directory", () => {
  let at: Place
  let own: string
  let elsewhere: Place
  let session: string
  beforeEach(async () => {
    at = place()
    own = path.join(at.work, "below")
    elsewhere = { ...at, work: path.join(at.home, "elsewhere") }
    for (const folder of [own, elsewhere.work, path.join(at.work, ".git"), path.join(elsewhere.work, ".git")]) {
      fs.mkdirSync(folder)
    }
    scripted(at, [done], { sandbox: { target: "none" } })
    const begun = await tollgate({ ...at, work: own }, ["run", "--jsonl", "begin"])
    session = (JSON.parse(begun.stdout.split("\n")[0] ?? "") as { session: string }).session
  })
  afterEach(() => at.remove())
  const goOn = (...more: ReadonlyArray<string>) => tollgate(elsewhere, ["run", "--session", session, ...more, "go"])

  it("works where it began, with that project's rules and hooks, and not where it is called (R16)", async () => {
    const rule = { id: "theirs", decision: "deny", tool: "write_file", path: "below/never-*" }
    const hook = { event: "pre", tool: "list_dir", command: ["/bin/sh", "hook.sh"] }
    const ran = path.join(at.home, "ran")
    fs.writeFileSync(path.join(at.work, "hook.sh"), `pwd > ${ran}; echo '{"decision":"continue"}'\n`)
    fs.mkdirSync(path.join(at.work, ".tollgate"))
    fs.writeFileSync(
      path.join(at.work, ".tollgate", "config.json"),
      JSON.stringify({ hooks: [hook], approvals: { rules: [rule] } })
    )
    scripted(at, [listing, write("made.txt"), write("never-this.txt"), done], { sandbox: { target: "none" } })
    const untrusted = await goOn("--approve", "allow-edits")
    assert.include(untrusted.stderr, `${at.work}/.tollgate/config.json is not trusted`)
    assert.isFalse(fs.existsSync(ran))
    fs.rmSync(path.join(own, "never-this.txt"))
    assert.strictEqual((await tollgate(at, ["trust", "--yes"])).code, 0)
    const { stderr } = await goOn("--approve", "allow-edits")
    assert.deepStrictEqual(fs.readdirSync(own), ["made.txt"], stderr)
    assert.strictEqual(fs.readFileSync(ran, "utf8").trim(), at.work)
    assert.deepStrictEqual(fs.readdirSync(elsewhere.work), [".git"])
  })

  it("says so where its directory is gone, and runs nothing (R16)", async () => {
    scripted(at, [write("made.txt"), done], { sandbox: { target: "none" } })
    fs.rmdirSync(own)
    const gone = await goOn("--dangerously-allow-all")
    assert.strictEqual(gone.code, 1)
    assert.include(gone.stderr, `${own} cannot be worked in: it does not exist. No tool was run.`)
    fs.symlinkSync(elsewhere.work, own)
    const moved = await goOn("--dangerously-allow-all")
    assert.strictEqual(moved.code, 1)
    assert.include(moved.stderr, `it leads to ${elsewhere.work} now`)
    assert.deepStrictEqual(fs.readdirSync(elsewhere.work), [".git"])
    const shown = await tollgate(elsewhere, ["sessions", "show", session])
    assert.include(shown.stdout, "So be it.")
  })
})
