import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { lineOf } from "../../../src/cli/prompt/Line.ts"

describe("a typed line", () => {
  it.prop(
    "is a prompt unless it begins with a slash, a bang or the sign of a note, and loses nothing else (U7)",
    { text: FastCheck.string({ unit: FastCheck.constantFrom("/", "#", "!", " ", "a", "\n"), maxLength: 8 }) },
    ({ text }) => {
      const line = lineOf(text)
      assert.isTrue(text.trim().endsWith(line.text))
      const begins = { Prompt: "", Command: "/", Shell: "!", Note: "#" }[line._tag]
      assert.isTrue(text.trim().startsWith(begins))
      if (line._tag === "Note") assert.notInclude(line.text, "\n")
      if (line._tag === "Command") assert.isFalse(line.text.startsWith("//"))
      if (/^[^/!#]/.test(text.trim())) assert.deepStrictEqual(line, { _tag: "Prompt", text: text.trim() })
    }
  )

  it.each([
    ["//etc is a path", "Prompt", "/etc is a path"],
    ["# a note", "Note", "a note"],
    ["# Title\nand more", "Prompt", "# Title\nand more"],
    ["## Title", "Prompt", "## Title"],
    ["/home/ada/shot.png", "Prompt", "/home/ada/shot.png"],
    ["/why write_file {}", "Command", "/why write_file {}"],
    ["!ls\n-l", "Shell", "ls\n-l"],
    ["!", "Shell", ""],
    ["#", "Note", ""],
    ["##", "Prompt", "##"]
  ] as const)("%j is a %s (U7, U12)", (typed, _tag, text) => {
    assert.deepStrictEqual(lineOf(typed), { _tag, text })
  })
})
