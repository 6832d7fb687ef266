import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { paged } from "../../../src/cli/terminal/transcript/Folded.ts"
import { Transcript, type Written } from "../../../src/cli/terminal/transcript/Transcript.ts"
import type { ApprovalRequest } from "../../../src/tool/ApprovalRequest.ts"
import type { CallShown, Display } from "../../../src/ui/Display.ts"

const made = (width = 80, live = true) => new Transcript({ style: plain, width: () => width, split: false, live })
const text = (written: ReadonlyArray<Written>) => written.map((one) => one.text).join("")

const call = (name: string, tool = "run", args: unknown = { name }): CallShown => ({
  key: name,
  tool,
  arguments: JSON.stringify(args),
  worker: ["root"]
})
const output = (of: CallShown, text: string): Display => ({ _tag: "CallOutput", call: of, channel: "stdout", text })
const ended = (of: CallShown, text = "", outcome: "done" | "failed" = "done", endedAt = 0): Display => ({
  _tag: "CallEnded",
  call: of,
  outcome,
  text,
  ...(outcome === "failed" && text.startsWith("exit code ") && { result: "" }),
  durationMillis: 5,
  endedAt
})
const note = (text: string): Display => ({ _tag: "Note", level: "info", text })
const done: Display = {
  _tag: "TaskEnded",
  outcome: "completed",
  reason: "",
  durationMillis: 1,
  requests: 1,
  calls: 3,
  failedCalls: 0,
  usage: undefined
}
const rows = (transcript: Transcript, ...displays: ReadonlyArray<Display>) =>
  displays
    .flatMap((display) => transcript.render(display))
    .map((one) => one.text)
    .join("")
    .split("\n")
    .filter((row) => row !== "")

/** What each call tells, in its order. */
const told = (name: string): ReadonlyArray<Display> => [
  output(call(name), `${name}1\n`),
  output(call(name), `${name}2\n`),
  { _tag: "CallNote", call: call(name), level: "info", text: `${name} changed` },
  output(call(name), `${name}3\n`),
  ended(call(name))
]

const names = ["a", "b", "c"]
/** Which call tells something next, each as often as it has something to tell. */
const order = FastCheck.shuffledSubarray(
  names.flatMap((name) => told(name).map(() => name)),
  { minLength: 15, maxLength: 15 }
)
const interleaved = (order: ReadonlyArray<string>): ReadonlyArray<Display> => {
  const left = new Map(names.map((name) => [name, [...told(name)]]))
  return order.map((name) => left.get(name)!.shift()!)
}

