import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { Transcript, type Written } from "../../../src/cli/terminal/transcript/Transcript.ts"
import type { CallShown, Display } from "../../../src/ui/Display.ts"

const made = (width = 80) => new Transcript({ style: plain, width: () => width, split: false, live: true })
const text = (written: ReadonlyArray<Written>) => written.map((one) => one.text).join("")

const call = (name: string): CallShown => ({
  key: name,
  tool: "run",
  arguments: JSON.stringify({ name }),
  worker: ["root"]
})
const output = (name: string, line: string): Display => ({
  _tag: "CallOutput",
  call: call(name),
  channel: "stdout",
  text: `${line}\n`
})
const ended = (name: string): Display => ({
  _tag: "CallEnded",
  call: call(name),
  outcome: "done",
  text: "",
  durationMillis: 5
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

/** What each call tells, in its order. */
const told = (name: string): ReadonlyArray<Display> => [
  output(name, `${name}1`),
  output(name, `${name}2`),
  { _tag: "CallNote", call: call(name), level: "info", text: `${name} changed` },
  output(name, `${name}3`),
  ended(name)
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
    const silent: Display = {
      _tag: "CallEnded",
      call: { ...call("a"), tool },
      outcome: "done",
      text: result,
      durationMillis: 0
    }
    assert.include(text(made().render(silent)), ` · ${said}\n`)
  })

  it("prints the calls of an answer once, whole and in the model's order, however they run (U12)", () => {
    const run = (displays: ReadonlyArray<Display>) => {
      const transcript = made()
      const began = names.map((name): Display => ({ _tag: "CallBegan", call: call(name) }))
      return [...began, ...displays, done].map((display) => text(transcript.render(display))).join("")
    }
    const one = run(names.flatMap(told))
    assert.strictEqual(one.split("● run").length, 4)
    FastCheck.assert(FastCheck.property(order, (order) => assert.strictEqual(run(interleaved(order)), one)))
  })

  it("lets nothing in between a request and its answer, and prints it behind (A8, U12)", () => {
    FastCheck.assert(
      FastCheck.property(order, FastCheck.nat(14), (order, at) => {
        const transcript = made()
        for (const name of names) transcript.render({ _tag: "CallBegan", call: call(name) })
        const displays = interleaved(order.filter((name) => name !== "a"))
        let before = ""
        let asked = ""
        displays.forEach((display, index) => {
          if (index === at % displays.length) asked += text(transcript.ask(call("a")))
          if (index < at % displays.length) before += text(transcript.render(display))
          else asked += text([...transcript.render(display), ...transcript.render(note("aside"))])
        })
        asked += text(transcript.under(call("a"), ["what is asked"]))
        assert.strictEqual(before, "")
        assert.match(asked, /^● run a\n {4}what is asked\n$/)
        const after = text([...transcript.asked(), ...transcript.render(ended("a")), ...transcript.render(done)])
        assert.include(after, "aside")
        assert.isBelow(after.indexOf("b1"), after.indexOf("c1"))
      })
    )
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
        assert.include(transcript.live().join("\n"), "status")
        shown += text(transcript.render({ _tag: "TextEnded", final: true, text: words }))
        const [answer = "", rest = ""] = shown.split("\n\n")
        assert.strictEqual(answer.replaceAll("\n", " "), words)
        assert.strictEqual(rest.match(/· status/g)?.length, at.length - 1)
      })
    )
  })

  it("shows what runs until it is printed, and cuts a long prompt in its middle (U12)", () => {
    const transcript = made(40)
    transcript.render({ _tag: "CallBegan", call: call("a") })
    for (let line = 1; line <= 30; line++) transcript.render(output("a", `line ${line}`))
    assert.deepStrictEqual(transcript.live(), ["● run a", "    │ line 28", "    │ line 29", "    │ line 30"])
    assert.include(text(transcript.render(ended("a"))), "… 14 lines")
    assert.deepStrictEqual(transcript.live(), [])
    const prompt = Array.from({ length: 10_000 }, (_, line) => `line ${line}`).join("\n")
    const rows = text(transcript.render({ _tag: "Prompt", text: prompt }))
      .trimEnd()
      .split("\n")
    assert.deepStrictEqual(rows.slice(-4), ["  … 9,989 more lines", "  line 9997", "  line 9998", "  line 9999"])
  })
})
