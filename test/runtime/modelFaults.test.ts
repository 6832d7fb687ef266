import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ChatCompletions from "../../src/model/ChatCompletions.ts"
import { retried } from "../../src/model/RetryPolicy.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { answer, event, type Exchange, serve, stream } from "../model/Loopback.ts"

const delta = (fields: object, finish_reason: string | null = null) => ({
  id: "r",
  model: "m",
  choices: [{ index: 0, delta: fields, finish_reason }]
})
const call = (index: number, id: string, text: string, name = "act") =>
  delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] })
const more = (index: number, text: string) => delta({ tool_calls: [{ index, function: { arguments: text } }] })
const calling = delta({}, "tool_calls")
const said = [delta({ content: "Done" }), delta({}, "stop"), "[DONE]"]
const acting = [call(0, "c1", '{"n":1}'), calling, "[DONE]"]

const begin = (exchange: Exchange, ...events: ReadonlyArray<unknown>) =>
  Effect.zipRight(
    exchange.head(200, { "content-type": "text/event-stream" }),
    Effect.forEach(events, (data) => exchange.write(event(data)), { discard: true })
  )

interface Row {
  readonly fault: string
  readonly first: (exchange: Exchange) => Effect.Effect<void>
  /** How often the first answer is given. */
  readonly times?: number
  readonly ends: "TaskCompleted" | "TaskFailed"
  /** What ran, and what was asked for approval. */
  readonly ran?: ReadonlyArray<number>
  readonly attempts?: number
}

const rows: ReadonlyArray<Row> = [
  { fault: "a stream without a finish", first: stream(...acting.slice(0, 1)), ends: "TaskCompleted", attempts: 1 },
  {
    fault: "a connection that breaks off in the middle of a call",
    first: (exchange) => Effect.zipRight(begin(exchange, call(0, "c1", '{"n":')), exchange.destroy),
    ends: "TaskCompleted",
    attempts: 1
  },
  {
    fault: "arguments cut in half by a server that calls itself finished",
    first: stream(call(0, "c1", '{"n":'), calling, "[DONE]"),
    ends: "TaskCompleted"
  },
  {
    fault: "arguments cut by the limit of the answer",
    first: stream(call(0, "c1", '{"n":1'), delta({}, "length"), "[DONE]"),
    ends: "TaskCompleted"
  },
  { fault: "nothing but a finish", first: stream(calling, "[DONE]"), ends: "TaskCompleted" },
  {
    fault: "an error frame in the middle",
    first: stream(acting[0], { error: { message: "no", code: 500 } }),
    ends: "TaskCompleted",
    attempts: 1
  },
  { fault: "one line of 10 MiB", first: stream("x".repeat(10 * 1024 * 1024)), ends: "TaskFailed" },
  {
    fault: "five times HTTP 500",
    first: answer(500, '{"error":{"message":"broken"}}'),
    times: 5,
    ends: "TaskFailed",
    attempts: 4
  },
  {
    fault: "429 with Retry-After in seconds",
    first: answer(429, "{}", { "content-type": "application/json", "retry-after": "0" }),
    ends: "TaskCompleted",
    attempts: 1
  },
  {
    fault: "429 with Retry-After as a date that has passed",
    first: answer(429, "{}", { "content-type": "application/json", "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }),
    ends: "TaskCompleted",
    attempts: 1
  },
  {
    fault: "two calls under one id and one index",
    first: stream(call(0, "c", '{"n":1}'), call(0, "c", '{"n":2}'), calling, "[DONE]"),
    ends: "TaskCompleted",
    ran: [1, 2]
  },
  {
    fault: "an id that looks like one we would make up",
    first: stream(
      call(0, "a", '{"n":1}'),
      call(1, "c-2", '{"n":2}'),
      call(2, "c", '{"n":3}'),
      call(3, "c", '{"n":4}'),
      calling,
      "[DONE]"
    ),
    ends: "TaskCompleted",
    ran: [1, 2, 3, 4]
  },
  {
    fault: "indexes out of order and with gaps",
    first: stream(call(7, "c7", '{"n"'), call(2, "c2", '{"n":'), more(7, ":7}"), more(2, "2}"), calling, "[DONE]"),
    ends: "TaskCompleted",
    ran: [2, 7]
  },
  {
    fault: "more calls than anyone can mean",
    first: stream(...Array.from({ length: 1100 }, (_, n) => call(n, `c${n}`, `{"n":${n}}`)), calling, "[DONE]"),
    ends: "TaskFailed"
  },
  {
    fault: "a fragment for a call that never began",
    first: stream(more(3, '{"n":1}'), calling, "[DONE]"),
    ends: "TaskCompleted"
  }
]

describe("a faulty model over HTTP", () => {
  for (const { attempts = 0, ends, fault, first, ran = [], times = 1 } of rows)
    it.scopedLive(`is contained: ${fault} (R4, R7)`, () =>
      Effect.gen(function* () {
        const acted: Array<number> = []
        const asked: Array<string> = []
        const Act = Tool.make("act", {
          description: "Acts",
          parameters: Schema.Struct({ n: Schema.Number }),
          success: Schema.String,
          approval: "always",
          handler: ({ n }) => Effect.sync(() => `acted ${acted.push(n)}`)
        })
        const server = yield* serve((exchange) =>
          exchange.number <= times ? first(exchange) : stream(...said)(exchange)
        )
        const model = retried({ initialDelay: "1 millis" })(
          yield* ChatCompletions.make({ model: "m", baseUrl: server.url })
        )
        const decide = ({ callId }: { readonly callId: string }) => {
          asked.push(callId)
          return { decision: "approve" as const }
        }
        const recorded = yield* Effect.gen(function* () {
          const session = yield* Testing.session()
          yield* session.run("go")
          yield* session.run("go on")
          return yield* session.recorded
        }).pipe(Effect.provide(Testing.layer({ tools: [Act], model, decide })))
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        const ended = recorded.filter(({ event: { _tag } }) => /^Task(?:Completed|Failed|Interrupted)$/.test(_tag))
        assert.deepStrictEqual(
          ended.map(({ event: { _tag } }) => _tag),
          [ends, "TaskCompleted"]
        )
        assert.sameMembers(acted, [...ran])
        assert.strictEqual(new Set(asked).size, ran.length)
        assert.strictEqual(recorded.filter(({ event: { _tag } }) => _tag === "ModelAttemptFailed").length, attempts)
        const last = server.seen.at(-1)?.body as { readonly messages: ReadonlyArray<Record<string, unknown>> }
        const calls = last.messages.flatMap(
          ({ tool_calls: made = [] }) => made as ReadonlyArray<{ readonly id: string }>
        )
        const results = last.messages.flatMap((message) =>
          message["role"] === "tool" ? [message["tool_call_id"]] : []
        )
        assert.deepStrictEqual(
          calls.map(({ id }) => id).toSorted(),
          results.map(String).toSorted(),
          "every call the server sees has a result"
        )
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
})
