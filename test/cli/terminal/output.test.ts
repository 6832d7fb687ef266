import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import { Output } from "../../../src/cli/terminal/transcript/Output.ts"
import { painted } from "../../../src/cli/terminal/transcript/sgr.ts"

const escape = "\u001b"
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

describe("Output", () => {
  it("keeps the last lines, of a failure those that name it, and the beginning and the end of the whole (U12)", () => {
    const output = new Output()
    output.push("stdout", `${lines(100).with(30, "not ok 30").join("\n")}\npart`)
    assert.deepStrictEqual(
      output.latest.map(({ text }) => text),
      ["line 96", "line 97", "line 98", "line 99", "part"]
    )
    output.end()
    assert.strictEqual(output.count, 101)
    const shown = output.shown(true).map(({ text }) => text)
    assert.deepStrictEqual([shown.length, shown[0], shown.at(-1)], [21, "not ok 30", "part"])
    for (let at = 0; at < 300; at++) output.push("stdout", `${"x".repeat(1000)}\n`)
    const { dropped, first, rest } = output.whole
    assert.strictEqual(first.length + dropped + rest.length, 401)
    assert.isBelow([...first, ...rest].join("").length, 256 * 1024)
  })

  it("joins pieces of a line, and lets a carriage return begin it anew (U12)", () => {
    const output = new Output()
    assert.deepStrictEqual(output.push("stderr", "10%\r2"), [])
    assert.strictEqual(output.latest[0]?.text, "2")
    assert.deepStrictEqual(output.push("stderr", "0%\r\n"), [{ channel: "stderr", text: "20%", at: 0 }])
  })

  it("lets through no escape but colours that it has written itself, and none of them without colour (U12)", () => {
    const piece = FastCheck.constantFrom(
      "word",
      "世界",
      `${escape}[31m`,
      `${escape}[1;38;5;9m`,
      `${escape}[8m`,
      `${escape}[38;2;1;2;3m`,
      `${escape}[38m`,
      `${escape}[2J`,
      `${escape}]8;;http://x${escape}\\`,
      `${escape}[?25l`,
      "\u009b31m",
      "\u202e",
      ";",
      "m",
      "["
    )
    const line = FastCheck.array(piece, { maxLength: 12 }).map((parts) => parts.join(""))
    const known = new RegExp(
      `${escape}\\[(?:[0-79]|2[1-79]|[34][0-79]|9[0-7]|10[0-7]|[34]8;5;\\d+|[34]8;2(?:;\\d+){3}|;)+m`,
      "g"
    )
    FastCheck.assert(
      FastCheck.property(line, (line) => {
        const shown = painted(line, true)
        assert.notMatch(shown.replaceAll(known, ""), /[\p{Cc}\p{Cf}]/u)
        assert.isTrue(!shown.includes(escape) || shown.endsWith(`${escape}[0m`))
        const bare = painted(line, false)
        assert.notMatch(bare, /[\p{Cc}\p{Cf}]/u)
        assert.strictEqual(columns(bare), columns(shown))
      })
    )
  })
})
