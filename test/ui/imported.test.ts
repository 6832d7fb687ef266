import { assert, describe, it } from "@effect/vitest"
import { MessageRecorded } from "../../src/agent/AgentEvent.ts"
import type { Message } from "../../src/conversation/Message.ts"
import { SessionResumed } from "../../src/runtime/RuntimeEvent.ts"
import { trusted } from "../../src/tool/ToolEvent.ts"
import { Narrator } from "../../src/ui/Narrator.ts"

const call = (id: string, name = "read_file") => ({
  id,
  type: "function" as const,
  function: { name, arguments: "{}" }
})

/** What is told of messages from a file. */
const told = (messages: ReadonlyArray<readonly [Message, worker?: ReadonlyArray<string>]>) => {
  const narrator = new Narrator()
  const at = { version: 1, time: 0, session: "s" } as const
  const steps = messages.flatMap(([message, worker], index) =>
    narrator.tell({
      ...at,
      seq: index + 3,
      ...(worker === undefined ? {} : { worker }),
      event: new MessageRecorded({ message: { id: `imported_${index}`, message }, imported: {} }, trusted)
    })
  )
  const resumed = new SessionResumed({ project: "/", epoch: 2, unknownCalls: 0 }, trusted)
  return [...steps, ...narrator.tell({ ...at, seq: messages.length + 3, event: resumed })].flatMap((step) => {
    if (step._tag === "CallBegan") return [`${step.call.tool}?`]
    if (step._tag === "CallEnded") return [`${step.call.tool} ${step.outcome}: ${step.text}`]
    if (step._tag === "Prompt" || step._tag === "Text") return [`${step._tag}: ${step.text}`]
    return []
  })
}

describe("an imported conversation", () => {
  it("is told message by message; an id of a call may come again, a call without a result has an unknown end (K2)", () => {
    const asks: Message = { role: "assistant", content: "Look.", tool_calls: [call("c1"), call("c2", "glob")] }
    const steps = told([
      [{ role: "user", content: "go" }],
      [asks],
      [{ role: "tool", tool_call_id: "c2", content: "two" }],
      [{ role: "tool", tool_call_id: "never", content: "asked for" }],
      [{ role: "user", content: "on" }],
      [{ role: "assistant", content: null, tool_calls: [call("c1")] }],
      [{ role: "tool", tool_call_id: "c1", content: "one" }]
    ])
    assert.deepStrictEqual(steps, [
      "Prompt: go",
      "Text: Look.",
      "read_file?",
      "glob?",
      "glob done: two",
      "read_file unknown: the imported file has no result of it",
      "Prompt: on",
      "read_file?",
      "read_file done: one"
    ])
  })

  it("has the calls of its workers, which end none of their parent's; what they were told is no prompt (K2)", () => {
    const worker = ["root", "W1"]
    const steps = told([
      [{ role: "assistant", content: null, tool_calls: [call("c1", "delegate")] }],
      [{ role: "user", content: "look" }, worker],
      [{ role: "assistant", content: "Done.", tool_calls: [call("c1")] }, worker],
      [{ role: "tool", tool_call_id: "c1", content: "text" }, worker],
      [{ role: "tool", tool_call_id: "c1", content: "given" }]
    ])
    assert.deepStrictEqual(steps, ["delegate?", "read_file?", "read_file done: text", "delegate done: given"])
  })
})
