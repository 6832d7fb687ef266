import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { applyPatch } from "diff"
import { editText } from "../../../src/tools/files/EditText.ts"
import { decodeText, encodeText } from "../../../src/tools/files/FileText.ts"
import { unifiedDiff } from "../../../src/tools/files/UnifiedDiff.ts"

const message = (...args: Parameters<typeof editText>): string =>
  Either.match(editText(...args), { onLeft: (error) => error.message, onRight: () => "" })

const side = (word: string): string => Array.from({ length: 3000 }, (_, index) => `${word}${index}`).join("\n")

describe("FileText", () => {
  it("knows an encoding by its mark and keeps it (S2)", () => {
    for (const [hex, text, encoding] of [
      ["c3a97e", "é~", "utf-8"],
      ["efbbbfc3a9", "é", "utf-8-bom"],
      ["fffee900", "é", "utf-16le"],
      ["feff00e9", "é", "utf-16be"],
      ["", "", "utf-8"]
    ] as const) {
      const bytes = new Uint8Array(Buffer.from(hex, "hex"))
      const decoded = Either.getOrThrow(decodeText(bytes))
      assert.deepStrictEqual(decoded, { text, encoding })
      assert.deepStrictEqual(encodeText(decoded), bytes)
    }
  })

  it("shows no binary and edits no other encoding (S2)", () => {
    for (const [hex, problem] of [
      ["0001fffe", "binary"],
      ["610062", "binary"],
      ["fffe00000000", "binary"],
      ["636166e9", "encoding"],
      ["eda080", "encoding"],
      ["fffe00d8", "encoding"],
      ["fffe61", "encoding"]
    ] as const) {
      const decoded = decodeText(new Uint8Array(Buffer.from(hex, "hex")))
      assert.strictEqual(Either.isLeft(decoded) ? decoded.left.problem : "none", problem, hex)
    }
  })

  it.prop(
    "gives back the bytes it read, or says that it cannot (S2)",
    [fc.uint8Array({ maxLength: 24 })],
    ([bytes]) => {
      const decoded = decodeText(bytes)
      if (Either.isRight(decoded)) assert.deepStrictEqual(encodeText(decoded.right), new Uint8Array(bytes))
    }
  )
})

describe("editText", () => {
  const content = "one\ntwo\n  three\ntwo\n"

  it("replaces exactly what it was told to (S1)", () => {
    assert.deepStrictEqual(
      editText(content, "  three\n", "$& $1\n"),
      Either.right({ text: "one\ntwo\n$& $1\ntwo\n", lines: [3] })
    )
    assert.deepStrictEqual(
      editText(content, "two", "2", 2),
      Either.right({ text: "one\n2\n  three\n2\n", lines: [2, 4] })
    )
    assert.deepStrictEqual(
      editText("a\r\nb\r\nc\r\n", "a\nb", "x\ny"),
      Either.right({ text: "x\r\ny\r\nc\r\n", lines: [1] })
    )
  })

  it("says how a replacement that does not fit could be made to (S1)", () => {
    assert.include(message(content, "two", "2"), "occurs 2 times (lines 2, 4), not 1")
    assert.include(message(content, "\tthree", "3"), 'The nearest is line 3: "  three"')
    assert.include(message(content, "threee", "3"), 'The nearest is line 3: "  three"')
    assert.include(message(content, "something else", "3"), "does not occur in the file; read")
    assert.include(message(content, "", "x"), "is empty")
    assert.include(message(content, "two", "two"), "nothing would change")
  })
})

const line = fc.constantFrom("a", "b", "c", "", "d e")
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
  .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""))

describe("unifiedDiff", () => {
  it("names what is created and what is deleted (T6)", () => {
    assert.strictEqual(unifiedDiff("x\n", "x\n", "f"), "")
    assert.strictEqual(unifiedDiff(undefined, "x\n", "f"), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n")
    assert.strictEqual(unifiedDiff("x\n", undefined, "f"), "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n")
  })

  it.prop("shows a change that can be applied (T6)", [text, text], ([before, after]) => {
    if (before !== after) assert.strictEqual(applyPatch(before, unifiedDiff(before, after, "f")), after)
  })

  it("shows the whole of a change that is too large to compare (T6)", () => {
    assert.strictEqual(applyPatch(side("old"), unifiedDiff(side("old"), side("new"), "f")), side("new"))
  })
})
