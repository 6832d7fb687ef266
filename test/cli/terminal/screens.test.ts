// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import type * as Headless from "@xterm/headless"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { type Place, place, scripted } from "../command.ts"
import { leave, probes } from "./TerminalProbe.ts"

const { Terminal } = createRequire(path.resolve("package.json"))("@xterm/headless") as typeof Headless

const escape = "\u001b"
const read = (file: string) => ({ call: { name: "read_file", arguments: { path: file } } })
const write = (file: string) => ({ call: { name: "write_file", arguments: { path: file, content: "one\ntwo\n" } } })
const sandbox = { sandbox: { target: "none" } }

/** A screen without what differs from run to run. */
const golden = (screen: string, at: Place): string =>
  screen
    .replaceAll(at.work, "WORK")
    .replaceAll(/\d+(?:\.\d+)?\s+(?:ms|s)\b/g, "TIME")
    .replaceAll(/ {2,}(?=(?:\S.*)?\bTIME$)/gm, "  ")
    .replaceAll(/session_\w+/g, "SESSION")
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "*")

describe("what a person sees", () => {
  let at: Place
  beforeEach(() => {
    at = place()
    fs.writeFileSync(path.join(at.work, "a.json"), '{\n  "a": 1,\n  "b": 2\n}\n')
    fs.writeFileSync(path.join(at.work, "b.txt"), "one\n")
  })
  afterEach(() => at.remove())
  const { prompt } = probes(() => at)

  it.each([80, 40])("prints the calls of an answer as blocks in its order, at %d columns (U12)", async (columns) => {
    scripted(
      at,
      [
        { steps: [{ say: "Reading both, then writing." }, read("a.json"), read("b.txt"), write("c.txt")] },
        { steps: [{ say: "Done." }] }
      ],
      sandbox
    )
    const terminal = await prompt([], { columns })
    terminal.press("go\r")
    await terminal.seen("allow?")
    terminal.press("n")
    const shown = await terminal.idle(/2 requests/)
    const [, ...rest] = golden(shown, at).split("\n\n")
    assert.strictEqual(
      // On a narrow screen the time gives way.
      rest.join("\n\n").replace(/ +you said no(?: · TIME)?$/m, "  you said no"),
      [
        "› go",
        "",
        "Reading both, then writing.",
        "",
        "• Read 2 files  a.json b.txt  TIME",
        "✗ Write c.txt  +2 −0  you said no",
        "  1 │+one",
        "  2 │+two",
        "",
        "Done.",
        "",
        "─ 2 requests · 3 calls, 1 denied · TIME",
        "›",
        " ASK · test · sandbox off"
      ].join("\n")
    )
  })

  it("shows a request once, whole, where the terminal is made narrower and wider while it waits (U12)", async () => {
    scripted(at, [{ steps: [write("c.txt")] }, { steps: [{ say: "Done." }] }], sandbox)
    // With room for what a narrower screen breaks it into: what scrolls away stays.
    const rows = 30
    const terminal = await prompt([], { columns: 80, rows })
    terminal.press("go\r")
    await terminal.seen("allow?")
    for (const [columns, narrow] of [
      [50, "allow? y once"],
      [40, "allow? y/t"],
      [70, "allow? y once"],
      [80, "allow? y allow once"]
    ] as const) {
      await terminal.resize(columns, rows)
      const waiting = await terminal.seen(narrow)
      for (const once of ["⏸ Write c.txt", "create c.txt", "+two", "allow?"]) {
        assert.strictEqual(waiting.split(once).length, 2, `${once} at ${columns} in:\n${waiting}`)
      }
    }
    terminal.press("n")
    const shown = await terminal.seen("2 requests")
    assert.notMatch(shown, /allow\?/)
    assert.strictEqual(shown.split("+two").length, 2)
  })

  it("erases nothing from the first cell of the screen on, which tmux would keep as scrolled away (U12)", async () => {
    const content = Array.from({ length: 60 }, (_, line) => `${line}\n`).join("")
    const call = { name: "write_file", arguments: { path: "c.txt", content } }
    scripted(at, [{ steps: [{ call }] }, { steps: [{ say: "Done." }] }], sandbox)
    const terminal = await prompt([], { columns: 80, rows: 24 })
    terminal.press("go\r")
    await terminal.seen("d read it all")
    terminal.press("d")
    await terminal.seen("not all read")
    terminal.press("q")
    await terminal.seen(/d read it all[^]*^ ASK /m)
    terminal.press("n")
    await terminal.idle(/2 requests/)
    const emulator = new Terminal({ cols: 80, rows: 24, allowProposedApi: true })
    let erasures = 0
    let whole = 0
    emulator.parser.registerCsiHandler({ final: "J" }, () => {
      const { active } = emulator.buffer
      erasures++
      if (active.type === "normal" && active.cursorX === 0 && active.cursorY === 0) whole++
      return false
    })
    await new Promise<void>((resolve) => emulator.write(terminal.raw(), resolve))
    assert.isAbove(erasures, 5)
    assert.strictEqual(whole, 0)
  })

  it("leaves no part of a request behind, however its terminal is resized, wherever one is in it (U12)", async () => {
    scripted(at, [{ steps: [write("c.txt")] }, { steps: [{ say: "Done." }] }], sandbox)
    // With room for what a narrower screen breaks it into: what scrolls away stays.
    const rows = 45
    const terminal = await prompt([], { columns: 80, rows })
    terminal.press("go\r")
    await terminal.seen("allow?")
    const resized = async (once: ReadonlyArray<string>) => {
      for (const columns of FastCheck.sample(FastCheck.integer({ min: 40, max: 110 }), 5)) {
        await terminal.resize(columns, rows)
        const shown = await terminal.seen(new RegExp(`^⏸.{${columns - 2}}$[^]*^ ASK `, "m"))
        for (const text of once) assert.strictEqual(shown.split(text).length, 2, `${text} at ${columns} in:\n${shown}`)
      }
    }
    await resized(["⏸ Write c.txt", "create c.txt", "+two", "allow?"])
    terminal.press("w")
    await terminal.seen("wider?")
    await resized(["⏸ Write c.txt", "wider?"])
    terminal.press("x")
    await terminal.seen("allow?")
    await resized(["⏸ Write c.txt", "create c.txt", "+two", "allow?"])
    terminal.press("n")
    assert.strictEqual((await terminal.seen("2 requests")).split("+two").length, 2)
  })

  it("shows what is queued and what is being typed while a task runs (U8, U12)", async () => {
    scripted(
      at,
      [
        { steps: [{ call: { name: "run_shell", arguments: { command: "echo begun; sleep 600" } } }] },
        { repeat: true, steps: [{ say: "Still here." }] }
      ],
      sandbox
    )
    const terminal = await prompt(["--dangerously-allow-all"], { columns: 60, rows: 24 })
    terminal.press("wait\r")
    await terminal.seen("│ begun")
    terminal.press("and then\r")
    await terminal.seen(`─ queued: "and then"   ↑ edits it ─`)
    terminal.press("half a l")
    await terminal.seen("› half a l")
    const shown = await terminal.seen("1 task · esc stops")
    assert.deepStrictEqual(golden(shown, at).split("\n").slice(-5), [
      "  │ begun",
      "* running run_shell · TIME · esc stops",
      `─ queued: "and then" ─`,
      "› half a l",
      " ALLOW ALL · test · sandbox off · 1 task · esc stops"
    ])
    terminal.press("\u0015\u001b[A, if it is green")
    await terminal.seen(/› and then, if it is green$/m)
    terminal.press(escape)
    await terminal.seen(/interrupted[^]*› and then, if it is green$/m)
    terminal.press("\r")
    await terminal.seen("Still here.")
    await leave(terminal)
  })
})