describe("Transcript", () => {
  it.each([
    ["run_shell", "exit code 0\n[no output]", "no output"],
    ["run_shell", "exit code 0\n[no output]\n[1 process left in the background ended]", "no output"],
    ["run_shell", "exit code 0\none", "one"],
    ["run_shell", "exit code 0\none\ntwo", "2 lines"],
    ["read_file", "exit code 0\none", "2 lines"]
  ])("sums up what %s gave in what it said, not in how it is stored: %j (U12)", (tool, result, said) => {
    const shown = rows(made(), ended(call("a", tool), result), done)
    assert.include(shown[0], ` ${said} · 5 ms`)
  })

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "names a made-up tool as the model does, also %s (T1, U12)",
    (tool) => {
      const failed = ended(call("a", tool), "no such tool", "failed")
      const shown = rows(made(), failed, ended(call("b", tool), "one"), done)
      assert.include(shown[0], `✗ ${tool}`)
      assert.include(shown.join("\n"), `• ${tool}`)
    }
  )

  it("prints the calls of an answer once, whole and in the model's order, however they run (U12)", () => {
    const run = (displays: ReadonlyArray<Display>) => {
      const transcript = made()
      const began = names.map((name): Display => ({ _tag: "CallBegan", call: call(name) }))
      return [...began, ...displays, done].map((display) => text(transcript.render(display))).join("")
    }
    const one = run(names.flatMap(told))
    assert.strictEqual(one.split("• run").length, 4)
    FastCheck.assert(FastCheck.property(order, (order) => assert.strictEqual(run(interleaved(order)), one)))
  })

  it("lets nothing in between a request and its answer, and prints it behind (A8, U12)", () => {
    FastCheck.assert(
      FastCheck.property(order, FastCheck.nat(14), (order, at) => {
        const transcript = made()
        for (const name of names) transcript.render({ _tag: "CallBegan", call: call(name) })
        const displays = interleaved(order.filter((name) => name !== "a"))
        let before = ""
        displays.forEach((display, index) => {
          if (index === at % displays.length) before += text(transcript.ask())
          before += text(transcript.render(display))
          if (index >= at % displays.length) before += text(transcript.render(note("aside")))
        })
        assert.strictEqual(before, "")
        assert.deepStrictEqual(transcript.live(), [])
        const after = text([...transcript.asked(), ...transcript.render(ended(call("a"))), ...transcript.render(done)])
        assert.include(after, "aside")
        assert.isBelow(after.indexOf("b1"), after.indexOf("c1"))
      })
    )
  })

  it("shows the last rows of what runs, also once it is done, says how many are folded, and keeps the whole (U12)", () => {
    const shell = call("a", "run_shell", { command: "npm test" })
    const lines = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join("")
    const transcript = made(40)
    transcript.render({ _tag: "CallBegan", call: shell })
    transcript.render(output(shell, `${lines}10%\r20%`))
    assert.deepStrictEqual(transcript.live(), [
      "• Running npm test",
      "  │ line 26",
      "  │ line 27",
      "  │ line 28",
      "  │ line 29",
      "  │ 20%"
    ])
    assert.deepStrictEqual(rows(transcript, ended(shell)), [
      "• Ran npm test                      5 ms",
      "  │ … 26 lines (ctrl-o)",
      "  │ line 26",
      "  │ line 27",
      "  │ line 28",
      "  │ line 29",
      "  │ 20%"
    ])
    assert.deepStrictEqual(transcript.live(), [])
    const whole = paged(transcript.folded).lines.map((line) => line.text)
    assert.deepStrictEqual([whole[0], whole[1], whole.at(-1), whole.length], ["Ran npm test", "line 0", "20%", 32])
  })

  it("shows of a failed command how it ended, its last 20 rows and those that name the failure (U12)", () => {
    const shell = call("a", "run_shell", { command: "npm test" })
    const lines = Array.from({ length: 60 }, (_, line) => (line === 9 ? "not ok 9" : `line ${line}`))
    const shown = rows(made(60), output(shell, lines.join("\n")), ended(shell, "exit code 1", "failed"))
    assert.deepStrictEqual(shown.slice(0, 4), [
      "✗ Ran npm test                                 exit 1 · 5 ms",
      "  │ … 39 lines (ctrl-o)",
      "  │ not ok 9",
      "  │ line 40"
    ])
    assert.strictEqual(shown.length, 23)
  })

  it("prints output as it comes where nothing shows what runs, each line once (U12)", () => {
    const shell = call("a", "run_shell", { command: "npm test" })
    const lines = Array.from({ length: 40 }, (_, line) => `line ${line}\n`)
    const transcript = made(80, false)
    const before = rows(transcript, ...lines.map((line) => output(shell, line)))
    assert.deepStrictEqual([before[0], before[1], before.length], ["• Run npm test", "  │ line 0", 13])
    assert.deepStrictEqual(rows(transcript, ended(shell, "exit code 3", "failed")), [
      "  │ … 8 lines",
      ...Array.from({ length: 20 }, (_, line) => `  │ line ${line + 20}`),
      "  ✗ exit 3 · 5 ms"
    ])
  })

  it("tells of reads one after the other in one row, and of one that failed by itself (U12)", () => {
    const read = (name: string) => call(name, "read_file", { path: name })
    const list = call("src", "list_dir", { path: "src" })
    const transcript = made(60)
    // Two of them side by side for 3 ms, the third later.
    const [a, b] = [read("a.ts"), read("b.ts")]
    assert.deepStrictEqual(
      rows(transcript, ended(a, "1", "done", 10), ended(list, "2", "done", 12), ended(b, "3", "done", 90)),
      []
    )
    // The last column stays free of what is drawn anew.
    assert.deepStrictEqual(transcript.live(), ["• Read 2 files, listed 1  a.ts src b.ts               12 ms"])
    assert.deepStrictEqual(rows(transcript, ended(read("none"), "no such file", "failed"), ended(read("c.ts"), "x")), [
      "• Read 2 files, listed 1  a.ts src b.ts                12 ms",
      "✗ Read none                                             5 ms",
      "  no such file"
    ])
    assert.deepStrictEqual(rows(transcript, done)[0], "• Read c.ts                                         x · 5 ms")
  })

  it("shows an applied change once, whoever allowed it, and what was refused (U12)", () => {
    const edit = call("a", "edit_file", { path: "a.js", old_text: "1", new_text: "2" })
    const diff = "--- a/a.js\n+++ b/a.js\n@@ -7,1 +7,1 @@\n-return 1\n+return 2"
    const request: ApprovalRequest = {
      id: "r",
      callId: "a",
      sessionId: "s",
      tool: "edit_file",
      workerPath: ["root"],
      risk: "medium",
      digest: "0",
      arguments: { path: "a.js", old_text: "1", new_text: "2" },
      message: "change a.js",
      scopes: ["once"],
      requestedAt: 0,
      timeoutMillis: 0,
      preview: { summary: "change a.js", targets: [], diff }
    }
    const asked: Display = { _tag: "CallAsked", call: edit, request }
    const body = ["  7 │-return 1", "  7 │+return 2"]
    const applied = made(60)
    applied.render(asked)
    applied.render({ _tag: "CallDecided", call: edit, text: "approved by user", once: true })
    applied.diff({ call: edit, text: diff, omitted: 0 })
    assert.deepStrictEqual(rows(applied, ended(edit, "done")), [
      "• Edited a.js  +1 −1                         approved · 5 ms",
      ...body
    ])
    const refused = made(60)
    refused.render(asked)
    assert.deepStrictEqual(rows(refused, ended(edit, "you said no: keep it", "failed")), [
      "✗ Edit a.js  +1 −1                        you said no · 5 ms",
      ...body,
      "  you said no: keep it"
    ])
  })

  it("prints an answer by whole rows: no note lands in its sentence, and no row ends in a word (U12)", () => {
    const words = "The quick brown fox jumps over the lazy dog and goes on to the end of the sentence."
    const cut = FastCheck.array(FastCheck.nat(words.length), { maxLength: 8 })
    FastCheck.assert(
      FastCheck.property(cut, FastCheck.constantFrom(40, 80), (cuts, width) => {
        const transcript = made(width)
        const at = [0, ...cuts, words.length].sort((a, b) => a - b)
        let shown = ""
        for (let index = 1; index < at.length; index++) {
          shown += text(transcript.render({ _tag: "Text", text: words.slice(at[index - 1], at[index]) }))
          shown += text(transcript.render(note("status")))
          assert.match(shown, /^(?:[^]*\n)?$/)
        }
        assert.include(transcript.live().join("\n") + shown, "status")
        shown += text(transcript.render({ _tag: "TextEnded", final: true, text: words }))
        const answer = shown.replaceAll(/\n?· status\n/g, "").trim()
        assert.strictEqual(answer.replaceAll("\n", " "), words)
        assert.strictEqual(shown.match(/· status/g)?.length, at.length - 1)
      })
    )
  })

  it("cuts a long message in its middle: its end says what to do (U12)", () => {
    const long = `${"what went wrong, ".repeat(60)}at last: do this`
    const seen = (...displays: ReadonlyArray<Display>) => rows(made(40), ...displays)
    const failure: Display = { ...done, outcome: "failed", reason: long, calls: 0 }
    const delegated: Display = { _tag: "CallNote", call: call("a"), level: "info", text: long }
    const shown = [
      seen(note(long)),
      seen(failure),
      seen(delegated, ended(call("a")), done),
      seen(ended(call("a"), long, "failed"), done)
    ]
    for (const one of shown) {
      assert.match(one.join("\n"), /\n {2,4}… \d+ more lines\n/)
      assert.match(one.join(" ").replace(/\s+/g, " "), /at last: do this/)
    }
  })

  it("cuts a long prompt in its middle (U12)", () => {
    const prompt = Array.from({ length: 10_000 }, (_, line) => `line ${line}`).join("\n")
    const shown = rows(made(40), { _tag: "Prompt", text: prompt })
    assert.deepStrictEqual(shown.slice(-4), ["  … 9,989 more lines", "  line 9997", "  line 9998", "  line 9999"])
  })
})
