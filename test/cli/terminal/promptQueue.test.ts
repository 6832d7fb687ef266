import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { columns } from "../../../src/cli/terminal/Layout.ts"
import { PromptQueue } from "../../../src/cli/terminal/PromptQueue.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"

describe("prompts that wait", () => {
  it.prop(
    "are shown on a screen that keeps its width, however narrow it is (U12)",
    [
      FastCheck.array(FastCheck.string({ unit: "grapheme", maxLength: 60 }), { minLength: 1, maxLength: 6 }),
      FastCheck.integer({ min: 1, max: 90 })
    ],
    ([texts, width]) => {
      const queue = new PromptQueue()
      for (const text of texts) queue.push({ typed: text, text })
      for (const row of queue.rows(width, plain, true)) assert.isAtMost(columns(row), width)
    }
  )

  it("say where there is no room for another (U12)", () => {
    const queue = new PromptQueue()
    for (let index = 0; !queue.isFull; index++) queue.push({ typed: `p${index}`, text: `p${index}` })
    assert.strictEqual(queue.rows(80, plain, true)[0], "─ 29 more queued · no room for another ─")
  })
})
