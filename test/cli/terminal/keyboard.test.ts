import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import { isKittyKey, kittyKey, splitKittyKeys } from "../../../src/cli/terminal/KittyKeys.ts"

const escape = "\u001b"
const named = (sequence: string) => {
  const key = kittyKey(sequence)
  if (key === undefined) return undefined
  const { ctrl, meta, name, shift } = key.key
  const input = Option.getOrElse(key.input, () => "")
  return `${ctrl ? "ctrl-" : ""}${meta ? "alt-" : ""}${shift ? "shift-" : ""}${name}${input === "" ? "" : ` ${input}`}`
}

describe("keys of a terminal that tells modifiers", () => {
  it("are those that any terminal sends, whatever lock is on and whatever the layout (U12)", () => {
    const keys: ReadonlyArray<readonly [string, string | undefined]> = [
      ["27u", "escape"],
      ["13;2u", "shift-return"],
      ["13;3u", "alt-return"],
      ["27;2;13~", "shift-return"],
      ["99;5u", "ctrl-c"],
      ["99;69u", "ctrl-c"],
      ["1089::99;5u", "ctrl-c"],
      ["98;3u", "alt-b"],
      ["106;5u", "enter"],
      ["45;5u", "_"],
      ["9;2u", "shift-tab"],
      ["97:65;2u", "shift-a A"],
      ["127;3u", "alt-backspace"],
      ["57417u", "left"],
      ["99;9u", undefined],
      ["57441;2u", undefined]
    ]
    for (const [sequence, name] of keys) {
      const found = named(`${escape}[${sequence}`)
      assert.strictEqual(found === "_" || found === "ctrl-_" ? "_" : found, name, sequence)
    }
  })

  it("are cut out of what is typed, of which nothing is lost (U12)", () => {
    const part = FastCheck.constantFrom("a", "é", `${escape}[A`, `${escape}[1;5D`, `${escape}[13;2u`, `${escape}[99;5u`)
    FastCheck.assert(
      FastCheck.property(FastCheck.array(part, { maxLength: 12 }), (parts) => {
        const found = splitKittyKeys(parts.join(""))
        assert.strictEqual(found.join(""), parts.join(""))
        assert.strictEqual(found.filter(isKittyKey).length, parts.filter((one) => one.endsWith("u")).length)
      })
    )
    assert.deepStrictEqual(splitKittyKeys(`${escape}[1;129A`), [`${escape}[A`])
    assert.deepStrictEqual(splitKittyKeys(`${escape}[1;133D`), [`${escape}[1;5D`])
  })
})
