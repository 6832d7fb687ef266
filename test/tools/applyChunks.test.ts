import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { applyChunks } from "../../src/tools/files/ApplyChunks.ts"

describe("a patch", () => {
  it("changes a line far down in a file of any number of lines, and no other (T11)", () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index}`)
    const chunk = {
      atEnd: false,
      lines: [
        { sign: "-", text: "line 199000" },
        { sign: "+", text: "changed" }
      ]
    } as const
    const after = applyChunks(`${lines.join("\n")}\n`, [chunk])
    assert.deepStrictEqual(after, Either.right(`${lines.with(199_000, "changed").join("\n")}\n`))
  })
})
