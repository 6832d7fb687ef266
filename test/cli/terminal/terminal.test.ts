// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { ownersOf, place, type Place, scripted, tollgate } from "../command.ts"
import { database } from "../stored.ts"
import { leave, probes } from "./TerminalProbe.ts"

const escape = "\u001b"
const ctrlC = "\u0003"

const write = (name: string) => ({
  steps: [{ call: { name: "write_file", arguments: { path: name, content: "one\ntwo\n" } } }]
})

describe("the terminal", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())
  // After what removes their place: what comes last is run first.
  const { open, prompt } = probes(() => at)

  it("asks nothing of a background job, which ends instead of being stopped (U9)", async () => {
    scripted(at, [write("a.txt"), { steps: [{ say: "So be it." }] }])
    const job = await open(["run", "hello"], { background: true })
    assert.strictEqual(await job.ended, 3)
    assert.include(job.screen(), "no one is attached")
    assert.isFalse(fs.existsSync(path.join(at.work, "a.txt")))
    const prompt = await open([], { background: true })
    assert.strictEqual(await prompt.ended, 2)
    assert.include(prompt.screen(), "cannot run as a background job")
  })

  it("prompts, edits, answers, and quits on ctrl-d (U1)", async () => {
    scripted(at, [{ when: "hello world", repeat: true, steps: [{ say: "Good day." }] }])
    // The last line names this very program, however long its path is.
    const terminal = await prompt([], { columns: 400 })
    terminal.press("hello wxorld\u001b[D\u001b[D\u001b[D\u001b[D\u007f\r")
    const shown = await terminal.seen("1 request")
    assert.include(shown, "› hello world")
    assert.include(shown, "Good day.")
    terminal.press("\u001b[A\r")
    await terminal.idle(/Good day\.[^]*Good day\.[^]*1 request/)
    await leave(terminal)
    assert.match(terminal.screen(), /resume with .*--session session_\w+/)
    assert.isTrue(
      terminal.raw().trimEnd().endsWith("\u001b[?25h") ||
        terminal.raw().lastIndexOf("\u001b[?25h") > terminal.raw().lastIndexOf("\u001b[?25l")
    )
  })

  it("begins with the last two exchanges of a session that goes on, and says what is above (U12)", async () => {
    const long = Array.from({ length: 60 }, (_, line) => `row ${line}`).join("\n")
    const say = (when: string, text: string) => ({ when, repeat: true, steps: [{ say: text }] })
    scripted(at, [
      say("first", "one"),
      say("second", "two"),
      { when: "third", ...write("a.txt") },
      say("long", long),
      { repeat: true, steps: [{ say: "three" }] }
    ])
    const prompts = ["first", "second", "third"].map((prompt) => JSON.stringify({ _tag: "SubmitPrompt", prompt }))
    const earlier = ["run", "--dangerously-allow-all", "--input-format", "jsonl"]
    assert.strictEqual((await tollgate(at, earlier, `${prompts.join("\n")}\n`)).code, 0)
    const terminal = await open(["--continue"])
    const shown = await terminal.seen(/three\n+─ 2 requests · 1 call · .*\n+› ?$/m)
    assert.match(
      shown,
      /… 1 earlier prompt not shown\n+› second\n+two\n+─ 1 request · .*\n+› third\n+• Wrote a\.txt.*\n {2}1 │\+one\n {2}2 │\+two\n+three\n+─ 2 requests · 1 call · .*\n/
    )
    assert.notInclude(shown, "first")
    terminal.press("long\r")
    await terminal.seen("row 59")
    await terminal.idle()
    await leave(terminal)
    const again = await open(["--session", "session_"])
    const cut = await again.seen(/row 59\n+─ 1 request · .*\n+› ?$/m)
    assert.match(cut, /… \d\d rows and 2 earlier prompts not shown\n+row 22\nrow 23/)
    await leave(again)
  })

  it("ends with the reason where the runtime behind the prompt cannot start (U1)", async () => {
    scripted(at, [])
    const file = database(at)
    fs.writeFileSync(file, "no database".repeat(1000))
    const terminal = await open([])
    assert.strictEqual(await terminal.ended, 1)
    assert.include(terminal.screen().replaceAll("\n", ""), `tollgate: The database ${file}`)
    assert.isTrue(terminal.raw().lastIndexOf("\u001b[?25h") > terminal.raw().lastIndexOf("\u001b[?25l"))
  })

  it("names what is wrong with the configuration before it asks for anything (U1)", async () => {
    scripted(at, [], { maxIterations: "many" })
    const terminal = await open([])
    assert.strictEqual(await terminal.ended, 4)
    assert.include(terminal.screen(), "maxIterations")
    assert.notInclude(terminal.screen(), "›")
  })

  it("sends a paste of 10,000 lines as one prompt, and nothing before Enter (U12)", async () => {
    const lines = Array.from({ length: 10_000 }, (_, line) => `line ${line}`)
    scripted(at, [{ when: "line 9999\nto its end", repeat: true, steps: [{ say: "All read." }] }])
    const terminal = await prompt()
    terminal.press(`\u001b[200~${lines.join("\r")}\u001b[201~\u001b[200~\rto its end\u001b[201~`)
    await terminal.seen(/^› \[Pasted 10,000 lines\]\n {2}to its end$/m)
    assert.notInclude(terminal.screen(), "All read.")
    terminal.press("\r")
    const shown = await terminal.seen("1 request")
    assert.include(shown, "All read.")
  })

  it("quits on the second ctrl-c in a row at the prompt, and says so at the first (U8)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Still here." }] }])
    const terminal = await prompt()
    terminal.press(ctrlC)
    await terminal.seen("press ctrl-c again")
    terminal.press("hello\r")
    await terminal.seen("1 request")
    terminal.press(ctrlC)
    await terminal.seen(/press ctrl-c again[^]*press ctrl-c again/)
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 0)
  })

  it("answers slash commands without the model", async () => {
    scripted(at, [])
    const terminal = await prompt()
    terminal.press("/help\r")
    await terminal.seen("/clear")
    terminal.press("/status\r")
    await terminal.seen("no session yet")
    terminal.press("/nothing\r")
    await terminal.seen("unknown command /nothing")
    terminal.press("/model none\r")
    await terminal.seen("Unknown model profile none")
    terminal.press("/exit\r")
    assert.strictEqual(await terminal.ended, 0)
  })

  it("Esc and Ctrl-C interrupt the running task and give the prompt back (U8)", async () => {
    const begun = (text: string) => ({
      when: `wait for ${text}`,
      steps: [{ call: { name: "run_shell", arguments: { command: `echo begun ${text}; sleep 600` } } }]
    })
    scripted(at, [begun("Esc"), begun("Ctrl-C"), { repeat: true, steps: [{ say: "Still here." }] }])
    const terminal = await prompt(["--dangerously-allow-all"])
    for (const [index, [name, key]] of Object.entries({ Esc: escape, "Ctrl-C": ctrlC }).entries()) {
      terminal.press(`wait for ${name}\r`)
      await terminal.seen(`│ begun ${name}`)
      terminal.press(`then ${name}\rlast ${name}\r`)
      await terminal.seen(new RegExp(`─ queued: "then ${name}" ─\\n─ queued: "last ${name}" {3}↑ edits it ─`))
      terminal.press(key)
      await terminal.seen(new RegExp(`begun ${name}[^]*◼ interrupted[^]*› then ${name}\\n +last ${name}$`, "m"))
      assert.strictEqual(terminal.screen().split("Still here.").length - 1, index, name)
      terminal.press("\r")
      await terminal.idle(new RegExp(`last ${name}\\n+Still here\\.`))
    }
    await leave(terminal)
  })

  it("keeps what was typed and not sent where a signal ends it: SIGTERM, SIGHUP, SIGQUIT (U8)", async () => {
    const begun = { steps: [{ call: { name: "run_shell", arguments: { command: "echo begun; sleep 600" } } }] }
    scripted(at, [begun])
    let terminal = await prompt(["--dangerously-allow-all"])
    for (const [signal, code] of Object.entries({ SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 })) {
      terminal.press(`wait for ${signal}\r`)
      await terminal.seen(new RegExp(`wait for ${signal}[^]*│ begun`))
      terminal.press(`then ${signal}\rhalf of ${signal}`)
      await terminal.seen(new RegExp(`queued: "then ${signal}"[^]*half of ${signal}`))
      const [pid = 0] = ownersOf(at)
      process.kill(pid, signal)
      assert.strictEqual(await terminal.ended, code, signal)
      assert.isFalse(terminal.isRaw(), signal)
      assert.match(
        terminal.screen(),
        /2 prompts not sent; ↑ recalls them the next time[^]*resume with .*--session session_/
      )
      terminal = await prompt(["--continue", "--dangerously-allow-all"])
      terminal.press("\u001b[A")
      await terminal.seen(new RegExp(`› half of ${signal}$`, "m"))
      terminal.press("\u001b[A")
      await terminal.seen(new RegExp(`› then ${signal}$`, "m"))
      terminal.press(ctrlC)
      await terminal.idle()
    }
    await leave(terminal)
  })

  it("is suspended by ctrl-z and continued by fg, with what was typed and the modes of a shell between (U12)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Still here." }] }])
    const terminal = await prompt([], { job: true })
    terminal.press("half a l")
    await terminal.seen("› half a l")
    terminal.press("\u001a")
    await terminal.seen("stopped 148")
    const modes = (from: string) => [...from.matchAll(/\[(\?2004[hl]|[<>]\d*u)/g)].map(([, mode]) => mode)
    assert.deepStrictEqual(modes(terminal.raw()), ["?2004h", "?2004h", ">5u", "<u", "?2004l"])
    terminal.press("fg\r")
    await terminal.seen(/stopped 148[^]*› half a l$/m)
    terminal.press("ine\r")
    await terminal.seen("Still here.")
    assert.include(terminal.screen(), "› half a line")
    await leave(terminal)
    assert.deepStrictEqual(modes(terminal.raw()).slice(-2), ["<u", "?2004l"])
  })

  it("ctrl-c ends a run with 130 and says what was interrupted", async () => {
    scripted(at, [{ steps: [{ call: { name: "run_shell", arguments: { command: "echo begun; sleep 600" } } }] }])
    const terminal = await open(["run", "--dangerously-allow-all", "wait"])
    await terminal.seen("│ begun")
    terminal.press(ctrlC)
    assert.strictEqual(await terminal.ended, 130)
    assert.match(terminal.screen(), /◼ Run echo begun; sleep 600 +interrupted/)
  })

  it("stops the run on Esc while a request waits, and runs nothing (U8)", async () => {
    scripted(at, [write("a.txt"), { steps: [{ say: "So be it." }] }])
    const terminal = await open(["run", "write"])
    await terminal.seen("allow?")
    terminal.press(escape)
    assert.strictEqual(await terminal.ended, 130)
    assert.match(terminal.screen(), /◼ Write a\.txt .*interrupted[^]*◼ interrupted/)
    assert.notInclude(terminal.screen(), "allow?")
    assert.deepStrictEqual(fs.readdirSync(at.work), [])
  })

  it("shows details on d and sends the reason that is typed after r", async () => {
    scripted(at, [write("a.txt"), { when: "not today", steps: [{ say: "Then tomorrow." }] }])
    const terminal = await open(["run", "write"])
    await terminal.seen("allow?")
    terminal.press("d")
    await terminal.seen(/bound to\s+\w{40}/)
    terminal.press("q")
    await terminal.seen("allow?")
    terminal.press("r")
    await terminal.seen("why not?")
    terminal.press("not today\r")
    assert.strictEqual(await terminal.ended, 0)
    assert.include(terminal.screen(), "Then tomorrow.")
  })

  it("shows all of a long line that would be written (A9)", async () => {
    const content = `${"a".repeat(200)}; rm -rf important\n`
    scripted(at, [{ steps: [{ call: { name: "write_file", arguments: { path: "a.sh", content } } }] }])
    const terminal = await open(["run", "write"], { columns: 60 })
    const shown = await terminal.seen("allow?")
    assert.include(shown.replaceAll(/\n *(?:↳ )?/g, ""), content.trimEnd())
    terminal.press("n")
    await terminal.ended
  })

  it("asks one after the other where several calls wait, and takes y and n for answers (U5)", async () => {
    const both = { steps: [...write("a.txt").steps, ...write("b.txt").steps] }
    scripted(at, [both, { steps: [{ say: "So be it." }] }])
    const terminal = await open(["run", "write"])
    const asked = await terminal.seen("allow?")
    assert.notInclude(asked, "b.txt")
    assert.include(asked, "+one")
    assert.match(asked, /y allow once[^]*n deny[^]*r deny with reason[^]*d details/)
    terminal.press("y")
    await terminal.seen(/Wrote a\.txt[^]*b\.txt[^]*allow\?/)
    terminal.press("n")
    assert.strictEqual(await terminal.ended, 0)
    for (const sign of ["Wrote a.txt", "you said no", "So be it."]) assert.include(terminal.screen(), sign)
    assert.deepStrictEqual(fs.readdirSync(at.work), ["a.txt"])
  })

  it("asks the user what the model wants to know (A3)", async () => {
    const ask = { call: { name: "ask_user", arguments: { question: "Which way?", options: ["left", "right"] } } }
    scripted(at, [{ steps: [ask] }, { when: "right", steps: [{ say: "To the right." }] }])
    const terminal = await open(["run", "go"])
    const asked = await terminal.seen(/^answer$/m)
    assert.include(asked, "? Which way?")
    assert.include(asked, "2 right")
    terminal.press("2\r")
    assert.strictEqual(await terminal.ended, 0)
    assert.include(terminal.screen(), "To the right.")
  })

  it("opens on ctrl-o what was printed in part, and closes it before anything is asked (U9, U12)", async () => {
    const seq = { steps: [{ call: { name: "run_shell", arguments: { command: "seq 1 30" } } }] }
    scripted(at, [
      seq,
      { steps: [{ say: "Counted." }] },
      { steps: [{ call: { name: "run_shell", arguments: { command: "until [ -e go ]; do sleep 0.05; done" } } }] },
      write("a.txt"),
      { repeat: true, steps: [{ say: "So be it." }] }
    ])
    const terminal = await prompt([], { columns: 100, rows: 40 })
    terminal.press("count\r")
    await terminal.idle(/25 lines \(ctrl-o\)[^]*^ +│ 30$[^]*Counted\./m)
    terminal.press("\u000f")
    assert.match(await terminal.seen("q close"), /^│ 7$[^]*^│ 30$/m)
    terminal.press("q")
    await terminal.idle(/Counted\./)
    terminal.press("write\r")
    await terminal.seen("allow?")
    terminal.press("y")
    await terminal.seen("running run_shell")
    terminal.press("\u000f")
    await terminal.seen("q close")
    fs.writeFileSync(path.join(at.work, "go"), "")
    assert.notInclude(await terminal.seen("allow?"), "q close")
    terminal.press("n")
    await terminal.seen("So be it.")
  })

  it("shows the mode that shift-tab sets at once, in the last row (U13)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "So be it." }] }])
    const terminal = await open([], { columns: 100 })
    await terminal.seen(/^ ASK /m)
    terminal.press("hello\r")
    await terminal.idle(/So be it\./)
    for (const mode of ["EDITS", "PLAN", "ASK"]) {
      terminal.press("\u001b[Z")
      await terminal.seen(new RegExp(`^ ${mode} `, "m"))
    }
  })

  it("clears what is shown on ctrl-l, and keeps what is typed (U12)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "So be it." }] }])
    const terminal = await prompt([], { columns: 100 })
    terminal.press("hello\r")
    await terminal.idle(/So be it\./)
    terminal.press("half a l\u000c")
    await terminal.settles((shown) => {
      assert.notInclude(shown, "So be it.")
      assert.match(shown, /^› half a l\n ASK /)
    })
    terminal.press("\u0015")
    await leave(terminal)
  })

  it("colours only where it may", async () => {
    scripted(at, [{ repeat: true, steps: [{ call: { name: "list_dir" } }, { say: "Done." }] }], { maxIterations: 1 })
    const colour = new RegExp(`${escape}\\[\\d+m`)
    const coloured = await open(["run", "go"])
    await coloured.ended
    assert.match(coloured.raw(), colour)
    const bare = await open(["run", "go"], { env: { NO_COLOR: "1" } })
    await bare.ended
    assert.notMatch(bare.raw(), colour)
    const dumb = await open(["run", "go"], { env: { TERM: "dumb" } })
    await dumb.ended
    assert.notInclude(dumb.raw(), escape)
  })

  it("is usable at 60 columns, wide characters included", async () => {
    scripted(at, [
      {
        steps: [
          { say: "世界 ".repeat(40) },
          { call: { name: "grep", arguments: { pattern: "漢字".repeat(60) } } },
          ...write(`${"x".repeat(80)}.txt`).steps
        ]
      },
      { steps: [{ say: "Done." }] }
    ])
    const terminal = await open(
      ["run", "an unusually long prompt that does not fit on one line of a narrow terminal"],
      { columns: 60 }
    )
    const asked = await terminal.seen("allow?")
    terminal.press("n")
    assert.strictEqual(await terminal.ended, 0)
    assert.match(asked, /^allow\? y /m)
    const text = terminal
      .raw()
      .split("\r\n")
      .map((line) => line.split("\r").at(-1) ?? "")
    const { default: width } = await import("string-width")
    for (const line of text.filter((one) => !one.includes("denied"))) assert.isAtMost(width(line), 60, line)
  })

  it("replays a recording exactly as it looked live (R6)", async () => {
    fs.writeFileSync(path.join(at.work, "note.txt"), "one\ntwo\n")
    scripted(at, [
      {
        steps: [
          { say: "Reading. " },
          { call: { name: "read_file", arguments: { path: "note.txt" } } },
          { call: { name: "read_file", arguments: { path: "none" } } }
        ]
      },
      {
        steps: [
          { say: "**Two** lines, " },
          { say: "and a long tail that has to be broken somewhere because the terminal is not that wide." }
        ]
      }
    ])
    const live = await open(["run", "count"])
    assert.strictEqual(await live.ended, 0)
    const file = path.join(at.home, "recorded.jsonl")
    fs.writeFileSync(file, (await tollgate(at, ["events", "session_", "--jsonl"])).stdout)
    const replayed = await open(["replay", file])
    assert.strictEqual(await replayed.ended, 0)
    const rows = live.screen().split("\n")
    assert.strictEqual(replayed.screen(), rows.slice(rows.indexOf("") + 1).join("\n"))
  })
})
