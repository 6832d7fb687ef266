import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema, TestClock } from "effect"
import { flushTimeout } from "../../src/telemetry/Otlp.ts"
import { traced } from "../../src/telemetry/traced.ts"
import { version } from "../../src/version.ts"
import * as Loopback from "../model/Loopback.ts"
import { collector, received, tracer } from "./collecting.ts"

const work = traced({ name: "work" }, () => Effect.succeed("done"))
const to = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })

const token = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"

describe("Otlp", () => {
  it.scoped("sends nothing where no endpoint is set (T11)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const spans = tracer({ OTEL_EXPORTER_OTLP_HEADERS: `url=${server.url}` })
      assert.strictEqual(yield* Effect.provide(work, spans), "done")
      assert.deepStrictEqual(server.seen, [])
    })
  )

  it.scoped("says who sends, and says it to the path and with the headers that it was given (T11)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const spans = tracer({
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${server.url}/spans`,
        OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b",
        OTEL_SERVICE_NAME: "agent",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=a%2Cb"
      })
      yield* Effect.provide(work, spans)
      const [request] = server.seen
      assert.deepInclude(request, { path: "/spans" })
      assert.deepInclude(request?.headers, { "api-key": "a b", "content-type": "application/json" })
      assert.deepStrictEqual(received(server.seen).resource, {
        "service.name": "agent",
        "service.version": version,
        "deployment.environment.name": "a,b"
      })
    })
  )

  it.scoped("waits at the end no longer than it says for a collector that hangs (T11)", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.serve(() => Effect.never)
      const run = yield* Effect.fork(Effect.provide(work, tracer(to(server.url))))
      yield* server.next
      yield* TestClock.adjust(flushTimeout)
      assert.strictEqual(yield* Fiber.join(run), "done")
    })
  )

  it.scoped("gives a collector that hangs while work goes on up in time, and asks it no more for a while (T11)", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.serve(() => Effect.never)
      const variables = { ...to(server.url), OTEL_EXPORTER_OTLP_TIMEOUT: "1000" }
      const run = Effect.gen(function* () {
        yield* work
        yield* TestClock.adjust("5 seconds")
        for (let attempt = 1; attempt <= 4; attempt++) {
          yield* server.next
          yield* TestClock.adjust("1 seconds")
          yield* TestClock.adjust("1 seconds")
        }
        return yield* work
      })
      assert.strictEqual(yield* Effect.provide(run, tracer(variables)), "done")
      assert.strictEqual(server.seen.length, 4)
    })
  )

  it.scoped("does not wait at the end for a collector that refuses or is not there (T11)", () =>
    Effect.gen(function* () {
      const server = yield* Loopback.serve(Loopback.answer(500, "{}"))
      assert.strictEqual(yield* Effect.provide(work, tracer(to(server.url))), "done")
      assert.strictEqual(server.seen.length, 1)
      const gone = yield* Effect.scoped(Effect.map(collector, ({ url }) => url))
      assert.strictEqual(yield* Effect.provide(work, tracer(to(gone))), "done")
      assert.strictEqual(yield* Effect.provide(work, tracer(to("no address"))), "done")
    })
  )

  it.scoped("bounds and redacts names and attributes, whoever thought of them (T11, S5)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      class Odd extends Schema.TaggedError<Odd>()(`${"odd".repeat(1000)}`, {}) {}
      const long = `${token} ${"x".repeat(100_000)}`
      const run = traced(
        { name: long, attributes: { id: long, password: "hunter2", list: Array(100).fill(token) } },
        (span) =>
          Effect.zipRight(
            Effect.replicateEffect(
              Effect.sync(() => span.event(long, { detail: long })),
              200
            ),
            Effect.withSpan(new Odd(), long)
          )
      ).pipe(Effect.ignore)
      yield* Effect.provide(run, tracer(to(server.url)))
      const { spans, text } = received(server.seen)
      assert.notInclude(text, token)
      assert.notInclude(text, "hunter2")
      for (const { attributes, events, name } of spans) {
        const texts = [name, ...events.map((event) => event.name)]
        const values = [attributes, ...events.map((event) => event.attributes)].flatMap(Object.values).flat()
        for (const one of [...texts, ...values]) assert.isAtMost(String(one).length, 1024)
        assert.isAtMost(events.length, 128)
        assert.isAtMost(values.length, 512)
        assert.include(attributes["error.type"], "oddodd")
      }
      assert.strictEqual(spans.length, 2)
    })
  )

  it.scoped("leaves out spans of libraries that are below none of ours, and their place in between (T11)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const run = Effect.withSpan(Effect.zipRight(work, Effect.withSpan(Effect.void, "sql.execute")), "Models.get")
      yield* Effect.provide(run, tracer(to(server.url)))
      assert.deepStrictEqual(
        received(server.seen).spans.map(({ name, parent }) => [name, parent]),
        [["work", undefined]]
      )
    })
  )

  it.scoped("has no parents that the collector never sees (T11)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      yield* Effect.provide(work, tracer(to(server.url))).pipe(Effect.withSpan("before the tracer"))
      assert.deepStrictEqual(
        received(server.seen).spans.map(({ name, parent }) => [name, parent]),
        [["work", undefined]]
      )
    })
  )
})
