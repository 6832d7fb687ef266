import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import type { StoredMessage } from "../../src/conversation/Message.ts"
import { ModelView } from "../../src/conversation/ModelView.ts"

type Turn = readonly ["user" | "say" | "call", number]

const turns: FastCheck.Arbitrary<ReadonlyArray<Turn>> = FastCheck.array(
  FastCheck.tuple(FastCheck.constantFrom("user" as const, "say" as const, "call" as const), FastCheck.nat(60)),
  { maxLength: 60 }
)

const messagesOf = ([kind, length]: Turn, index: number): ReadonlyArray<StoredMessage> => {
  const id = `m${index}`
  const content = "x".repeat(length)
  if (kind === "user") return [{ id, message: { role: "user", content } }]
  if (kind === "say") return [{ id, message: { role: "assistant", content } }]
  const call = { id: `c${index}`, type: "function", function: { name: "look", arguments: content } } as const
  return [
    { id, message: { role: "assistant", content: null, tool_calls: [call] } },
    { id: `r${index}`, message: { role: "tool", tool_call_id: call.id, content } }
  ]
}

describe("the window of a conversation", () => {
  it.prop(
    "is the same however much was forgotten before it, which bounds what is kept (R5)",
    { turns, limit: FastCheck.integer({ min: 20, max: 200 }) },
    ({ limit, turns }) => {
      const view = new ModelView()
      const so: Array<StoredMessage> = []
      turns.forEach((turn, index) => {
        for (const message of messagesOf(turn, index)) {
          so.push(message)
          view.add(message)
        }
        const whole = new ModelView()
        for (const message of so) whole.add(message)
        const shown = view.window(limit)
        assert.deepStrictEqual(shown, whole.window(limit))
        assert.strictEqual(view.count, so.length)
        const kept = view.all.reduce((sum, { message }) => sum + (message.content?.length ?? 0), 0)
        assert.isAtMost(kept, 2 * limit + 3 * 60)
      })
    }
  )

  it.prop(
    "is the same where nobody asked for one before, and what is kept is bounded all the same (R5)",
    { turns, limit: FastCheck.integer({ min: 20, max: 200 }) },
    ({ limit, turns }) => {
      const [view, whole] = [new ModelView(), new ModelView()]
      turns.forEach((turn, index) => {
        for (const message of messagesOf(turn, index)) for (const one of [view, whole]) one.add(message)
        view.trim(limit)
        assert.isAtMost(view.size, 2 * limit + 3 * 60)
      })
      assert.deepStrictEqual(view.window(limit), whole.window(limit))
      assert.strictEqual(view.count, whole.count)
    }
  )
})
