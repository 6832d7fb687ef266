import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Import from "../../src/import/Import.ts"

const lines = (entries: ReadonlyArray<unknown>) => `${entries.map((entry) => JSON.stringify(entry)).join("\n")}\n`

/** What is read of a text, whatever pieces it comes in. */
const read = (text: string) =>
  Effect.map(Import.read("a file", Stream.fromIterable(text.match(/[^]{1,7}/gu) ?? [])), (drafted) => ({
    ...drafted,
    messages: drafted.entries.flatMap((entry) => ("message" in entry ? [entry.message] : []))
  }))

const call = (id: string, name: string, given: string) => ({
  id,
  type: "function",
  function: { name, arguments: given }
})

describe("transcripts of other agents", () => {
  it.effect("of Claude Code: an answer is put together from its lines, sub-agents are left out (K2)", () =>
    Effect.gen(function* () {
      const line = (type: string, uuid: string, message: unknown, more: object = {}) => ({
        parentUuid: null,
        isSidechain: false,
        cwd: "/elsewhere",
        sessionId: "5f3c",
        version: "2.1.330",
        type,
        message,
        uuid,
        timestamp: "2026-01-02T03:04:05.678Z",
        ...more
      })
      const part = (uuid: string, content: unknown) =>
        line("assistant", uuid, { id: "msg_1", role: "assistant", content: [content] })
      const found = yield* read(
        lines([
          { type: "summary", summary: "Fix the test", leafUuid: "x" },
          { type: "file-history-snapshot", messageId: "m", snapshot: {} },
          line("user", "u1", { role: "user", content: "fix it" }),
          part("u2", { type: "thinking", thinking: "Hm.", signature: "c2ln" }),
          part("u3", { type: "text", text: "I look." }),
          part("u4", { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "npm test" } }),
          part("u4", { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "npm test" } }),
          line("user", "u5", {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "1 failed" }] }]
          }),
          line("user", "u6", { role: "user", content: "for a sub-agent" }, { isSidechain: true }),
          line("user", "u7", {
            role: "user",
            content: [
              { type: "text", text: "and?" },
              { type: "image", source: {} }
            ]
          }),
          line("newer", "u8", {})
        ])
      )
      const time = { createdAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678) }
      assert.strictEqual(found.format, "claude-code")
      assert.deepStrictEqual(found.messages, [
        { role: "user", content: "fix it", ...time },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [call("toolu_1", "Bash", '{"command":"npm test"}')],
          reasoning: "Hm.",
          ...time
        } as never,
        { role: "tool", tool_call_id: "toolu_1", content: "1 failed", ...time },
        { role: "user", content: "and?", ...time }
      ])
      assert.deepInclude(found.session, { title: "Fix the test", id: "5f3c", directory: "/elsewhere" })
      assert.sameMembers(
        [...found.warnings],
        [
          "lines that are there twice are left out",
          "messages of sub-agents are left out",
          "parts that are no text are left out: image",
          "lines of an unknown type are left out: newer"
        ]
      )
    })
  )

  it.effect("of Codex: items of its requests, in both of the shapes that it has had (K2)", () =>
    Effect.gen(function* () {
      const timestamp = "2026-01-02T03:04:05.000Z"
      const items = [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Be terse." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "list" }] },
        { type: "reasoning", summary: [{ type: "summary_text", text: "Files." }], encrypted_content: "gAAA" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Listing." }] },
        { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "call_1" },
        {
          type: "custom_tool_call",
          name: "apply_patch",
          input: "*** Begin Patch",
          call_id: "call_2",
          status: "completed"
        },
        { type: "function_call_output", call_id: "call_1", output: "a.txt" },
        { type: "custom_tool_call_output", call_id: "call_2", output: { content: "ok", success: true } }
      ]
      const expected = [
        { role: "system", content: "Be terse." },
        { role: "user", content: "list" },
        {
          role: "assistant",
          content: "Listing.",
          tool_calls: [call("call_1", "shell", '{"command":["ls"]}'), call("call_2", "apply_patch", "*** Begin Patch")],
          reasoning: "Files."
        },
        { role: "tool", tool_call_id: "call_1", content: "a.txt" },
        { role: "tool", tool_call_id: "call_2", content: "ok" }
      ]
      const now = yield* read(
        lines([
          { timestamp, type: "session_meta", payload: { id: "0199", cwd: "/elsewhere", instructions: null } },
          { timestamp, type: "event_msg", payload: { type: "user_message", message: "list" } },
          { timestamp, type: "turn_context", payload: { model: "m" } },
          ...items.map((payload) => ({ timestamp, type: "response_item", payload }))
        ])
      )
      assert.strictEqual(now.format, "codex")
      const created = Date.parse(timestamp)
      assert.deepStrictEqual<unknown>(
        now.messages,
        expected.map((message) => ({ ...message, createdAt: created }))
      )
      assert.deepInclude(now.session, { id: "0199", directory: "/elsewhere" })
      const before = yield* read(
        lines([{ id: "0198", timestamp, instructions: null }, { record_type: "state" }, ...items])
      )
      assert.strictEqual(before.format, "codex")
      assert.deepStrictEqual<unknown>(before.messages, expected)
    })
  )

  it.effect("as arrays and lines of OpenAI: parts, developer, and calls of the old kind (K2)", () =>
    Effect.gen(function* () {
      const messages = [
        { role: "developer", content: "Be terse." },
        {
          role: "user",
          content: [
            { type: "text", text: "list" },
            { type: "image_url", image_url: { url: "http://127.0.0.1:1/x.png" } }
          ]
        },
        { role: "assistant", content: null, tool_calls: [call("c1", "ls", "{}")], refusal: null },
        { role: "tool", tool_call_id: "c1", content: "a.txt" },
        { role: "assistant", content: null, function_call: { name: "ls", arguments: "{}" } },
        { role: "function", name: "ls", content: "b.txt" },
        { role: "assistant", content: "done", audio: {} }
      ]
      const expected = [
        { role: "system", content: "Be terse." },
        { role: "user", content: "list" },
        { role: "assistant", content: null, tool_calls: [call("c1", "ls", "{}")] },
        { role: "tool", tool_call_id: "c1", content: "a.txt" },
        { role: "assistant", content: null, tool_calls: [call("ls", "ls", "{}")] },
        { role: "tool", tool_call_id: "ls", content: "b.txt" },
        { role: "assistant", content: "done" }
      ]
      for (const text of [
        JSON.stringify(messages),
        JSON.stringify(messages, undefined, 2),
        JSON.stringify({ model: "m", messages, tools: [] }),
        JSON.stringify({ messages }, undefined, 2),
        lines(messages)
      ]) {
        const found = yield* read(text)
        assert.strictEqual(found.format, "messages")
        assert.deepStrictEqual<unknown>(found.messages, expected)
        assert.include(found.warnings, "parts that are no text are left out: image_url")
        assert.include(found.warnings, "unknown fields of messages are left out: audio")
      }
    })
  )

  it.effect("as Markdown that a person has written (K2)", () =>
    Effect.gen(function* () {
      const found = yield* read(
        "# Session: by hand\r\n\r\n## User\r\nWhat is\r\n\r\n```ts\r\n1 + 1\r\n```\r\n\r\n## Assistant\r\n\r\n## Not a heading of ours\r\n2\r\n\r\n### Call (add)\r\n\r\n```json\r\n{}\r\n```\r\n\r\n## Tool (add)\r\n\r\n2\r\n"
      )
      assert.deepStrictEqual<unknown>(found.messages, [
        { role: "user", content: "What is\n\n```ts\n1 + 1\n```" },
        { role: "assistant", content: "## Not a heading of ours\n2", tool_calls: [call("call_2_1", "add", "{}")] },
        { role: "tool", tool_call_id: "tool_3", content: "2", details: { tool: "add" } }
      ])
      assert.strictEqual(found.session.title, "by hand")
    })
  )
})
