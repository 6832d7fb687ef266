// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import { scripted } from "../command.ts"
import { ctrlD, escape, hour, matches, sizes } from "./hour.ts"

const shell = (command: string) => ({ call: { name: "run_shell", arguments: { command } } })
const pasted = (text: string) => `${escape}[200~${text}${escape}[201~`

describe("the keys", () => {
  const { at, open } = hour()

  it.each(sizes)("Esc goes one step back wherever it is pressed, at %d × %d (U8)", async (...size) => {
    scripted(at(), [
      { steps: [shell("touch a")] },
      { steps: [shell("echo begun; sleep 60")] },
      { repeat: true, steps: [{ say: "Still here." }] }
    ])
    const terminal = await open([], size)
    await terminal.idle()
    terminal.press("half a line")
    await terminal.seen("› half a line")
    terminal.press(escape)
    await terminal.idle()
    terminal.press("touch a\r")
    await terminal.seen("allow?")
    terminal.press("d")
    await terminal.seen(/of \d+ rows/)
    terminal.press(escape)
    await terminal.seen("allow?")
    terminal.press("r")
    await terminal.seen("why not?")
    terminal.press(escape)
    await terminal.seen("allow?")
    terminal.press(escape)
    await terminal.idle(/◼ interrupted/)
    terminal.press("wait\r")
    await terminal.seen("│ begun")
    terminal.press(escape)
    await terminal.idle(/│ begun[^]*◼ interrupted/)
    terminal.press("are you there?\r")
    await terminal.idle(/Still here\./)
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
    await matches(terminal, "keys-escape", size)
  })

  it.each(sizes)("a paste is one prompt that can be read before it is sent, at %d × %d (U12)", async (...size) => {
    scripted(at(), [{ repeat: true, steps: [{ say: "Read." }] }])
    const terminal = await open([], size)
    await terminal.idle()
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ")
    terminal.press(`read this: ${pasted(words)}`)
    await terminal.seen(/word59[^]*ASK · test/)
    await matches(terminal, "keys-paste-line", size)
    terminal.press("\r")
    await terminal.idle(/Read\.[^]*1 request/)
    terminal.press(pasted(Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\r")))
    await terminal.seen(/\[Pasted 30 lines\][^]*ASK · test/)
    await matches(terminal, "keys-paste-lines", size)
    terminal.press("\r")
    await terminal.idle(/line 29[^]*Read\.[^]*1 request/)
    terminal.press(ctrlD)
    assert.strictEqual(await terminal.ended, 0)
    await matches(terminal, "keys-paste-sent", size)
  })
})
