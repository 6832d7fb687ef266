import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"

/** What a user of the library fills in or reads, with the file that says it. */
const interfaces = [
  ["src/tool/Tool.ts", "Options"],
  ["src/gate/Toolset.ts", "Options"],
  ["src/gate/DefaultStack.ts", "DefaultStackOptions"],
  ["src/approval/Decision.ts", "Decision"],
  ["src/model/ModelPart.ts", "TextDelta"],
  ["src/model/ModelPart.ts", "ReasoningDelta"],
  ["src/model/ModelPart.ts", "ArgumentsDelta"],
  ["src/model/ModelPart.ts", "FunctionCalled"],
  ["src/model/ModelPart.ts", "AttemptFailed"],
  ["src/model/ModelPart.ts", "Finished"],
  ["src/runtime/Runtime.ts", "Runtime"]
] as const

/** The members of an interface or of the service of a tag that no doc-block stands above. */
const undocumented = (file: string, name: string): ReadonlyArray<string> => {
  const source = fs.readFileSync(file, "utf8")
  const start = source.search(new RegExp(`^export (?:interface|class) ${name}\\b`, "m"))
  const lines = source.slice(start).split("\n")
  const end = lines.findIndex((line, index) => index > 0 && /^(?:\}|>\(\))/.test(line))
  const members = lines.slice(0, end)
  const indent = /^ +(?=readonly)/.exec(members.find((line) => /^ +readonly/.test(line)) ?? "")?.[0] ?? "  "
  return members.flatMap((line, index) => {
    const member = line.startsWith(`${indent}readonly `) ? /readonly (\w+)/.exec(line)?.[1] : undefined
    const above = members[index - 1]?.includes("oxlint-disable") === true ? members[index - 2] : members[index - 1]
    return member === undefined || member === "_tag" || above?.trimEnd().endsWith("*/") === true ? [] : [member]
  })
}

describe("the hover text", () => {
  it.each(interfaces)("of %s says what each member of %s is (P2)", (file, name) => {
    assert.include(fs.readFileSync(file, "utf8"), `${name}`)
    assert.deepStrictEqual(undocumented(file, name), [])
  })
})
