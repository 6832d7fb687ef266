// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { probes } from "./terminal/TerminalProbe.ts"

describe("tollgate tool", { timeout: 60_000 }, () => {
  let at: Place
  let bare: string
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: at.work,
      env: at.env,
      encoding: "utf8",
      stdio: "pipe"
    })
  beforeEach(() => {
    at = place()
    bare = path.join(at.home, "bare.git")
    git("init", "--quiet", "--initial-branch=main")
    git("commit", "--quiet", "--allow-empty", "-m", "first")
    git("init", "--quiet", "--bare", bare)
    git("remote", "add", "origin", bare)
  })
  afterEach(() => at.remove())
  const open = probes(() => at)
  const pushed = () =>
    execFileSync("git", ["-C", bare, "branch", "--list", "main"], { encoding: "utf8" }).includes("main")

  it("lists what a person may run, and nothing that is a model's alone (U2, U6)", async () => {
    const { code, stdout } = await tollgate(at, ["tool"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^git\n[^]*\n {2}git_push {2}you · asks\n {4}Sends the commits/m)
    assert.notMatch(stdout, /^ {2}grep /m)
    for (const [name, said] of [
      ["git_psh", "Did you mean git_push?"],
      ["grep", "grep is for the model only. Available: "]
    ] as const) {
      const refused = await tollgate(at, ["tool", name])
      assert.strictEqual(refused.code, 2)
      assert.include(refused.stderr, said)
    }
    assert.include((await tollgate(at, ["tool", "git_push", "--colour", "red"])).stderr, "colour")
    assert.include(
      (await tollgate(at, ["tool", "recall", "--query", "x", "--limit", "many"])).stderr,
      "limit takes a number"
    )
    const all = JSON.parse((await tollgate(at, ["tools", "--json"])).stdout) as ReadonlyArray<Record<string, unknown>>
    assert.deepInclude(
      all.find(({ name }) => name === "grep"),
      { mode: "llm", approval: "some" }
    )
    assert.deepInclude(
      all.find(({ name }) => name === "git_push"),
      { mode: "manual", approval: "always", category: "git" }
    )
    assert.notMatch((await tollgate(at, ["tools", "--manual"])).stdout, /^ {2}grep /m)
    assert.include((await tollgate(at, ["tool", "git_push", "-i"])).stderr, "-i asks in a terminal")
    for (const args of [
      ["tool", "git_push", "--help"],
      ["help", "tool", "git_push"]
    ]) {
      const helped = await tollgate(at, args)
      assert.match(helped.stdout, /^Usage {2}tollgate tool \[options\] \[name\] \[json\]$/m)
      assert.match(helped.stdout, /--remote=… +optional, text\. Default: origin\./)
    }
  })

  it("asks like any other call, and fails closed where nobody can be asked (S1, A7)", async () => {
    const { code, stderr } = await tollgate(at, ["tool", "git_push"])
    assert.strictEqual(code, 3)
    assert.include(stderr, "no one is attached")
    assert.isFalse(pushed())
  })

  it("fails with 1 where it ran and failed, and says why once (U6)", async () => {
    git("remote", "set-url", "origin", path.join(at.home, "none.git"))
    const { code, stderr } = await tollgate(at, ["tool", "git_push", "--dangerously-allow-all"])
    assert.strictEqual(code, 1)
    const [, why = ""] = /✗ Push.*\n {2}(.{20})/.exec(stderr) ?? []
    assert.strictEqual(stderr.split(why).length, 2, stderr)
    assert.include(stderr, "✗ the task ended with this call.")
  })

  it("runs once the person has said yes, and is part of the session (U6)", async () => {
    // A sandbox has a /tmp of its own, where the remote is not but for this call.
    const terminal = await open(["tool", "git_push"])
    const asked = await terminal.seen("allow?")
    assert.include(asked, "⏸ Push")
    assert.isFalse(pushed())
    terminal.press("y")
    assert.strictEqual(await terminal.ended, 0, terminal.screen())
    assert.isTrue(pushed())
    const [id = ""] = (await tollgate(at, ["sessions", "list"])).stdout.split(" ")
    assert.include((await tollgate(at, ["events", id])).stdout, "The user ran git_push:")
  })

  it("is asked for field by field, at the prompt as well, and the model hears of the result (U6, U7)", async () => {
    scripted(at, [{ steps: [{ say: "I see the push." }] }])
    const terminal = await open([], { columns: 110 })
    await terminal.seen("›")
    terminal.press("/git_push --nothing there\r")
    await terminal.seen("nothing")
    terminal.press("/ts\r")
    await terminal.seen(/git_push {2}you · asks/)
    terminal.press("/tool git_push -i\r")
    await terminal.seen("remote (text, optional) ›")
    terminal.press("-bad\r")
    await terminal.seen("branch (text, optional) ›")
    terminal.press("main\r")
    await terminal.seen(/remote: [^]*remote \(text, optional\) ›/)
    terminal.press("origin\r")
    await terminal.seen("allow?")
    assert.isFalse(pushed())
    terminal.press("y")
    await terminal.seen("Pushed remote=origin")
    assert.isTrue(pushed())
    terminal.press("and now?\r")
    await terminal.seen("I see the push.")
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
  })
})
