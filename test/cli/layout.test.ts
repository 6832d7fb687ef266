import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import stringWidth from "string-width"
import { brief } from "../../src/cli/Arguments.ts"
import { similar } from "../../src/cli/Guard.ts"
import { columns, fit, Flow, wrap } from "../../src/cli/Layout.ts"
import { LineEditor } from "../../src/cli/LineEditor.ts"
import { OutputLines } from "../../src/cli/OutputLines.ts"
import { coloured } from "../../src/cli/Style.ts"

const text = FastCheck.array(FastCheck.constantFrom("a", "word", "世界", "👩‍👩‍👧", " ", "\n", "é", "  "), {
  maxLength: 60
}).map((parts) => parts.join(""))

describe("layout", () => {
  it("measures what needs no tables as the tables do", () => {
    for (let code = 0; code < 0x3000; code++) {
      for (const text of [String.fromCharCode(code), `e${String.fromCharCode(code)}›`]) {
        assert.strictEqual(columns(text), stringWidth(text), `U+${code.toString(16)}`)
      }
    }
  })

  it.prop(
    "fits any text into any width, colours included",
    [text, FastCheck.integer({ min: 1, max: 40 })],
    ([given, width]) => {
      const line = given.replaceAll("\n", " ")
      assert.isAtMost(columns(fit(line, width)), width)
      const painted = fit(`${coloured.red(line)}${coloured.bold(line)}`, width)
      assert.isAtMost(columns(painted), width)
      assert.strictEqual(painted.split("\u001b[").length % 2, 1)
    }
  )

  it.prop(
    "breaks text the same however it is cut into pieces, and loses no word",
    [text, FastCheck.integer({ min: 10, max: 40 }), FastCheck.array(FastCheck.nat(8), { minLength: 1, maxLength: 20 })],
    ([given, width, cuts]) => {
      const flow = new Flow(() => width)
      const points = [...given]
      let out = ""
      for (let at = 0, turn = 0; at < points.length; turn++) {
        const size = 1 + (cuts[turn % cuts.length] ?? 0)
        out += flow.push(points.slice(at, at + size).join(""))
        at += size
      }
      out += flow.end()
      const whole = new Flow(() => width)
      assert.strictEqual(out, whole.push(given) + whole.end())
      assert.strictEqual(out.replaceAll(/\s+/gu, ""), given.replaceAll(/\s+/gu, ""))
      for (const line of wrap(given, width)) assert.isAtMost(columns(line), width)
    }
  )

  it("says arguments on one line, the telling one first and long texts left out", () => {
    assert.strictEqual(brief('{"content":"a\\nb","path":"x.md"}'), "x.md")
    assert.strictEqual(brief('{"limit":3,"pattern":"TODO","path":"src"}'), "src pattern=TODO limit=3")
    assert.strictEqual(brief("{broken"), "{broken")
  })

  it("suggests the word that was probably meant, and none where none was", () => {
    assert.strictEqual(similar("evnts", ["events", "run"]), "events")
    assert.strictEqual(similar("song", ["events", "run"]), undefined)
  })
})

describe("OutputLines", () => {
  it("shows the first lines at once, of a long rest the last ones, and counts what it leaves out", () => {
    const output = new OutputLines()
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
    const first = output.push("stdout", `${lines.join("\n")}\npart`)
    assert.deepStrictEqual(
      first.map((line) => line.text),
      lines.slice(0, 12)
    )
    const end = output.end()
    assert.deepStrictEqual(
      end.lines.map((line) => line.text),
      [...lines.slice(97), "part"]
    )
    assert.strictEqual(end.omitted, 101 - 12 - 4)
  })

  it("joins pieces of a line, and lets a carriage return begin it anew", () => {
    const output = new OutputLines()
    assert.deepStrictEqual(output.push("stderr", "10%\r2"), [])
    assert.deepStrictEqual(output.push("stderr", "0%\r\n"), [{ channel: "stderr", text: "20%" }])
  })
})

describe("LineEditor", () => {
  const key = (name: string, input = "", ctrl = false) => ({
    input: input === "" ? Option.none() : Option.some(input),
    key: { name, ctrl, meta: false, shift: false }
  })
  const type = (editor: LineEditor, words: string) =>
    [...words].map((letter) => editor.press(key(letter, letter))).at(-1)

  it("edits whole graphemes and recalls what was sent", () => {
    const editor = new LineEditor()
    type(editor, "hi ")
    editor.press(key("", "👩‍👩‍👧"))
    editor.press(key("backspace"))
    editor.press(key("home"))
    type(editor, "o")
    assert.strictEqual(editor.press(key("return")), "ohi ")
    type(editor, "draft")
    editor.press(key("up"))
    assert.strictEqual(editor.text, "ohi ")
    editor.press(key("down"))
    assert.strictEqual(editor.text, "draft")
    editor.press(key("w", "", true))
    assert.strictEqual(editor.text, "")
  })

  it("keeps line breaks that are pasted, and sends none but the typed one", () => {
    const editor = new LineEditor()
    editor.press(key("paste-start"))
    type(editor, "one")
    assert.isUndefined(editor.press(key("return")))
    type(editor, "two")
    editor.press(key("paste-end"))
    assert.strictEqual(editor.view(40).text, "one⏎two")
    assert.strictEqual(editor.press(key("return")), "one\ntwo")
  })

  it("shows a window around the cursor that fits", () => {
    const editor = new LineEditor()
    type(editor, "x".repeat(100))
    const { cursor, text } = editor.view(20)
    assert.isAtMost(cursor, 19)
    assert.isAtMost(columns(text), 20)
  })
})
