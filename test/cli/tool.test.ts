// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { eventsOf } from "./stored.ts"
import { probes } from "./terminal/TerminalProbe.ts"

describe("tollgate tool", () => {
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
  const { open, prompt } = probes(() => at)
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

  it("prints its result on standard output, and nothing else there (U6)", async () => {
    const { code, stderr, stdout } = await tollgate(at, ["tool", "git_status"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^## main\n/)
    assert.match(stderr, /^• Ran git status /m)
    assert.notInclude(stderr, "## main")
    const json = await tollgate(at, ["tool", "git_status", "--json"])
    assert.strictEqual((JSON.parse(json.stdout) as { readonly text: string }).text.trimEnd(), stdout.trimEnd())
    const terminal = await open(["tool", "git_status"])
    assert.strictEqual(await terminal.ended, 0)
    assert.match(terminal.screen(), /^• Ran git status[^]*^ {2}## main/m)
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
    assert.include((await tollgate(at, ["events"])).stdout, "The user ran git_push:")
  })

  it("is offered when a sub-worker that owns it returns: continue, or run it first (U10)", async () => {
    const delegated = { call: { name: "delegate", arguments: { task: "prepare the release", worker: "pusher" } } }
    scripted(
      at,
      [
        { when: "release it", steps: [delegated] },
        { when: "prepare the release", steps: [{ say: "It is ready." }] },
        { repeat: true, steps: [{ say: "Released." }] }
      ],
      { workers: { pusher: { tools: ["git_status", "git_push"] } } }
    )
    const terminal = await open([], { columns: 100 })
    await terminal.idle()
    terminal.press("release it\r")
    const offer = await terminal.seen("c continues, or a tool ›")
    assert.match(offer, /\? pusher has returned: It is ready\.\s+git\n {2}git_push {2}you · asks/)
    assert.notMatch(offer, /Released|git_status/)
    terminal.press("git_psh\r")
    await terminal.seen("type c to continue, or a tool: git_push")
    terminal.press("git_push\r")
    await terminal.seen("remote (text, optional) ›")
    terminal.press("origin\r")
    await terminal.seen("branch (text, optional) ›")
    terminal.press("\r")
    assert.match(await terminal.seen("allow?"), /⏸ .*Push/)
    assert.isFalse(pushed())
    terminal.press("y")
    await terminal.seen(/Pushed[^]*c continues, or a tool ›/)
    assert.isTrue(pushed())
    terminal.press("c\r")
    await terminal.idle(/Released\./)
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
    assert.match(eventsOf(at), /It is ready\.[^\n]*\[the user ran git_push: /)
    const unattended = await tollgate(at, ["run", "release it"])
    assert.strictEqual(unattended.code, 0, unattended.stderr)
  })

  it("is asked for field by field, at the prompt as well, and the model hears of the result (U6, U7)", async () => {
    scripted(at, [{ steps: [{ say: "I see the push." }] }])
    const terminal = await prompt([], { columns: 110 })
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
    await terminal.idle("I see the push.")
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
  })
})
