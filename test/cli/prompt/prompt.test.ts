// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted } from "../command.ts"
import { probes } from "../terminal/TerminalProbe.ts"

const escape = "\u001b"
const ctrlD = "\u0004"

describe("the prompt", { timeout: 60_000 }, () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const open = probes(() => at)

  it("lists commands and their arguments while they are typed, completes them on tab and closes on esc (U7, U12)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Still here." }] }])
    const terminal = await open([], { rows: 24 })
    await terminal.seen("›")
    terminal.press("/")
    await terminal.seen(/› \/\n❯ help +\[NAME\] {2}show the commands/)
    terminal.press("stts")
    await terminal.seen(/› \/stts\n❯ status +show session/)
    terminal.press("\t")
    await terminal.seen(/› \/status$/)
    terminal.press("\r")
    await terminal.seen("no session yet")
    terminal.press("/model ")
    await terminal.seen(/› \/model ?\n❯ test$/)
    terminal.press("\t")
    await terminal.seen(/› \/model test/)
    terminal.press("\u0015/mo")
    await terminal.seen("❯ model")
    terminal.press(escape)
    await terminal.seen(/› \/mo$/)
    terminal.press("\r")
    await terminal.seen("unknown command /mo · did you mean /model?")
    terminal.press("/help model\r")
    await terminal.seen(/\/model \[NAME\|list\] {2}list the profiles/)
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
  })

  it("completes files behind an @, without those that are ignored, and sends what is typed then (U12)", async () => {
    fs.mkdirSync(path.join(at.work, "src"))
    for (const name of ["src/cart.ts", "src/card.ts", "ignored.log"]) fs.writeFileSync(path.join(at.work, name), "")
    fs.writeFileSync(path.join(at.work, ".gitignore"), "*.log\n")
    scripted(at, [{ when: "explain src/cart.ts please", repeat: true, steps: [{ say: "It is a cart." }] }])
    const terminal = await open([], { rows: 24 })
    await terminal.seen("›")
    terminal.press("explain @ig")
    await terminal.seen(/❯ \.gitignore$/)
    terminal.press("\u007f\u007fcart")
    await terminal.seen(/❯ src\/cart\.ts\n/)
    terminal.press("\r")
    await terminal.seen(/› explain src\/cart\.ts$/)
    terminal.press("please\r")
    await terminal.seen("It is a cart.")
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
  })

  it("runs !command behind the gate of the model's own, and the model reads its result (U7, A1)", async () => {
    scripted(at, [{ when: "and now?", repeat: true, steps: [{ say: "I have seen it." }] }])
    const terminal = await open([])
    await terminal.seen("›")
    terminal.press("!touch a.txt; echo made\r")
    await terminal.seen("allow?")
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    terminal.press("y")
    await terminal.seen(/^›$/m)
    assert.isTrue(fs.existsSync(path.join(at.work, "a.txt")))
    terminal.press("and now?\r")
    await terminal.seen("I have seen it.")
    terminal.press("/context\r")
    await terminal.seen(/system +1 message/)
    terminal.press("/approvals rules\r")
    await terminal.seen("No rules for")
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
  })
})
