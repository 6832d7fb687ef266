// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type Place, place, scripted, tollgate } from "../command.ts"
import { probes } from "../terminal/TerminalProbe.ts"

describe("picking an earlier session", { timeout: 60_000 }, () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const open = probes(() => at)

  it("lists title and age, filters by words, opens what is picked and leaves on an empty line (U12)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Fine." }] }])
    for (const prompt of ["paint the barn", "mow the lawn"]) await tollgate(at, ["run", prompt])
    const left = await open(["--resume"])
    await left.seen(/1 .*just now.*mow the lawn[^]*2 .*paint the barn/)
    left.press("\r")
    assert.strictEqual(await left.ended, 0)

    const terminal = await open(["--resume"])
    await terminal.seen("words to filter")
    terminal.press("barn\r")
    await terminal.seen(/ 1 .*paint the barn/)
    terminal.press("1\r")
    await terminal.seen(/› paint the barn[^]*^›$/m)
    terminal.press("/status\r")
    await terminal.seen("session_")
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
    const { stdout } = await tollgate(at, ["sessions", "list", "--jsonl"])
    assert.strictEqual(stdout.trim().split("\n").length, 2)
    assert.include(stdout.split("\n")[0], "paint the barn")
  })

  it("is one way of saying which session", async () => {
    scripted(at, [])
    const terminal = await open(["--resume", "--continue"])
    await terminal.seen("--resume cannot be combined")
    assert.strictEqual(await terminal.ended, 2)
  })
})
