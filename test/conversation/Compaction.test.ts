import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { keptOf, shortened, summaryText } from "../../src/conversation/Compaction.ts"
import type { StoredMessage } from "../../src/conversation/Message.ts"
import { modelView, ModelView } from "../../src/conversation/ModelView.ts"
import { sizeOf } from "../../src/conversation/size.ts"
import { misplaced } from "./wellFormed.ts"

/** Calls of one answer: their results come in the order of the numbers; one below 0 never comes. */
const calls = FastCheck.array(FastCheck.integer({ min: -1, max: 9 }), { minLength: 1, maxLength: 4 })
const turn = FastCheck.oneof(
  FastCheck.record({ kind: FastCheck.constantFrom("user" as const, "say" as const, "note" as const) }),
  FastCheck.record({ kind: FastCheck.constant("call" as const), calls })
)
type Turn = typeof turn extends FastCheck.Arbitrary<infer A> ? A : never

const spoken = (turn: Turn, at: number, size: number): ReadonlyArray<StoredMessage> => {
  const id = `m${at}`
  const content = "x".repeat(size)
  if (turn.kind !== "call") {
    const role = ({ user: "user", say: "assistant", note: "system" } as const)[turn.kind]
    return [{ id, message: { role, content } }]
  }
  const asked = turn.calls.map((_, index) => ({
    id: `c${index}`,
    type: "function" as const,
    function: { name: "look", arguments: "{}" }
  }))
  const results = turn.calls
    .map((order, index) => ({ order, index }))
    .filter(({ order }) => order >= 0)
    .toSorted((a, b) => a.order - b.order)
  return [
    { id, message: { role: "assistant", content: null, tool_calls: asked } },
    ...results.map(({ index }): StoredMessage => ({
      id: `${id}r${index}`,
      message: { role: "tool", tool_call_id: `c${index}`, content }
    }))
  ]
}

const conversation = FastCheck.array(FastCheck.tuple(turn, FastCheck.nat(3000)), { maxLength: 30 }).map((turns) =>
  modelView(turns.flatMap(([one, size], at) => spoken(one, at, size)))
)

describe("a compaction", () => {
  it.prop(
    "keeps the last messages within its limit and the last prompt, and never parts a call and its result (R4)",
    { conversation, limit: FastCheck.nat(20_000) },
    ({ conversation, limit }) => {
      const kept = keptOf(conversation, limit)
      assert.deepStrictEqual(misplaced(kept), [])
      const prompt = conversation.findLast(({ message }) => message.role === "user")
      const [first, ...tail] = kept
      const isSuffix = (messages: ReadonlyArray<StoredMessage>) =>
        messages.every((one, at) => one === conversation[conversation.length - messages.length + at])
      const within = first === prompt && sizeOf(kept) > limit ? tail : kept
      assert.isTrue(sizeOf(within) <= limit)
      assert.isTrue(isSuffix(within) || (first === prompt && isSuffix(tail)))
      if (prompt !== undefined) assert.include(kept, prompt)
      if (sizeOf(conversation) <= limit) assert.deepStrictEqual(kept, conversation)
    }
  )

  it.prop(
    "asks for a summary of no more than fits, without parting a call and its result (R4)",
    { conversation, limit: FastCheck.nat(20_000) },
    ({ conversation, limit }) => {
      const short = shortened(conversation, limit)
      assert.deepStrictEqual(misplaced(short), [])
      // The last prompt and the last exchange are there in any case.
      assert.isAtMost(sizeOf(short), limit + 2 * 3000 + 4 * 400)
      if (sizeOf(conversation) <= limit) assert.strictEqual(short, conversation)
    }
  )

  it.prop(
    "is the beginning of a conversation like any other (R4)",
    { before: conversation, kept: FastCheck.nat(9000), after: conversation },
    ({ after, before, kept }) => {
      const view = new ModelView()
      for (const message of before) view.apply({ _tag: "Added", message })
      const tail = keptOf(view.window(Infinity), kept)
      const summary: StoredMessage = { id: "summary", message: { role: "system", content: "s" } }
      view.apply({ _tag: "Replaced", messages: [summary, ...tail], todos: [] })
      assert.deepStrictEqual(view.window(Infinity), [summary, ...tail])
      for (const message of after) view.apply({ _tag: "Added", message })
      assert.deepStrictEqual(view.window(Infinity), [summary, ...tail, ...after])
      assert.strictEqual(view.size, sizeOf(view.all))
      assert.strictEqual(view.generation, 1)
    }
  )

  it("names the steps that are open whatever the summary says (K3)", () => {
    const todos = [
      { text: "read", status: "done" },
      { text: "write", status: "active" },
      { text: "test", status: "pending" },
      { text: "deploy", status: "dropped" }
    ] as const
    assert.strictEqual(
      summaryText(" All done.\n", todos, false),
      "Summary of the conversation so far:\nAll done.\n\nOpen steps of the to-do list:\n[>] write\n[ ] test"
    )
  })
})
