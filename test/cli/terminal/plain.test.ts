// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted } from "../command.ts"
import { leave, type Probe, probes } from "./TerminalProbe.ts"

const ctrlC = "\u0003"
const dumb = { TERM: "dumb" }
const write = (file: string) => ({ call: { name: "write_file", arguments: { path: file, content: "one\ntwo\n" } } })
const sandbox = { sandbox: { target: "none" } }
const modes = [
  ["TERM=dumb", [], dumb],
  ["--screen-reader", ["--screen-reader"], {}],
  ["TOLLGATE_SCREEN_READER", [], { TOLLGATE_SCREEN_READER: "true" }]
] as const

/** Nothing moves the cursor, and nothing is drawn anew. */
const isPlain = (terminal: Probe) => {
  // oxlint-disable-next-line no-control-regex -- exactly these bytes
  const found = /[\u0000-\u0006\u0008\u000b-\u001f].{0,20}/s.exec(terminal.raw().replaceAll("\r\n", "\n"))
  assert.isNull(found, `${JSON.stringify(found?.[0])} in ${JSON.stringify(terminal.raw())}`)
}

describe("a terminal that gets lines", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  const { open } = probes(() => at)

  it.each(modes)("prompts, asks and answers by lines, by %s (U12)", async (_, args, env) => {
    scripted(
      at,
      [
        { steps: [{ say: "Writing **both**." }, write("a.txt"), write("b.txt")] },
        { steps: [{ say: "One is written." }] },
        { steps: [{ call: { name: "ask_user", arguments: { question: "Which?", options: ["red", "blue"] } } }] },
        { steps: [{ say: "As you say." }] }
      ],
      sandbox
    )
    const terminal = await open(args, { env })
    await terminal.seen("›")
    terminal.press("write\n")
    await terminal.seen("allow?")
    assert.match(terminal.screen(), /write_file asks for approval/)
    terminal.press("perhaps\n")
    await terminal.seen(/"perhaps" is not one of the answers[^]*allow\?[^\n]*(?![^])/)
    terminal.press("y\n")
    await terminal.seen(/create b\.txt[^]*allow\?/)
    terminal.press("r\nnot this one\n")
    await terminal.seen(/one line is an answer[^]*allow\?[^\n]*(?![^])/)
    terminal.press("r\n")
    await terminal.seen("why not?")
    terminal.press("not this one\n")
    await terminal.seen(/2 requests[^]*\n›(?![^])/)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "one\ntwo\n")
    assert.isFalse(fs.existsSync(path.join(at.work, "b.txt")))
    terminal.press("ask me\n")
    await terminal.seen("answer:")
    terminal.press("2\n")
    await terminal.seen(/As you say\.[^]*\n›(?![^])/)
    terminal.press("/status\n")
    await terminal.seen("session_")
    await leave(terminal)
    isPlain(terminal)
  })

  it.each([
    ["half a line that the terminal holds back", "y", "\n"],
    ["a line", "y\n", "\n"],
    ["lines one after the other", "y\ny\ny\n", "\n"]
  ])("takes nothing for an answer that was typed before the question: %s (A8, U12)", async (_, before, after) => {
    scripted(at, [{ steps: [write("a.txt")] }, { steps: [{ say: "Denied." }] }], sandbox)
    const terminal = await open([], { env: { TERM: "dumb" } })
    await terminal.seen("›")
    terminal.press(`write\n`)
    await terminal.seen("write_file asks for approval")
    terminal.press(before)
    await terminal.seen(/allow\?[^\n]*(?![^])/)
    terminal.press(after)
    await terminal.seen(/allow\?[^]*allow\?[^\n]*(?![^])/)
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    terminal.press("n\n")
    await terminal.seen(/Denied\.[^]*\n›(?![^])/)
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
  })

  it("denies on Ctrl-D, which is the end of all input, and leaves when the task has ended (U12)", async () => {
    scripted(at, [{ steps: [write("a.txt")] }, { repeat: true, steps: [{ say: "Not written." }] }], sandbox)
    const terminal = await open([], { env: { TERM: "dumb" } })
    await terminal.seen("›")
    terminal.press("write\n")
    await terminal.seen("allow?")
    await leave(terminal)
    assert.include(terminal.screen(), "Not written.")
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
  })

  it("stops what runs on Ctrl-C, queues what is typed meanwhile, and ends on a second Ctrl-C, each on a line of its own (U12)", async () => {
    scripted(at, [
      { steps: [{ call: { name: "run_shell", arguments: { command: "echo begun; sleep 600" } } }] },
      { repeat: true, steps: [{ say: "Still here." }] }
    ])
    const terminal = await open(["--dangerously-allow-all"], { env: { ...dumb, TOLLGATE_SANDBOX_TARGET: "none" } })
    await terminal.seen("›")
    terminal.press("wait\n")
    await terminal.seen("begun")
    terminal.press("and then\n")
    await terminal.seen('queued: "and then"')
    terminal.press(ctrlC)
    await terminal.seen(/interrupted[^]*Still here\.[^]*\n›(?![^])/)
    terminal.press(ctrlC)
    await terminal.seen(/\n. press ctrl-c again, or ctrl-d, to quit\n›(?![^])/)
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 0)
    assert.match(terminal.screen(), /\nresume with .+ --session \S+\s*$/)
    isPlain(terminal)
  })

  it("runs one prompt and fills in a tool's parameters by lines (U12)", async () => {
    scripted(at, [{ steps: [write("a.txt")] }, { steps: [{ say: "Done." }] }], sandbox)
    const run = await open(["run", "go"], { env: dumb })
    await run.seen("allow?")
    run.press("yes\n")
    assert.strictEqual(await run.ended, 0)
    isPlain(run)
    const tool = await open(["tool", "recall", "-i"], { env: dumb })
    await tool.seen("query (text")
    tool.press("barn\n")
    await tool.seen("limit (number")
    tool.press("\n")
    assert.strictEqual(await tool.ended, 0)
    isPlain(tool)
  })
})
