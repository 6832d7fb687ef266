import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import { Palette } from "../../../src/cli/terminal/Palette.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"

describe("suggestions", () => {
  it.prop(
    "fit their room, show the selected one and tell how many more there are above and below (U12)",
    {
      count: FastCheck.integer({ min: 1, max: 40 }),
      moves: FastCheck.array(FastCheck.constantFrom<1 | -1>(1, -1), { maxLength: 40 }),
      most: FastCheck.integer({ min: 1, max: 12 }),
      width: FastCheck.integer({ min: 12, max: 100 })
    },
    ({ count, most, moves, width }) => {
      const items = Array.from({ length: count }, (_, at) => ({ word: `w${at}`, summary: "what it does ".repeat(9) }))
      const palette = new Palette({ from: 0, to: 0, items, enter: "takes" })
      for (const by of moves) palette.move(by)
      const rows = palette.rows(width, plain, most)
      assert.isAtMost(rows.length, most)
      for (const row of rows) assert.isBelow(columns(row), width)
      const shown = rows.filter((row) => /^[❯ ] w/.test(row))
      assert.deepStrictEqual(
        rows.filter((row) => row.startsWith("❯")).map((row) => row.split(/ +/)[1]?.replace("…", "")),
        [palette.taken.word]
      )
      const [, above = "0"] = /(\d+) more above/.exec(rows.at(-1) ?? "") ?? []
      const [, below = "0"] = /(\d+) more below/.exec(rows.at(-1) ?? "") ?? []
      if (most > 1 && width > 40) assert.strictEqual(shown.length + Number(above) + Number(below), count)
    }
  )
})
