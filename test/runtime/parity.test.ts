import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ChatCompletions from "../../src/model/ChatCompletions.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { type Exchange, serve } from "../model/Loopback.ts"

const Read = Tool.make("read", {
  description: "Reads",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  readOnly: true,
  handler: ({ path }) => Effect.succeed(`the text of ${path}, zoë`)
})

const chunk = (delta: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: "r", model: "m", choices: [{ index: 0, delta, finish_reason: null, ...rest }] })}\n\n`
const piece = (index: number, fields: { readonly id?: string; readonly name?: string; readonly arguments: string }) =>
  chunk({
    tool_calls: [
      {
        index,
        ...(fields.id === undefined ? {} : { id: fields.id, type: "function" }),
        function: { ...(fields.name === undefined ? {} : { name: fields.name }), arguments: fields.arguments }
      }
    ]
  })

const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } })}\n\n`
const done = "data: [DONE]\n\n"

const asking =
  chunk({ role: "assistant", content: "Ich schäue " }) +
  chunk({ content: "nach." }) +
  piece(0, { id: "c1", name: "read", arguments: '{"pa' }) +
  piece(1, { id: "c2", name: "read", arguments: "" }) +
  piece(0, { arguments: 'th":"ä.txt"}' }) +
  piece(1, { arguments: '{"path":"b.txt"}' }) +
  chunk({}, { finish_reason: "tool_calls" }) +
  usage +
  done
const answering = chunk({ content: "Fertig." }) + chunk({}, { finish_reason: "stop" }) + usage + done

/** Sends a text a few bytes at a time, through the middle of characters and frames. */
const inFragments = (exchange: Exchange, text: string) => {
  const bytes = Buffer.from(text)
  const cuts = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
    bytes.subarray(index * 7, index * 7 + 7)
  )
  return exchange
    .head(200, { "content-type": "text/event-stream" })
    .pipe(Effect.zipRight(Effect.forEach(cuts, exchange.write, { discard: true })), Effect.zipRight(exchange.end()))
}

const tokens = { usage: { inputTokens: 9, outputTokens: 4 } }
const script = Testing.Scripted.make(
  [
    [
      { say: "Ich schäue nach." },
      { call: { id: "c1", name: "read", arguments: { path: "ä.txt" } } },
      { call: { id: "c2", name: "read", arguments: { path: "b.txt" } } },
      tokens
    ],
    [{ say: "Fertig." }, tokens]
  ],
  { name: "m" }
)

const timeline = (model: Parameters<typeof Testing.layer>[0]["model"]) =>
  Effect.gen(function* () {
    const session = yield* Testing.session()
    yield* session.run("sieh nach")
    const recorded = yield* session.recorded
    assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
    // A script costs nothing.
    return Testing.Timeline.render(recorded)
      .replaceAll(/^\+\d+ms /gm, "")
      .replaceAll(/^.* ModelCharged .*\n/gm, "")
  }).pipe(Effect.provide(Testing.layer({ tools: [Read], model })))

describe("a model over HTTP", () => {
  it.scopedLive("gives the same timeline as a script, with parallel calls in fragments (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) => inFragments(exchange, exchange.number === 1 ? asking : answering))
      const model = yield* ChatCompletions.make({ model: "m", baseUrl: server.url })
      assert.strictEqual(yield* timeline(model), yield* timeline(yield* script))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.scopedLive("is aborted when the task is interrupted, as the server sees (R7)", () =>
    Effect.gen(function* () {
      const server = yield* serve((exchange) =>
        Effect.zipRight(
          exchange.head(200, { "content-type": "text/event-stream" }),
          exchange.write(chunk({ content: "Es war einmal " }))
        )
      )
      const model = yield* ChatCompletions.make({ model: "m", baseUrl: server.url })
      const interrupted = Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "erzähl" }))
        yield* session.awaitEvent((event) => event._tag === "TextDelta")
        yield* session.send(new Interrupt({ session: session.id }))
        return yield* session.awaitEnd("t")
      })
      const end = yield* Effect.provide(interrupted, Testing.layer({ model }))
      assert.strictEqual(end._tag, "TaskInterrupted")
      assert.isTrue(yield* Effect.flatMap(server.next, ({ aborted }) => aborted))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
