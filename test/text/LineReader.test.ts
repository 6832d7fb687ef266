import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { type Line, LineReader } from "../../src/text/LineReader.ts"

const max = 10

describe("lines of a text that comes in pieces", () => {
  it("are the same however it is cut, each that is too long given once, with what follows it (X1, X2, X3)", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.stringMatching(/^[a-z]{0,14}$/)),
        FastCheck.stringMatching(/^[a-z]{0,14}$/),
        FastCheck.integer({ min: 1, max: 7 }),
        (lines, rest, size) => {
          const text = `${lines.map((line) => `${line}\n`).join("")}${rest}`
          const reader = new LineReader(max)
          const found: Array<Line> = []
          for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)))
          found.push(...reader.end())
          const expected = [...lines, ...(rest === "" ? [] : [rest])]
          assert.deepStrictEqual(
            found.map(({ isCut, text }) => (isCut ? "too long" : text)),
            expected.map((line) => (line.length > max ? "too long" : line))
          )
        }
      )
    )
  })

  it("are told to be too long before they end, with their beginning (X1, X3)", () => {
    const reader = new LineReader(max)
    assert.deepStrictEqual(reader.push("x".repeat(max)), [])
    assert.deepStrictEqual(reader.push("y"), [{ text: `${"x".repeat(max)}y`, isCut: true }])
    assert.deepStrictEqual(reader.push("z".repeat(100)), [])
    assert.deepStrictEqual(reader.push("\nb\n"), [{ text: "b", isCut: false }])
  })
})
