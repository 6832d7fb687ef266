import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { type Rule, describe as told } from "../../src/approval/Rule.ts"
import { RuleBook } from "../../src/approval/RuleBook.ts"
import { lexical } from "../../src/approval/Disk.ts"
import { describing } from "../../src/approval/Subject.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { touching } from "../support/touching.ts"

const Shell = Tool.make("run_shell", {
  description: "run_shell",
  parameters: Schema.Struct({}),
  success: Schema.Void,
  approval: "always",
  touches: touching,
  handler: () => Effect.void
})
const calls = describing("/w", "/home/u", lexical)
const rule = (decision: Rule["decision"], more: Partial<Rule>): Rule => ({
  id: `${decision} ${more.risk}`,
  decision,
  level: "user",
  tool: "run_shell",
  ...more
})
const decide = (rules: ReadonlyArray<Rule>, params: Readonly<Record<string, unknown>>) =>
  Either.getOrThrow(RuleBook.make(rules, { root: "/w", trusted: true })).verdict(
    "run_shell",
    calls.of({ name: "run_shell", tool: Shell, params, rawParams: params })
  )?.decision

describe("rules by risk", () => {
  it("fit commands that are so bad, however they are wrapped, and no other call (A16)", () => {
    const rules = [rule("deny", { risk: "destructive" }), rule("allow", { risk: "ordinary" })]
    const decisions = [
      ["npm test", "allow"],
      ["npm test && npm run build", "allow"],
      ["git reset --hard", "deny"],
      ["npm test && sudo sh -c 'rm -rf src'", "deny"],
      ["rm -rf node_modules", "allow"],
      ["ls", undefined],
      ["git push", "deny"],
      [`echo ${"a".repeat(5000)}`, "deny"]
    ] as const
    for (const [command, decision] of decisions) assert.strictEqual(decide(rules, { command }), decision, command)
    assert.strictEqual(decide(rules, { command: "rm -rf dist", cwd: "/w/packages/a" }), "allow")
    assert.strictEqual(decide(rules, { command: "rm -rf dist", cwd: "/elsewhere" }), "deny")
    assert.isUndefined(decide(rules, { path: "a" }))
  })

  it("hold together with the words of a command, and for every tool where they forbid (A16)", () => {
    const git = [rule("ask", { risk: "destructive", argv: ["git"] }), rule("allow", { argv: ["git"] })]
    assert.strictEqual(decide(git, { command: "git commit -m x" }), "allow")
    assert.strictEqual(decide(git, { command: "git stash drop" }), "ask")
    assert.strictEqual(decide([rule("deny", { tool: "*", risk: "destructive" })], { command: "git clean -fd" }), "deny")
    assert.strictEqual(decide([rule("allow", { risk: "reads" })], { command: "git log" }), "allow")
    assert.isUndefined(decide([rule("allow", { risk: "reads" })], { command: "git log; make" }))
  })

  it("are told with their risk (A16)", () => {
    assert.strictEqual(told(rule("deny", { risk: "destructive" })), "deny run_shell (destructive commands only)")
  })
})
