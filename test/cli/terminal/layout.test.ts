import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import stringWidth from "string-width"
import { brief } from "../../../src/cli/Arguments.ts"
import { similar } from "../../../src/cli/Guard.ts"
import { columns, fit, Flow, wrap } from "../../../src/cli/terminal/Layout.ts"
import { LineEditor } from "../../../src/cli/terminal/LineEditor.ts"
import { Pastes } from "../../../src/cli/terminal/Paste.ts"
import { coloured } from "../../../src/cli/terminal/Style.ts"

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

describe("code in an answer", () => {
  it("is broken in no row between its fences, however it comes in pieces (U3)", () => {
    const code = "const total = [1, 2, 3].reduce((sum, one) => sum + one, 0)"
    const text = `so say it in code here:\n\`\`\`ts\n${code}\n\`\`\`\nand then go on`
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.integer({ min: 0, max: text.length })), (cuts) => {
        const flow = new Flow(() => 12, true)
        const at = [0, ...cuts, text.length].toSorted((a, b) => a - b)
        const written = at.map((to, index) => flow.push(text.slice(at[index - 1] ?? 0, to))).join("") + flow.end()
        assert.include(written.split("\n"), code)
        assert.isTrue(written.endsWith("\nand then go\non"))
      })
    )
  })
})

describe("LineEditor", () => {
  it("breaks the line on alt-enter and ctrl-j, and brings a discarded draft back on up (U8)", () => {
    const editor = new LineEditor()
    const press = (name: string, input = "", meta = false) =>
      editor.press({ input: Option.some(input), key: { name, ctrl: false, meta, shift: false } })
    press("a", "a")
    assert.isUndefined(press("return", "\r", true))
    press("b", "b")
    press("enter", "\n")
    editor.discard()
    assert.strictEqual(editor.text, "")
    press("up")
    assert.strictEqual(press("return", "\r"), "a\nb\n")
  })

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

  it("takes a paste as one insertion, and sends none of its line breaks", () => {
    const editor = new LineEditor()
    editor.press(key("paste", "one\r\ntwo\u001b[31m"))
    assert.strictEqual(editor.view(40).text, "one⏎two[31m")
    assert.strictEqual(editor.press(key("return")), "one\ntwo[31m")
  })

  it("shows a window around the cursor that fits", () => {
    const editor = new LineEditor()
    type(editor, "x".repeat(100))
    const { cursor, text } = editor.view(20)
    assert.isAtMost(cursor, 19)
    assert.isAtMost(columns(text), 20)
  })

  it("does to a line what it does to the list of its graphemes", () => {
    const segments = (text: string) => Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
    const letter = FastCheck.constantFrom("a", "é", "👩‍👩‍👧", "字", " ", "\n", "\u0301")
    const press = FastCheck.oneof(
      FastCheck.record({
        name: FastCheck.constant("paste"),
        input: FastCheck.string({ unit: letter, maxLength: 400 })
      }),
      FastCheck.record({
        name: FastCheck.constantFrom("left", "right", "home", "end", "backspace", "delete"),
        input: FastCheck.constant("")
      })
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(press, { maxLength: 20 }), (presses) => {
        const editor = new LineEditor()
        let left = ""
        let right = ""
        for (const { input, name } of presses) {
          editor.press(key(name, input))
          const before = segments(left)
          const [next = "", ...after] = segments(right)
          if (name === "paste") left += input
          else if (name === "backspace") left = before.slice(0, -1).join("")
          else if (name === "delete") right = after.join("")
          else if (name === "home" || name === "end") {
            const all = left + right
            left = name === "end" ? all : ""
            right = name === "end" ? "" : all
          } else if (name === "left") {
            right = (before.at(-1) ?? "") + right
            left = before.slice(0, -1).join("")
          } else {
            left += next
            right = after.join("")
          }
          // What now stands side by side may be one grapheme, and the cursor is behind it.
          const whole = left + right
          let at = 0
          for (const segment of segments(whole)) if (at < left.length) at += segment.length
          left = whole.slice(0, at)
          right = whole.slice(at)
          assert.strictEqual(editor.text, left + right)
          const { cursor, text } = editor.view(20)
          assert.isAtMost(cursor, 20)
          assert.notMatch(text, /[\r\n]/)
          const seen = editor.rows(20, 5)
          assert.isAtMost(seen.rows.length, 5)
          for (const row of seen.rows) assert.isTrue(columns(row) <= 20 && !/[\r\n]/.test(row))
          assert.isTrue(seen.column <= 20 && seen.row < seen.rows.length)
          // What stands in front of the cursor is what is there.
          const shown = (seen.rows.slice(0, seen.row).join("") + (seen.rows[seen.row] ?? "")).replaceAll("⏎", "\n")
          assert.include(left + right, shown)
          assert.isTrue(left.startsWith((left + right).slice(0, seen.before)))
        }
      }),
      // An accent that begins the line joins what is typed in front of it.
      {
        numRuns: 100,
        examples: [
          ["\u0301\n", "home", "a"].map((input) =>
            input === "home" ? { name: input, input: "" } : { name: "paste", input }
          )
        ].map((presses) => [presses])
      }
    )
  })
})

describe("Pastes", () => {
  const begin = "\u001b[200~"
  const end = "\u001b[201~"
  const all = (chunks: ReadonlyArray<string>) => {
    const pastes = new Pastes()
    const pieces = chunks.flatMap((chunk) => pastes.push(chunk))
    const of = (tag: string) => pieces.flatMap(({ _tag, text }) => (_tag === tag ? [text] : []))
    return { keys: of("Keys").join(""), pasted: of("Pasted") }
  }

  it("finds a paste however the terminal cuts it, and lets no line break of it become a key (U12)", () => {
    const content = FastCheck.string({
      unit: FastCheck.constantFrom("a", "\r", "\u001b", "[", "2", "~"),
      maxLength: 40
    })
    FastCheck.assert(
      FastCheck.property(content, FastCheck.array(FastCheck.nat(80), { maxLength: 3 }), (text, cuts) => {
        const whole = `ab${begin}${text}${end}cd`
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
        // Nothing after an Escape waits for a mark in more than two pieces.
        FastCheck.pre(!at.some((cut, index) => index > 0 && cut - (at[index - 1] ?? 0) < begin.length))
        const found = all(at.slice(1).map((cut, index) => whole.slice(at[index], cut)))
        assert.deepStrictEqual(found.pasted, [text])
        assert.strictEqual(found.keys.replace(begin, ""), "abcd")
      })
    )
  })

  it("drops a paste without an end on ctrl-c, cuts one that is too long, and holds no key back", () => {
    assert.deepStrictEqual(all([`${begin}rm -rf`, "\u0003", "\rmore", `${end}x`]), { keys: "\u0003x", pasted: [] })
    assert.deepStrictEqual(all([`${begin}rm -rf`, "\u0003", "\u0003", "x"]), { keys: "\u0003\u0003x", pasted: [] })
    assert.deepStrictEqual(all(["\u001b"]), { keys: "\u001b", pasted: [] })
    const [cut = ""] = all([
      begin,
      ..."x"
        .repeat(6)
        .split("")
        .map((x) => x.repeat(1024 * 1024)),
      end
    ]).pasted
    assert.match(cut.slice(-100), /x\n\[the paste was cut here: it had more than 4,194,304 characters\]$/)
  })
})
