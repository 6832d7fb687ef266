import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import { TextEditor } from "../../../../src/cli/terminal/editor/TextEditor.ts"
import { columns } from "../../../../src/cli/terminal/Layout.ts"

interface Pressed {
  readonly name: string
  readonly input?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
}

const key = ({ ctrl = false, input = "", meta = false, name }: Pressed) => ({
  input: input === "" ? Option.none() : Option.some(input),
  key: { name, ctrl, meta, shift: false }
})
const ctrl = (name: string): Pressed => ({ name, ctrl: true })
const alt = (name: string): Pressed => ({ name, meta: true })
const pasted = (input: string): Pressed => ({ name: "paste", input })

const edited = (...presses: ReadonlyArray<Pressed | string>) => {
  const editor = new TextEditor()
  for (const one of presses) {
    if (typeof one === "string") for (const letter of one) editor.press(key({ name: letter, input: letter }))
    else editor.press(key(one))
  }
  return editor
}

const segments = (text: string) => Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

describe("what is typed", () => {
  it("breaks the line on alt-enter, ctrl-j and a backslash before enter, and brings a discarded draft back on up (U8)", () => {
    const editor = edited("a", alt("return"), "b", { name: "enter" }, "c\\", { name: "return" }, "d")
    assert.strictEqual(editor.text, "a\nb\nc\nd")
    assert.deepStrictEqual(editor.view(40, 10).rows, ["a", "b", "c", "d"])
    editor.discard()
    assert.isTrue(editor.isEmpty)
    editor.press(key({ name: "up" }))
    assert.strictEqual(editor.press(key({ name: "return" }))?.text, "a\nb\nc\nd")
  })

  it("moves within its rows before it recalls what was sent, and keeps the column (U12)", () => {
    const editor = edited("sent", { name: "return" }, "first", alt("return"), "x", alt("return"), "third")
    editor.press(key({ name: "up" }))
    assert.strictEqual(editor.state.at, "first\nx".length)
    editor.press(key({ name: "up" }))
    assert.strictEqual(editor.state.at, "first".length)
    editor.press(key({ name: "up" }))
    assert.strictEqual(editor.text, "sent")
    editor.press(key({ name: "down" }))
    assert.strictEqual(editor.text, "first\nx\nthird")
  })

  it("cuts words and lines into a ring that gives them back (U12)", () => {
    const editor = edited("one two three", ctrl("w"), ctrl("w"))
    assert.strictEqual(editor.text, "one ")
    editor.press(key(ctrl("y")))
    assert.strictEqual(editor.text, "one two three")
    for (const one of [ctrl("a"), ctrl("k"), ctrl("y"), alt("y")]) editor.press(key(one))
    assert.strictEqual(editor.text, "two three")
    assert.strictEqual(edited("a.b c", alt("b"), alt("b"), alt("d")).text, "a. c")
    assert.strictEqual(edited("one two", alt("backspace"), ctrl("u")).text, "")
  })

  it("takes back what was done, typing word by word (U12)", () => {
    const editor = edited("one two", ctrl("_"))
    assert.strictEqual(editor.text, "one")
    editor.press(key(ctrl("_")))
    assert.strictEqual(editor.text, "")
    assert.strictEqual(edited("one", ctrl("u"), ctrl("_")).text, "one")
  })

  it("folds a paste of more than ten lines, deletes it as one and sends it whole (U12)", () => {
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n")
    const editor = edited("look: ", pasted(lines.replaceAll("\n", "\r")), " done")
    assert.deepStrictEqual(editor.view(60, 10).rows, ["look: [Pasted 200 lines] done"])
    assert.strictEqual(editor.text, `look: ${lines} done`)
    for (const one of [ctrl("w"), { name: "backspace" }, { name: "backspace" }]) editor.press(key(one))
    assert.strictEqual(editor.text, "look: ")
    editor.press(key(ctrl("_")))
    assert.strictEqual(editor.press(key({ name: "return" }))?.text, `look: ${lines}`)
    editor.press(key({ name: "up" }))
    assert.strictEqual(editor.text, `look: ${lines}`)
    assert.strictEqual(edited(pasted("row\r\n".repeat(12))).view(60, 10).rows[0], "[Pasted 12 lines]")
    assert.strictEqual(edited(pasted("x".repeat(20_000))).view(60, 10).rows[0], "[Pasted 20,000 characters]")
    const short = edited(pasted("one\r\ntwo\u001b[31m"))
    assert.deepStrictEqual(short.view(40, 10).rows, ["one", "two[31m"])
  })

  it("does to a text what is done to the list of its graphemes, shows it in rows that fit, and undoes it (U12)", () => {
    const letter = FastCheck.constantFrom("a", "é", "👩‍👩‍👧", "字", " ", "\n", "\u0301", "_", "-", "\t")
    const press = FastCheck.oneof(
      FastCheck.string({ unit: letter, maxLength: 60 }).map(pasted),
      FastCheck.constant(pasted("row\n".repeat(12))),
      letter.filter((one) => one !== "\n" && one !== "\t").map((input): Pressed => ({ name: input, input })),
      FastCheck.constantFrom<Pressed>(
        ...["left", "right", "home", "end", "backspace", "delete", "up", "down", "enter"].map((name) => ({ name })),
        ...["a", "e", "u", "k", "w", "y", "b", "f", "left", "right"].map(ctrl),
        ...["b", "f", "d", "y", "backspace", "return"].map(alt)
      )
    )
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(press, { maxLength: 25 }),
        FastCheck.integer({ min: 12, max: 60 }),
        (presses, width) => {
          const editor = new TextEditor()
          for (const one of presses) {
            const [text, at] = [editor.typed, editor.state.at]
            const before = segments(text.slice(0, at))
            const after = segments(text.slice(at))
            editor.press(key(one))
            const { name } = one
            const gone = editor.typed.length < text.length
            if (one.ctrl !== true && one.meta !== true) {
              if (name === "backspace") assert.strictEqual(editor.typed, before.slice(0, -1).join("") + after.join(""))
              if (name === "delete") assert.strictEqual(editor.typed, before.join("") + after.slice(1).join(""))
              if (one.input !== undefined || name === "enter") {
                const added = editor.typed.length - text.length
                assert.strictEqual(editor.typed.slice(0, at) + editor.typed.slice(at + added), text)
              }
            }
            // What changes nothing moves the cursor alone.
            if (/^(?:left|right|home|end|up|down)$/.test(name)) assert.strictEqual(editor.typed, text)
            if (gone) assert.isTrue(/backspace|delete|^[ukwdy]$/.test(name), name)

            let boundary = 0
            for (const segment of segments(editor.typed)) if (boundary < editor.state.at) boundary += segment.length
            assert.strictEqual(editor.state.at, boundary)
            const seen = editor.view(width, 5)
            assert.isAtMost(seen.rows.length, 5)
            for (const row of seen.rows) assert.isTrue(columns(row) <= width && !/[\r\n]/.test(row), row)
            assert.isTrue(seen.column <= width && seen.row >= 0 && seen.row < seen.rows.length)
            assert.notMatch(editor.text, /[\ud800-\udbff](?![\udc00-\udfff])/)
            // Typed letters are undone together.
            const joins = one.input !== undefined && name !== "paste"
            if (editor.typed === text || joins) continue
            const [changed, place] = [editor.typed, editor.state.at]
            editor.press(key(ctrl("_")))
            assert.deepStrictEqual([editor.typed, editor.state.at], [text, at])
            editor.replace(0, text.length, changed)
            while (editor.state.at > place) editor.press(key({ name: "left" }))
          }
        }
      ),
      { numRuns: 150 }
    )
  })
})
