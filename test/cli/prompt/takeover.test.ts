// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../command.ts"
import { sessionsOf, tagsOf } from "../stored.ts"
import { leave, probes } from "../terminal/TerminalProbe.ts"

const escape = "\u001b"
const command = "echo $$ > pid; echo begun; exec sleep 600"
const turns = [
  { when: "paint", steps: [{ say: "Painted." }] },
  { when: "wait", steps: [{ call: { name: "run_shell", arguments: { command } } }] },
  { when: "write", steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "one\n" } } }] },
  { repeat: true, steps: [{ say: "Done." }] }
]

describe("a session that is open elsewhere", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    scripted(at, turns, { sandbox: { target: "none" } })
  })
  afterEach(() => at.remove())
  const { open, prompt } = probes(() => at)
  const pidOf = (text: string) => Number(/process (\d+)/.exec(text)?.[1])
  /** A session with a running command, and the same session in another process. */
  const running = async () => {
    const first = await prompt(["--dangerously-allow-all"], { columns: 100 })
    first.press("wait\r")
    await first.seen("│ begun")
    const second = await open(["--continue"], { columns: 100 })
    await second.seen("READ-ONLY · open in process")
    return { first, second }
  }

  it("is shown live and read-only; t takes it over with its open request, and back (R9, U12)", async () => {
    const first = await prompt([], { columns: 100 })
    first.press("paint the barn\r")
    await first.seen(/Painted\.[^]*1 request/)
    const second = await open(["--continue"], { columns: 100 })
    await second.seen(
      /open in process \d+; shown read-only[^]*› paint the barn[^]*Painted\.[^]*READ-ONLY · open in process/
    )
    const owner = pidOf(second.screen())
    second.press("yes, not a prompt\r")
    first.press("write it\r")
    await first.seen("allow?")
    await second.seen("› write it")
    assert.notMatch(second.screen(), /allow\?|not a prompt/)
    second.press("t")
    await second.seen(`asking process ${owner} to hand it over`)
    await first.seen(/taken over by process \d+[^]*READ-ONLY · open in process \d+/)
    assert.notStrictEqual(pidOf(first.screen().slice(first.screen().indexOf("taken over"))), owner)
    await second.seen("allow?")
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    second.press("y")
    await second.seen(/Done\.[^]*› ?$/m)
    await first.seen("Done.")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "one\n")
    first.press("t")
    await second.seen(/taken over by process \d+[^]*READ-ONLY/)
    await first.seen(/ASK · test/)
    first.press("hello\r")
    await first.seen(/› hello[^]*Done\./)
    await second.seen(/› hello[^]*Done\./)
    await leave(first)
    await second.seen("its process has ended · t goes on here")
    assert.strictEqual(tagsOf(at).filter((tag) => tag === "ToolCallCompleted").length, 1)
    const id = sessionsOf(at)[0]!.id
    assert.strictEqual((await tollgate(at, ["sessions", "delete", id, "--yes"])).code, 0)
    await second.seen("does not exist.")
    second.press(escape)
    assert.strictEqual(await second.ended, 0)
  })

  it("ends what runs in good order before it passes on, and no process is left (R9)", async () => {
    const { first, second } = await running()
    await first.seen(/running run_shell · .* · esc stops$/m)
    // Escape leaves here, and stops nothing.
    await second.seen(/running run_shell · [^·]* s$/m)
    second.press("t")
    await second.seen(/◼ Run[^]*interrupted[^]*the runtime stopped[^]*taken over from process \d+[^]*ASK · test/)
    await first.seen("taken over by process")
    second.press("go on\r")
    await second.seen(/› go on[^]*Done\./)
    const seen = tagsOf(at)
    assert.strictEqual(seen.filter((tag) => tag === "ToolCallStarted").length, 1)
    assert.strictEqual(
      seen.filter((tag) => /^ToolCall(?:Completed|Failed|Interrupted|OutcomeUnknown)$/.test(tag)).length,
      1
    )
    assert.strictEqual(seen.filter((tag) => tag === "SessionResumed").length, 1)
    assert.throws(() => process.kill(Number(fs.readFileSync(path.join(at.work, "pid"), "utf8")), 0))
  })

  it("is left by escape while the hand-over waits, and stays where it is (R9, U12)", async () => {
    const { first, second } = await running()
    const owner = pidOf(second.screen())
    process.kill(owner, "SIGSTOP")
    try {
      second.press("t")
      await second.seen(`asking process ${owner} to hand it over`)
      second.press(escape)
      assert.strictEqual(await second.ended, 0)
    } finally {
      process.kill(owner, "SIGCONT")
    }
    first.press(escape)
    await first.idle("interrupted")
    assert.notInclude(first.screen(), "taken over")
    await leave(first)
  })

  it("goes on here where its process was killed, with a call of unknown outcome (R4, R9)", async () => {
    const { second } = await running()
    process.kill(pidOf(second.screen()), "SIGKILL")
    await second.seen("its process has ended · t goes on here")
    second.press("t")
    await second.seen(/ASK · test/)
    second.press("go on\r")
    await second.seen(/› go on[^]*Done\./)
    assert.strictEqual(tagsOf(at).filter((tag) => tag === "ToolCallOutcomeUnknown").length, 1)
    await leave(second)
  })
})
