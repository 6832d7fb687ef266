import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { severity } from "../../../src/policy/shell/Severity.ts"
import { contextOf } from "./ShellFixture.ts"

const listed = fs
  .readFileSync("test/fixtures/shell/everyday.txt", "utf8")
  .split("\n")
  .filter((line) => /^[=?!] /.test(line))
  .map((line) => ({ mark: line.charAt(0), text: line.slice(2).replaceAll("⏎", "\n") }))

describe("what coding agents run every day", () => {
  const variables = { HOME: "/home/u", PWD: "/w" }
  const context = contextOf({ trusted: true, hardenedGit: true, limited: true, judgeGit: () => undefined, variables })

  it("runs unasked for the most part, and destroys nothing without saying so (S3, A16)", () => {
    for (const { mark, text } of listed) {
      const { decision, rule } = classify(text, context)
      const { level } = severity(text, context)
      assert.strictEqual(decision, mark === "=" ? "allow" : "ask", `${text}: ${rule}`)
      if (mark === "=") assert.strictEqual(level, "reads", text)
      else if (mark === "!") assert.strictEqual(level, "destructive", text)
      else assert.include(["reads", "ordinary"], level, text)
    }
    assert.isAtLeast(listed.length, 221)
    assert.isAtLeast(listed.filter(({ mark }) => mark === "=").length / listed.length, 0.6)
  })
})
