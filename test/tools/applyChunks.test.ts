import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { applyChunks } from "../../src/tools/files/ApplyChunks.ts"
import { applyPatch } from "../../src/tools/files/ApplyPatch.ts"
import { Comparisons } from "../../src/tools/files/Comparisons.ts"
import { parsePatch } from "../../src/tools/files/Patch.ts"

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
    const after = applyChunks(`${lines.join("\n")}\n`, [chunk], new Comparisons())
    assert.deepStrictEqual(after, Either.right(`${lines.with(199_000, "changed").join("\n")}\n`))
  })

  it("is given up where the lines that it wants repeat without end, in either form (T11)", () => {
    const file = "}\n".repeat(20_000)
    const lines = `${" }\n".repeat(10_000)}-no such line\n+another\n`
    const patches = [
      `*** Begin Patch\n*** Update File: f\n@@\n${lines}*** End Patch`,
      `--- a/f\n+++ b/f\n@@ -1,10001 +1,10001 @@\n${lines}`
    ]
    for (const patch of patches) {
      const applied = Either.flatMap(parsePatch(patch), (steps) => applyPatch(steps, new Map([["f", file]])))
      assert.include(Either.merge(applied).toString(), "its lines repeat too often in the file")
    }
  })
})
