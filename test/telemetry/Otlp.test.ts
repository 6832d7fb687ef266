import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Otlp from "../../src/telemetry/Otlp.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"

const secret = "a word that stays here"

const Echo = Tool.make("echo", {
  description: "Says it again",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String,
  readOnly: true,
  handler: ({ text }) => Effect.succeed(text)
})

const Traces = Schema.parseJson(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({
        scopeSpans: Schema.Array(
          Schema.Struct({
            spans: Schema.Array(
              Schema.Struct({
                name: Schema.String,
                spanId: Schema.String,
                parentSpanId: Schema.optional(Schema.String),
                attributes: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.Unknown }))
              })
            )
          })
        )
      })
    )
  })
)

/** A collector that keeps what it is sent. */
const collector = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly bodies: Array<string>; readonly server: http.Server }>((resume) => {
    const bodies: Array<string> = []
    const server = http.createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
      request.on("end", () => {
        bodies.push(body)
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, bodies, server }))
    })
  }),
  ({ server }) => Effect.sync(() => server.close())
)

describe("telemetry", () => {
  it.scopedLive("exports spans of worker, model and tool by the GenAI conventions, and no content (T11)", () =>
    Effect.gen(function* () {
      const { bodies, url } = yield* collector
      const tracer = Otlp.layer({ endpoint: url }).pipe(Layer.provide(NodeHttpClient.layer))
      const harness = Testing.layer({
        tools: [Echo],
        model: [[{ call: { name: "echo", arguments: { text: secret } } }, { usage: { inputTokens: 7 } }], "Done"],
        settings: { spans: true },
        stack: { telemetry: {} }
      })
      const run = Effect.flatMap(Testing.session(), (session) => session.run("go"))
      yield* Effect.provide(run, harness.pipe(Layer.provide(tracer)))
      const sent = yield* Effect.forEach(bodies, (body) => Schema.decode(Traces)(body))
      const spans = sent.flatMap((body) =>
        body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      )
      assert.deepStrictEqual(spans.map(({ name }) => name).toSorted(), [
        "chat scripted",
        "chat scripted",
        "execute_tool echo",
        "invoke_agent root"
      ])
      const agent = spans.find(({ name }) => name === "invoke_agent root")
      for (const span of spans) if (span !== agent) assert.strictEqual(span.parentSpanId, agent?.spanId, span.name)
      const keys = spans.flatMap(({ attributes }) => attributes.map(({ key }) => key))
      for (const key of ["gen_ai.operation.name", "gen_ai.usage.input_tokens", "gen_ai.tool.call.id"]) {
        assert.include(keys, key)
      }
      assert.notInclude(bodies.join(""), secret)
    })
  )

  it("reads headers as the specification writes them", () => {
    assert.deepStrictEqual(Otlp.headersOf("api-key=a%20b, x=1,broken"), { "api-key": "a b", x: "1" })
  })
})
