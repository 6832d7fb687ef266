import { FastCheck as fc } from "effect"
import { MessageRecorded, ModelAnswered, SessionCompacted } from "../../src/agent/AgentEvent.ts"
import type { StoredMessage } from "../../src/conversation/Message.ts"
import { ToolCallCompleted } from "../../src/gate/CallEvent.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import type { Place } from "../../src/runtime/Envelope.ts"
import { type DurableEvent, UnknownEvent } from "../../src/runtime/Event.ts"
import { SessionCleared, TaskCompleted, TaskQueued, TaskStarted } from "../../src/runtime/RuntimeEvent.ts"
import { plainId } from "../../src/redaction/plainId.ts"
import { make } from "../../src/redaction/Redactor.ts"
import { ApprovalRequested, FileChanged } from "../../src/tool/ToolEvent.ts"
import { request } from "../support/storeContract.ts"

const redactor = make()

/** What a format could take for its own, and what no reader sees. */
const tempting = [
  "## User",
  "\\## Assistant",
  "### Call (run_shell) call_1",
  "<!-- end of session: 3 -->",
  "---",
  "# Session: other",
  "_2026-01-01T00:00:00.000Z_",
  "```text",
  "````",
  '```strings\n"a"\n```',
  "</pre></section><script>alert(1)</script>",
  '<section data-role="system">x</section>',
  "&lt;b&gt; &amp; <b>",
  '" onload="alert(1)',
  "[x](javascript:alert(1)) ![i](http://127.0.0.1:1/p.png)",
  "\u0000",
  "\u001b[31mred\u001b[0m",
  "\r\n",
  "\r",
  "\ud800",
  "\u202etxt",
  "\u200b",
  "\ufeff",
  " ",
  "\n",
  "\n\n",
  "\t",
  "日本語 👩‍👩‍👧",
  "AKIAIOSFODNN7EXAMPLE",
  "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789",
  "password=hunter2hunter2"
]

export const text: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...tempting) },
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.lorem({ maxCount: 6 })
    ),
    { maxLength: 6 }
  )
  .chain((parts) => fc.constantFrom("", "\n", " ").map((between) => parts.join(between)))

const name = fc.oneof(
  fc.constantFrom("run_shell", "read_file", "client.requestApproval"),
  text.filter((one) => one !== "")
)
/** What is stored has no secret in an id, and none without end. */
const id = fc
  .oneof(
    fc.integer({ min: 1, max: 4 }).map((number) => `call_${number}`),
    text.filter((one) => one !== "")
  )
  .map((given) => plainId(redactor, given))
const json = fc.oneof(
  fc.dictionary(fc.constantFrom("path", "command", "text"), text, { maxKeys: 3 }).map((value) => JSON.stringify(value)),
  text
)
const reasoning = fc.option(text, { nil: undefined })
const place: fc.Arbitrary<Place> = fc.constantFrom<Place>(
  { task: "t" },
  { task: "t", iteration: 1, worker: ["root"] },
  { task: "t", iteration: 2, worker: ["root", "reviewer-1"] }
)

const stored = (message: StoredMessage["message"], thought?: string): Omit<StoredMessage, "id"> => ({
  message,
  ...(thought === undefined ? {} : { reasoning: thought })
})

type Made = (number: number) => DurableEvent
const message = (given: Omit<StoredMessage, "id">, number: number): StoredMessage => ({
  id: `message_${number}`,
  ...given
})

const assistant = fc
  .record({
    content: fc.option(text),
    calls: fc.array(fc.record({ id, name, arguments: json }), { maxLength: 3 }),
    reasoning
  })
  .map(
    ({ calls, content, reasoning }): Made =>
      (number) =>
        new ModelAnswered({
          message: message(
            stored(
              {
                role: "assistant",
                content,
                ...(calls.length === 0
                  ? {}
                  : {
                      tool_calls: calls.map(({ arguments: given, id, name }) => ({
                        id,
                        type: "function" as const,
                        function: { name, arguments: given }
                      }))
                    })
              },
              reasoning
            ),
            number
          ),
          finish: "stop",
          usage: noUsage,
          durationMillis: 1
        })
  )

const happened = fc.oneof(
  text.map(
    (prompt): Made =>
      () =>
        new TaskQueued({ prompt, ahead: 0 })
  ),
  text.map(
    (text): Made =>
      () =>
        new TaskCompleted({ text, usage: noUsage, iterations: 1, durationMillis: 1 })
  ),
  fc.constant<Made>(() => new SessionCleared({})),
  fc.constant<Made>(() => new ApprovalRequested({ request: request("approval_1"), ahead: 0 })),
  text.map(
    (text): Made =>
      () =>
        new FileChanged({
          callId: "call_1",
          tool: "write_file",
          path: `/tmp/${text}`,
          change: "modified",
          size: 1,
          diff: { text: `--- a\n+++ b\n@@ -1 +1 @@\n-${text}\n+new`, omitted: 2 }
        })
  ),
  text.map(
    (more): Made =>
      () =>
        new UnknownEvent("NewThing", { _tag: "NewThing", more })
  )
)

const event: fc.Arbitrary<Made> = fc.oneof(
  { weight: 3, arbitrary: assistant },
  {
    weight: 2,
    arbitrary: text.map(
      (content): Made =>
        (number) =>
          new TaskStarted({ message: message(stored({ role: "user", content }), number) })
    )
  },
  {
    weight: 2,
    arbitrary: fc.record({ id, name, content: fc.oneof(text, json) }).map(
      ({ content, id, name }): Made =>
        (number) =>
          new ToolCallCompleted({
            callId: id,
            tool: name,
            message: message(stored({ role: "tool", tool_call_id: id, content }), number),
            durationMillis: 2
          })
    )
  },
  {
    weight: 1,
    arbitrary: fc.record({ content: text, summary: fc.boolean() }).map(({ content, summary }): Made => (number) => {
      const given = { message: message(stored({ role: "system", content }), number) }
      return summary ? new SessionCompacted(given) : new MessageRecorded(given)
    })
  },
  { weight: 1, arbitrary: happened }
)

/** What a log holds behind its first event. */
export const log: fc.Arbitrary<ReadonlyArray<readonly [DurableEvent, Place]>> = fc
  .array(fc.tuple(event, place), { maxLength: 12 })
  .map((made) => made.map(([make, at], index) => [make(index + 1), at] as const))

export const omissions = fc.record({ system: fc.boolean(), calls: fc.boolean(), metadata: fc.boolean() })
