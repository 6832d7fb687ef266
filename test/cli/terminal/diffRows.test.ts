import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { diffRows } from "../../../src/cli/terminal/diffRows.ts"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import { coloured, plain } from "../../../src/cli/terminal/Style.ts"
import { exact } from "../../../src/approval/rendering/Exact.ts"
import { makeVisible, visibleLine } from "../../../src/text/visible.ts"
import { diffName, unifiedDiff } from "../../../src/tools/files/UnifiedDiff.ts"

const sgr = new RegExp(`${"\u001b"}\\[[0-9;]*m`, "g")
const line = FastCheck.array(
  FastCheck.constantFrom(
    "let x = 1",
    "- old",
    "-- a/x",
    "++ b/x",
    "@@ -1,2 +1,2 @@",
    "日本語",
    "👨‍👩‍👧",
    "x".repeat(90),
    "\u001b[2J",
    "\t",
    " ",
    ";"
  ),
  { maxLength: 4 }
).map((parts) => parts.join(""))
const file = FastCheck.array(line, { maxLength: 12 })
const shown = (text: string) =>
  text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => (/^[ +-]/.test(line) ? line.slice(0, 1) + exact(line.slice(1)) : exact(line)))

describe("diffRows", () => {
  it("shows each line of a hunk to its last character, with its number, in rows that fit (A9, U12)", () => {
    FastCheck.assert(
      FastCheck.property(file, file, FastCheck.constantFrom(40, 80, 120), (before, after, width) => {
        const [old, now] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join("")) as [string, string]
        FastCheck.pre(old !== now)
        const lines = shown(unifiedDiff(old, now, "a.txt"))
        for (const style of [plain, coloured]) {
          const rows = diffRows(lines, { style, width }).map(({ line, text }) => ({
            line,
            text: text.replaceAll(sgr, "")
          }))
          for (const { text } of rows) assert.isAtMost(columns(text), width)
          const read = new Map<number, { number: number; text: string }>()
          for (const { line, text } of rows) {
            const [, number = "", mark, rest = ""] = /^ *(\d*) ([│↳⋮])(.*)$/.exec(text) ?? []
            if (mark === "│" && number !== "") read.set(line, { number: Number(number), text: rest })
            else if (mark === "↳") {
              const begun = read.get(line)
              if (begun !== undefined) read.set(line, { ...begun, text: begun.text + rest.slice(1) })
            }
          }
          for (const [index, { number, text }] of read) {
            assert.strictEqual(text, lines[index]!)
            const source = text.startsWith("-") ? before : after
            assert.strictEqual(text.slice(1), exact(source[number - 1] ?? "none"))
          }
          const changes = lines.slice(2).filter((line) => /^[-+ ]/.test(line)).length
          assert.strictEqual(read.size, changes)
        }
      })
    )
  })

  it("names files, marks changed words, and separates hunks (U12)", () => {
    const before = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    const after = before.with(3, "line three").with(25, "line twenty-five")
    const rows = diffRows(shown(unifiedDiff(before.join("\n"), after.join("\n"), "a.txt")), {
      style: coloured,
      width: 40
    })
    const text = rows.map((row) => row.text)
    assert.include(text[0], "\u001b[1m a.txt\u001b[22m")
    assert.include(text.join("\n"), "\u001b[31m-line \u001b[7m3\u001b[27m\u001b[39m")
    assert.include(text.join("\n"), "\u001b[32m+line \u001b[7mthree\u001b[27m\u001b[39m")
    assert.strictEqual(text.filter((row) => row.includes("⋮")).length, 1)
    assert.strictEqual(diffRows(["--- a/old", "+++ b/new"], { style: plain, width: 40 })[0]?.text, "  │ old → new")
  })

  it("names a file as it is called, on one line, however its name is quoted (A9, U12)", () => {
    const part = FastCheck.oneof(
      FastCheck.string({ unit: "binary", maxLength: 8 }),
      FastCheck.constantFrom(
        "日本語",
        "é",
        '"',
        "\\",
        "\\346",
        "\t",
        "\n",
        "\n+++ b/other",
        "\r",
        "\u0000",
        "\ufeff",
        "\u202e",
        "a/"
      )
    )
    const name = FastCheck.array(part, { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join("").replaceAll(/\p{Cs}/gu, ""))
      .filter((name) => name !== "")
    const heading = (lines: ReadonlyArray<string>) => {
      const [first] = diffRows(
        lines.flatMap((line) => makeVisible(line).split("\n")),
        { style: plain, width: 1000 }
      )
      return first?.text.replace(/^ *│ /, "")
    }
    FastCheck.assert(
      FastCheck.property(name, (name) => {
        const shown = visibleLine(name)
        assert.strictEqual(heading(unifiedDiff("a\n", "b\n", name).split("\n")), shown)
        assert.strictEqual(heading(unifiedDiff(undefined, "b\n", name).split("\n")), `${shown} (new)`)
        if (diffName(name) !== name)
          assert.strictEqual(heading([`--- ${diffName(`a/${name}`)}`, `+++ ${diffName(`b/${name}`)}`]), shown)
      })
    )
    assert.strictEqual(heading(['--- "a/\\346\\227\\245.txt"', '+++ "b/\\377.txt"']), "日.txt → \ufffd.txt")
  })

  it("takes a time in proportion to the diff (U12)", () => {
    const lines = Array.from({ length: 2000 }, (_, index) => [
      `-${"a b ".repeat(90)}${index}`,
      `+${"b a ".repeat(90)}${index}`
    ]).flat()
    const diff = [
      `@@ -1,2000 +1,2000 @@`,
      ...lines.filter((line) => line[0] === "-"),
      ...lines.filter((line) => line[0] === "+")
    ]
    assert.isAbove(diffRows(diff, { style: coloured, width: 80 }).length, 4000)
  })
})
