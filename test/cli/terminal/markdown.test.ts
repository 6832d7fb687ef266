// @effect-diagnostics asyncFunction:off - compares with files
import { assert, describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import stringWidth from "string-width"
import { coloured, plain, type Style } from "../../../src/cli/terminal/Style.ts"
import { Answer } from "../../../src/cli/terminal/transcript/Answer.ts"

const sgr = new RegExp(`${"\u001b"}\\[[0-9;]*m`, "g")

/** What is printed of a text that comes in pieces, which end at `cuts`. */
const shown = (text: string, width: number, style: Style = plain, cuts: ReadonlyArray<number> = []) => {
  const answer = new Answer({ style, width: () => width + 1 })
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  let out = ""
  for (let index = 1; index < at.length; index++) {
    out += answer.push(text.slice(at[index - 1], at[index]))
    for (const row of answer.live(9)) assert.isAtMost(stringWidth(row), width)
    assert.isAtMost(answer.live(9).length, 9)
  }
  return out + answer.end()
}

const word = FastCheck.constantFrom(
  "one",
  "two",
  "日本語",
  "👩‍👩‍👧",
  "é",
  "x".repeat(130),
  "`code`",
  "**bold**",
  "_it_",
  "~~no~~",
  "[text](http://a.b/c)",
  "http://a.b/d",
  "<b>",
  "&amp;",
  "\u001b[31m",
  "\u202e",
  "a|b",
  "\\*",
  "![alt](p.png)"
)
const words = FastCheck.array(word, { minLength: 1, maxLength: 8 }).map((all) => all.join(" "))
const line = FastCheck.oneof(
  words,
  words,
  FastCheck.constant(""),
  FastCheck.constant(""),
  FastCheck.tuple(
    FastCheck.constantFrom(
      "# ",
      "### ",
      "- ",
      "  - ",
      "    - ",
      "1. ",
      "7) ",
      "   ",
      "\t",
      "> ",
      "> > ",
      "- [x] ",
      "- [ ] ",
      "> - ",
      "* ",
      "    "
    ),
    words
  ).map((all) => all.join("")),
  FastCheck.constantFrom(
    "```",
    "~~~",
    "````",
    "  ```",
    "- ```",
    "---",
    "***",
    "===",
    "|a|b|",
    "|-|:-:|",
    "| one | two |",
    "a | b",
    "--|--",
    "- ",
    "1.",
    "[ref]: http://x.y",
    "<div>",
    "</div>"
  )
)
const text = FastCheck.array(line, { maxLength: 24 }).map((lines) => lines.join("\n"))
const cuts = FastCheck.array(FastCheck.nat(2000), { maxLength: 12 })

const letters = (text: string) => {
  const counts = new Map<string, number>()
  for (const letter of text.match(/[\p{L}\p{Extended_Pictographic}]/gu) ?? [])
    counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return counts
}

const sample = `# Plan

The **total** is off by _one cent_: see \`src/cart.js\` and [the ticket](https://example.org/t/7).
A second line.

1. Read the file
2. Change it:
   - [x] round once
   - [ ] add a test

     with a paragraph
3. Run \`npm test\`

| file | change | why it is needed |
|:-----|:------:|-----:|
| src/cart.js | rounded | sums of floats drift apart after many additions |
| 日本語.md | 👩‍👩‍👧 | wide |

\`\`\`js
// the fix
const total = (items) => Math.round(sum(items) * 100) / 100
\`\`\`

> Quoted **words**
> > and quoted again

---
Done.
`

describe("Markdown of an answer", () => {
  it("prints the same however it is cut, all of it, in rows that fit (U12)", () => {
    FastCheck.assert(
      FastCheck.property(text, cuts, FastCheck.constantFrom(40, 80, 120), (text, cuts, given) => {
        const width = Math.min(given, 100)
        const whole = shown(text, width)
        assert.strictEqual(shown(text, width, plain, cuts), whole)
        assert.match(whole, /^(?:[^]*\n)?$/)
        for (const row of whole.split("\n")) assert.isAtMost(stringWidth(row), width, row)
        const bare = shown(text, width, coloured, cuts).replaceAll(sgr, "")
        assert.notMatch(bare.replaceAll("\n", ""), /[\p{Cc}\u202e]/u)
        const [seen, seenBare] = [letters(whole), letters(bare)]
        const source = text.replaceAll("&amp;", "&").replaceAll("\u001b", "").replaceAll("\u202e", "")
        for (const [letter, count] of letters(source)) {
          assert.isAtLeast(seen.get(letter) ?? 0, count, `${letter} of ${text}`)
          assert.isAtLeast(seenBare.get(letter) ?? 0, count, `${letter} of ${text}`)
        }
      }),
      { numRuns: 300 }
    )
  })

  it.each([40, 80, 120])("looks as it is kept, at %d columns (U12)", async (width) => {
    const file = (name: string) => `../../fixtures/screens/markdown-${name}-${width}.txt`
    const kept = [expect(shown(sample, width)).toMatchFileSnapshot(file("plain"))]
    const marked = shown(sample, width, coloured).replaceAll("\u001b", "␛")
    if (width === 80) kept.push(expect(marked).toMatchFileSnapshot(file("coloured")))
    await Promise.all(kept)
  })

  it("prints what is complete at once, and a table as a whole (U12)", () => {
    const answer = new Answer({ style: plain, width: () => 81 })
    assert.strictEqual(answer.push("First.\n\nSecond"), "First.\n")
    assert.deepStrictEqual(answer.live(9), ["", "Second"])
    assert.strictEqual(answer.push(".\n\n|a|b|\n|-|-|\n|1|2|"), "\nSecond.\n")
    assert.deepStrictEqual(answer.live(9), ["", "a │ b", "──┼──", "1 │ 2"])
    assert.strictEqual(answer.end(), "\na │ b\n──┼──\n1 │ 2\n")
  })

  it("shows the end of a long list that is being written as what it will be (U12)", () => {
    const answer = new Answer({ style: plain, width: () => 81 })
    const items = Array.from({ length: 100 }, (_, at) => `- **item** \`${at}\` of _many_`)
    assert.strictEqual(answer.push(items.join("\n")), "")
    assert.deepStrictEqual(
      answer.live(3),
      [97, 98, 99].map((at) => `- item \`${at}\` of many`)
    )
    assert.strictEqual(answer.push("\n  - **below**\n    ```\n    **x**"), "")
    assert.deepStrictEqual(answer.live(2), ["    ```", "    **x**"])
  })

  it("colours code, but none for which a grammar would need seconds, with long lines or many blank ones (U12)", () => {
    const code = (value: string) => `\`\`\`ini\nkey = "${value}"\n\`\`\`\n`
    assert.match(shown(code("short"), 80, coloured), sgr)
    assert.match(shown(code("\n  y".repeat(2_000)), 80, coloured), sgr)
    for (const value of ["y".repeat(12_000), "\n".repeat(12_000), " \t\n\n".repeat(3_000)]) {
      assert.notMatch(shown(code(value), 80, coloured), sgr)
    }
  })

  it("takes a time in proportion to the text, whatever its signs are (U12)", () => {
    const size = 100 * 1024
    for (const piece of [
      "`",
      "[",
      "|",
      ">",
      "> ",
      "*",
      "_a_",
      "- ",
      "1. ",
      "![a](",
      "~a~~",
      "\\",
      "- a\n",
      "|a|b|\n|-|-|\n",
      "> a\n\n",
      "`[|>\n"
    ]) {
      const out = shown(piece.repeat(Math.ceil(size / piece.length)), 80)
      assert.isAbove(out.length, 1000, piece)
    }
  })
})
