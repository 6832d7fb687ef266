import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { context, contextOf } from "../../../src/cli/prompt/commands/conversation.ts"
import type { Prompt } from "../../../src/cli/prompt/commands/Command.ts"
import type { FunctionCall, StoredMessage } from "../../../src/conversation/Message.ts"
import { SessionStore } from "../../../src/runtime/SessionStore.ts"

const call = (id: string, name: string): FunctionCall => ({ id, type: "function", function: { name, arguments: "{}" } })
const asks = (id: string, name: string): StoredMessage => ({
  id: name.startsWith("client.") ? `request_${id}` : `m_${id}`,
  message: { role: "assistant", content: null, tool_calls: [call(id, name)] }
})
const result = (id: string): StoredMessage => ({
  id: `result_${id}`,
  message: { role: "tool", tool_call_id: id, content: "{}" }
})

const stored: ReadonlyArray<StoredMessage> = [
  { id: "p", message: { role: "user", content: "write" } },
  asks("c1", "write_file"),
  asks("r1", "client.requestApproval"),
  result("r1"),
  result("c1"),
  { id: "a", message: { role: "assistant", content: "Written." } }
]

describe("/context", () => {
  const store = SessionStore.of({ messages: () => Effect.succeed(stored) } as unknown as SessionStore["Type"])

  it.effect("counts what the model sees, not the calls that the runtime makes of its client (A4, U12)", () =>
    Effect.gen(function* () {
      const seen = yield* contextOf("s")
      assert.deepStrictEqual(
        seen.map(({ id }) => id),
        ["p", "m_c1", "result_c1", "a"]
      )
      const said: Array<string> = []
      const prompt = {
        current: () => ({ session: "s" }),
        say: (text: string) => Effect.sync(() => void said.push(text))
      } as unknown as Prompt
      yield* context.run("", prompt) as unknown as Effect.Effect<void, never, SessionStore>
      assert.deepStrictEqual(said.join("\n").match(/^\w+ +\d+ messages?/gm), [
        "user       1 message",
        "assistant  2 messages",
        "tool       1 message"
      ])
    }).pipe(Effect.provideService(SessionStore, store))
  )
})
