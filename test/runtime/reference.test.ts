import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { markdown, schema } from "../../scripts/docs/events.ts"
import { ArgumentsDelta, ReasoningDelta, TextDelta } from "../../src/agent/AgentEvent.ts"
import { transientTags } from "../../src/runtime/Event.ts"
import { ToolOutput, ToolProgressed } from "../../src/tool/ToolEvent.ts"

describe("the reference of the events", () => {
  it("is current; run `npm run docs` where it is not (R12)", () => {
    assert.strictEqual(fs.readFileSync("docs/events.md", "utf8"), markdown(process.cwd()))
    assert.strictEqual(fs.readFileSync("docs/events.schema.json", "utf8"), schema())
  })

  it("says of which transient events a gap shows (R12)", () => {
    const [, counted = "", others = ""] =
      /The `offset` of ([^;]*) counts [^;]*; (.*) have none/.exec(markdown(process.cwd()).replaceAll("\n", " ")) ?? []
    const classes = { TextDelta, ReasoningDelta, ArgumentsDelta, ToolOutput, ToolProgressed }
    for (const tag of transientTags)
      assert.include("offset" in classes[tag].fields ? counted : others, `\`${tag}\``, tag)
  })
})
