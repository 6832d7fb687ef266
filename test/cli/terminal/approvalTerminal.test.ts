// @effect-diagnostics asyncFunction:off - drives a real terminal from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { ownersOf, place, type Place, scripted, tollgate } from "../command.ts"
import { decisionsOf, requestOf, tagsOf, valuesOf } from "../stored.ts"
import { leave, type Probe, probes } from "./TerminalProbe.ts"

const write = (name: string, content: string) => ({
  steps: [{ call: { name: "write_file", arguments: { path: name, content } } }]
})
const done = { steps: [{ say: "So be it." }] }

/** Looks until the process has ended, whose parent may be gone before. */
const gone = async (pid: number): Promise<void> => {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await setTimeout(20)
  }
}

describe("an approval in a terminal", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  // After what removes their place: what comes last is run first.
  const { open, prompt } = probes(() => at)
  const asked = (terminal: Probe) => terminal.screen().split("approved by user").length - 1

  it("holds for the session on s: the same file is not asked for again, but its change is shown (A6, T6)", async () => {
    scripted(at, [write("a.txt", "one\n"), write("a.txt", "two\n"), done])
    const terminal = await open(["run", "write"])
    await terminal.seen("allow?")
    terminal.press("s")
    assert.strictEqual(await terminal.ended, 0)
    assert.strictEqual(asked(terminal), 1)
    assert.match(terminal.screen(), /Wrote a\.txt[^]*^ +1 │-one\n +1 │\+two$/m)
    assert.strictEqual(terminal.screen().split("+one").length - 1, 1)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "two\n")
  })

  it("holds for the project on a: the next run is not asked either, and the rule is listed (A6)", async () => {
    scripted(at, [write("a.txt", "one\n"), done])
    const first = await open(["run", "write"])
    await first.seen("allow?")
    first.press("a")
    await first.seen("Enter saves this rule")
    first.press("\r")
    assert.strictEqual(await first.ended, 0)
    scripted(at, [write("a.txt", "two\n"), done])
    const second = await open(["run", "write"])
    assert.strictEqual(await second.ended, 0)
    assert.strictEqual(asked(second), 0)
    assert.match(second.screen(), /^ +1 │-one\n +1 │\+two$/m)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "two\n")
    assert.include((await tollgate(at, ["approvals", "list"])).stdout, "a.txt")
  })

  it("opens the parameters in $EDITOR on e, which goes on with an invalid text, and asks about the new ones (A5, U5)", async () => {
    scripted(at, [write("a.txt", "one\n"), done])
    const script = path.join(at.home, "editor.sh")
    const texts = [
      '{"path": "a.txt",\n "content": }',
      '{"path": "a.txt", "content": 7}',
      '{"path": "a.txt", "content": "two"}'
    ]
    texts.forEach((text, index) => fs.writeFileSync(path.join(at.home, `text${index}`), text))
    fs.writeFileSync(script, `cd ${at.home}\nn=$(ls | grep -c '^seen')\ncp "$1" seen$n\ncp text$n "$1"\n`)
    const terminal = await open(["run", "write"], { env: { EDITOR: `sh ${script}`, VISUAL: "" } })
    const seen = (index: number) => fs.readFileSync(path.join(at.home, `seen${index}`), "utf8")
    await terminal.seen("allow?")
    terminal.press("e")
    await terminal.seen(/it is not JSON: unexpected character at line 2, column 13\n *edit on\?/)
    assert.deepStrictEqual(JSON.parse(seen(0)), { path: "a.txt", content: "one\n" })
    terminal.press("x")
    await terminal.seen("allow?")
    terminal.press("e")
    await terminal.seen(/content: expected text, is 7\n *edit on\?/)
    assert.strictEqual(seen(1), texts[0])
    terminal.press("e")
    await terminal.seen(/1 │\+two\n[^]*allow\?/)
    assert.strictEqual(seen(2), texts[1])
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    terminal.press("y")
    assert.strictEqual(await terminal.ended, 0)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "two")
    assert.include(valuesOf(at, "SELECT reason FROM audit"), "The parameters were edited.")
  })

  it("changes the parameters in place where no editor is set, and Esc leaves them at once (U5)", async () => {
    scripted(at, [write("a.txt", "one\n"), done])
    const terminal = await open(["run", "write"], { env: { EDITOR: "", VISUAL: "" } })
    await terminal.seen("allow?")
    terminal.press("e")
    await terminal.seen(/"content": "one\\n"/)
    terminal.press("\u001b")
    await terminal.seen("allow?")
    terminal.press("n")
    assert.strictEqual(await terminal.ended, 0)
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })

  it("holds for the later calls of the answer on A, once all were shown, and asks where one would do something else (A5, U5)", async () => {
    const writes = ["a.txt", "b.txt", "a.txt"].map((name, index) => ({
      call: { name: "write_file", arguments: { path: name, content: `${index}\n` } }
    }))
    scripted(at, [{ steps: writes }, done])
    const terminal = await open(["run", "write"])
    await terminal.seen(/A all 3[^]*1 of 3/)
    terminal.press("A")
    await terminal.seen(/1 of 3[^]*2 of 3[^]*3 of 3/)
    terminal.press("   ")
    await terminal.seen(/(?<!not )read /)
    terminal.press("q")
    await terminal.seen("allow all 3 once?")
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
    terminal.press("y")
    // The file is another one by now than when its second change was shown.
    await terminal.seen(/-0\n[^]*\+2\n[^]*allow\?/)
    assert.deepStrictEqual(fs.readdirSync(at.work), ["a.txt", "b.txt"])
    terminal.press("y")
    assert.strictEqual(await terminal.ended, 0)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "2\n")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "b.txt"), "utf8"), "1\n")
    assert.strictEqual(tagsOf(at).filter((tag) => tag === "ApprovalRequested").length, 2)
  })

  it("shows the rule that w makes before Enter counts, and covers what it says (A6, U5)", async () => {
    fs.mkdirSync(path.join(at.work, "src"))
    scripted(at, [write("src/a.txt", "one\n"), write("src/b.txt", "two\n"), done])
    const terminal = await open(["run", "write"], { columns: 120 })
    await terminal.seen("w this directory")
    terminal.press("w")
    await terminal.seen(/src\/\*\*[^]*wider\? Enter allows it for the session/)
    assert.deepStrictEqual(fs.readdirSync(path.join(at.work, "src")), [])
    terminal.press("\r")
    assert.strictEqual(await terminal.ended, 0)
    assert.deepStrictEqual(fs.readdirSync(path.join(at.work, "src")), ["a.txt", "b.txt"])
    assert.strictEqual(asked(terminal), 1)
  })

  it("is not needed for edits in allow-edits, which show what they change (A8, T6)", async () => {
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** Delete File: b.txt\n*** End Patch"
    const call = (name: string, args: object) => ({ steps: [{ call: { name, arguments: args } }] })
    fs.writeFileSync(path.join(at.work, "b.txt"), "bye\n")
    scripted(at, [
      write("a.txt", "one\n"),
      call("read_file", { path: "a.txt" }),
      call("edit_file", { path: "a.txt", old_text: "one", new_text: "two" }),
      call("apply_patch", { patch }),
      done
    ])
    const terminal = await open(["run", "--approve", "allow-edits", "write"], { rows: 80 })
    assert.strictEqual(await terminal.ended, 0)
    for (const change of ["+one", "-one\n  1 │+two", "-two\n  1 │+three", "-bye"]) {
      assert.include(terminal.screen(), `\n  1 │${change}\n`)
    }
  })

  const unattended = (...more: ReadonlyArray<string>) => ["run", "--continue", ...more, "hi"]
  /** What ends a process that shows a request, where, its exit code where its terminal still tells, and what runs then. */
  const ends: ReadonlyArray<
    readonly [string, "run" | "prompt", (terminal: Probe, pid: number) => void, number | undefined, readonly string[]]
  > = [
    ["SIGTERM", "run", (_, pid) => process.kill(pid, "SIGTERM"), 143, unattended("--jsonl")],
    ["SIGTERM", "prompt", (_, pid) => process.kill(pid, "SIGTERM"), 143, unattended()],
    ["SIGKILL", "run", (_, pid) => process.kill(pid, "SIGKILL"), 137, ["approvals", "list"]],
    ["a terminal that closes", "prompt", (terminal) => terminal.kill(), undefined, unattended("--approve", "deny")]
  ]
  for (const [name, where, stop, code, args] of ends) {
    it(`waits again after ${name} in the ${where} with its id and digest, whatever runs unattended, and one answer runs the call once (A12, R9)`, async () => {
      scripted(at, [
        { when: "write", ...write("a.txt", "one\n") },
        { repeat: true, ...done }
      ])
      const first = await open(where === "run" ? ["run", "write"] : [])
      if (where === "prompt") {
        await first.idle()
        first.press("write\r")
      }
      await first.seen("allow?")
      const [pid = 0] = ownersOf(at)
      stop(first, pid)
      if (code !== undefined) assert.strictEqual(await first.ended, code)
      await gone(pid)
      assert.deepStrictEqual(fs.readdirSync(at.work), [])
      const bound = requestOf(at)!.digest.slice(0, 40)
      const other = await tollgate(at, args)
      if (args[0] === "run") {
        assert.strictEqual(other.code, 3)
        assert.match(other.stderr, /approval_\w+ \(write_file\).*tollgate --session session_\w+/)
      } else {
        assert.match(other.stdout, /^1 request waiting\n\w{8} +session_\w+ .* +write_file: create a\.txt/)
        assert.include(other.stdout, bound.slice(0, 12))
      }
      const terminal = await open(["--continue"])
      await terminal.seen("continues where the last run stopped")
      await terminal.seen("allow?")
      terminal.press("d")
      assert.include(await terminal.seen(/bound to\s+\w{40}/), bound)
      terminal.press("q")
      await terminal.seen("allow?")
      assert.deepStrictEqual(fs.readdirSync(at.work), [])
      terminal.press("y")
      await terminal.idle("So be it.")
      assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "one\n")
      await leave(terminal)
      assert.deepStrictEqual(
        tagsOf(at).filter((tag) => /^(?:Approval(?:Requested|Resolved)|ToolCall\w+|Task\w+ed)$/.test(tag)),
        [
          "TaskQueued",
          "TaskStarted",
          "ToolCallRequested",
          "ApprovalRequested",
          "ApprovalResolved",
          "ToolCallStarted",
          "ToolCallCompleted",
          "TaskCompleted"
        ]
      )
    })
  }

  it("of a worker two deep waits again after kill -9 and after SIGTERM, and runs once (A12, R9, U3)", async () => {
    const delegate = (task: string) => ({ steps: [{ call: { name: "delegate", arguments: { task } } }] })
    scripted(at, [
      { when: "begin", ...delegate("the first job") },
      { when: "the first job", ...delegate("the second job") },
      { when: "the second job", ...write("a.txt", "one\n") },
      { repeat: true, ...done }
    ])
    const bound = async (terminal: Probe) => {
      await terminal.seen("allow?")
      terminal.press("d")
      const [, digest = "nothing"] = /bound to\s+(\w{40})/.exec(await terminal.seen(/bound to\s+\w{40}/)) ?? []
      terminal.press("q")
      await terminal.seen("allow?")
      return digest
    }
    const first = await open(["run", "begin"])
    const digest = await bound(first)
    for (const [signal, code] of [
      ["SIGKILL", 137],
      ["SIGTERM", 143]
    ] as const) {
      const terminal = signal === "SIGKILL" ? first : await open(["--continue"])
      assert.strictEqual(await bound(terminal), digest)
      const [pid = 0] = ownersOf(at)
      process.kill(pid, signal)
      assert.strictEqual(await terminal.ended, code)
      await gone(pid)
      assert.deepStrictEqual(fs.readdirSync(at.work), [])
    }
    const last = await open(["--continue"])
    assert.strictEqual(await bound(last), digest)
    last.press("y")
    await last.idle("So be it.")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "one\n")
    await leave(last)
    assert.deepStrictEqual(
      tagsOf(at).filter((tag) => /^(?:(?:Approval(?!Moved)|Worker|Task)\w+ed|ToolCallStarted)$/.test(tag)),
      [
        "TaskQueued",
        "TaskStarted",
        "ToolCallStarted",
        "WorkerStarted",
        "ToolCallStarted",
        "WorkerStarted",
        "ApprovalRequested",
        "ApprovalResolved",
        "ToolCallStarted",
        "WorkerCompleted",
        "WorkerCompleted",
        "TaskCompleted"
      ]
    )
  })

  it("expires, which is a no that says so (A8)", async () => {
    scripted(at, [write("a.txt", "one\n"), done], { approvals: { timeout: "1 second" } })
    const terminal = await open(["run", "write"])
    assert.strictEqual(await terminal.ended, 0)
    assert.include(terminal.raw(), "allow?")
    assert.include(terminal.screen(), "No one answered")
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })

  it("shows control and bidirectional characters instead of obeying them (A9)", async () => {
    scripted(at, [write("a.txt", "\u001b[31mred\u001b[2J \u202Egpj.exe\n"), done])
    const terminal = await open(["run", "write"])
    const screen = await terminal.seen("allow?")
    assert.notInclude(terminal.raw(), "\u001b[31mred")
    assert.notInclude(terminal.raw(), "\u202E")
    assert.include(screen, "red")
    terminal.press("n")
    assert.strictEqual(await terminal.ended, 0)
  })

  it("survives a resize while it waits, and ctrl-c withdraws it (A5, A8)", async () => {
    scripted(at, [write("a.txt", "one\n"), write("b.txt", "one\n"), done])
    const terminal = await open(["run", "write"])
    await terminal.seen("allow?")
    await terminal.resize(60, 20)
    terminal.press("y")
    await terminal.seen(/Wrote a\.txt[^]*allow\?/)
    terminal.press("\u0003")
    assert.strictEqual(await terminal.ended, 130)
    assert.deepStrictEqual(fs.readdirSync(at.work), ["a.txt"])
    assert.notInclude(terminal.screen(), "is not waiting")
    assert.deepStrictEqual(decisionsOf(at), ["resolved granted user", "resolved withdrawn interruption"])
  })

  it("keeps what is being written in $EDITOR where it is answered elsewhere (A5, U5)", async () => {
    scripted(at, [write("a.txt", "one\n"), done], { approvals: { timeout: "1 hour" } })
    const script = path.join(at.home, "editor.sh")
    fs.writeFileSync(script, `sed -i s/one/half/ "$1"; echo "saved once"; sleep 600`)
    const terminal = await prompt([], { env: { EDITOR: `sh ${script}`, VISUAL: "" } })
    terminal.press("write\r")
    await terminal.seen("allow?")
    terminal.press("e")
    await terminal.seen("saved once")
    const { id } = requestOf(at)!
    assert.strictEqual((await tollgate(at, ["approvals", "answer", id, "no"])).code, 0)
    await terminal.idle("So be it.")
    assert.include(terminal.raw(), "recalls what you were writing")
    terminal.press("\u001b[A")
    await terminal.seen(/› \{[^]*half/)
    terminal.press("\u0003")
    await leave(terminal)
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })

  it("goes back from the reason on Escape, and sends none that came too late anywhere (A8, U8)", async () => {
    scripted(at, [write("a.txt", "one\n"), done], { approvals: { timeout: "1 hour" } })
    const terminal = await prompt()
    terminal.press("write\r")
    await terminal.seen("allow?")
    terminal.press("r")
    await terminal.seen(/why not\? \d+ /)
    terminal.press("\u001b")
    await terminal.seen("allow?")
    terminal.press("r")
    await terminal.seen("why not?")
    terminal.press("no enough tests")
    await terminal.seen("no enough tests")
    const { id } = requestOf(at)!
    assert.strictEqual((await tollgate(at, ["approvals", "answer", id, "no", "--reason", "elsewhere"])).code, 0)
    await terminal.idle("So be it.")
    await leave(terminal)
    assert.include(terminal.raw(), "the request is over")
    assert.notInclude(terminal.screen(), "enough tests")
    assert.notInclude(terminal.screen(), "interrupted")
    assert.include(terminal.screen(), "elsewhere")
  })
})
