import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import stringWidth from "string-width"
import { brief } from "../../../src/ui/Arguments.ts"
import { similar } from "../../../src/cli/Guard.ts"
import { columns, fit, Flow, wrap } from "../../../src/cli/terminal/Layout.ts"
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
    assert.strictEqual(similar("modle", ["mode", "model", "mcp"]), "model")
    assert.strictEqual(similar("mo", ["model", "mode"]), "mode")
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
