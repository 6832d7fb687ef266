import * as Option from "effect/Option"
import { StringDecoder } from "node:string_decoder"
import { TextEditor } from "../../src/cli/terminal/editor/TextEditor.ts"
import { Pastes } from "../../src/cli/terminal/Paste.ts"

const lines = 10_000
/** As much as a terminal is read at once. */
const chunkSize = 64 * 1024

const content = "const answer = compute(left, right) // as it came from a file\r".repeat(lines)
const bytes = Buffer.from(`\u001b[200~${content}\u001b[201~`)

const chunks = (): ReadonlyArray<string> => {
  const decoder = new StringDecoder("utf8")
  return Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, at) =>
    decoder.write(bytes.subarray(at * chunkSize, (at + 1) * chunkSize))
  )
}

/** Milliseconds of the processor, the least of a few. */
const cost = (use: () => void): number => {
  let best = Infinity
  for (let round = 0; round < 5; round++) {
    const from = process.cpuUsage()
    use()
    const { system, user } = process.cpuUsage(from)
    best = Math.min(best, (system + user) / 1000)
  }
  return best
}

/** What 10,000 lines cost from the bytes of the terminal to the line that is shown, and a key after them. */
export const pasted = (): number =>
  cost(() => {
    const pastes = new Pastes()
    const editor = new TextEditor()
    const press = (name: string, input: string) => {
      editor.press({ input: Option.some(input), key: { name, ctrl: false, meta: false, shift: false } })
      editor.view(80, 10)
    }
    for (const chunk of chunks()) for (const { text } of pastes.push(chunk)) press("paste", text)
    press("x", "x")
    if (editor.text.length !== content.length + 1) throw new Error("The paste is not whole.")
  })

export const read = (): number => cost(() => void chunks())
