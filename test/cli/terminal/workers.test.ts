// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { type Place, place, scripted } from "../command.ts"
import { leave, probes } from "./TerminalProbe.ts"

const escape = "\u001b"

/** Processes whose arguments name the text. */
const livingWith = (text: string): ReadonlyArray<string> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text)
      } catch {
        return false
      }
    })

describe("what runs for a task, in a terminal", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { prompt } = probes(() => at)

  it("ends sub-workers on esc, three deep, with what they had done, no process left, and the prompt back (U3, U8)", async () => {
    const marker = `marker-${at.home.split("-").at(-1)?.split("/")[0]}`
    const call = (name: string, given: object) => ({ call: { name, arguments: given } })
    const delegate = (task: string, name: string) => call("delegate", { task, name })
    const sleep = call("run_shell", {
      command: `(exec -a ${marker}-behind sleep 1000) & echo begun; exec -a ${marker} sleep 1000`
    })
    scripted(at, [
      { when: "begin", steps: [delegate("the first job", "one")] },
      {
        when: "the first job",
        steps: [{ say: "I look around." }, call("list_dir", {}), delegate("the second job", "two")]
      },
      { when: "the second job", steps: [delegate("the third job", "three")] },
      { when: "the third job", steps: [sleep] },
      { when: "go on", repeat: true, steps: [{ say: "Here again." }] }
    ])
    const terminal = await prompt(["--dangerously-allow-all"], { columns: 100 })
    terminal.press("begin\r")
    await terminal.seen("│ begun")
    assert.isAtLeast(livingWith(marker).length, 2)
    terminal.press(escape)
    const shown = await terminal.idle(/◼ interrupted/)
    for (const name of ["one", "two", "three"]) assert.match(shown, new RegExp(`◼ ${name} interrupted`))
    assert.match(shown, /◼ Run .*interrupted/)
    assert.include(shown, "one: I look around.")
    assert.isEmpty(livingWith(marker))
    terminal.press("/workers one\r")
    const told = await terminal.idle(/· one: interrupted/)
    assert.match(told.slice(told.indexOf("· one: interrupted")), /› the first job[^]*• Listed[^]*! interrupted/)
    assert.notInclude(told.slice(told.indexOf("· one: interrupted")), "{")
    terminal.press("go on\r")
    await terminal.seen("Here again.")
    await leave(terminal)
    assert.isEmpty(livingWith(marker))
  })

  it("goes on with a command that ctrl-b moves to the background, which ends with the session (U12)", async () => {
    const marker = `moved-${at.home.split("-").at(-1)?.split("/")[0]}`
    const command = `echo begun; exec -a ${marker} sleep 1000`
    scripted(at, [
      { when: "begin", steps: [{ call: { name: "run_shell", arguments: { command } } }] },
      { when: "moved it to the background", steps: [{ say: "I go on." }] },
      { repeat: true, steps: [{ say: "Not told." }] }
    ])
    const terminal = await prompt(["--dangerously-allow-all"], { columns: 100 })
    terminal.press("begin\r")
    await terminal.seen("│ begun")
    terminal.press("\u0002")
    await terminal.idle(/I go on\./)
    assert.isNotEmpty(livingWith(marker))
    terminal.press("/tasks\r")
    await terminal.seen(/· shell_\w+ has been running for/)
    await leave(terminal)
    assert.isEmpty(livingWith(marker))
  })
})
