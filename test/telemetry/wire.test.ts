import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import * as CommandCall from "../../src/middleware/CommandCall.ts"
import { commandSpan } from "../../src/telemetry/span.ts"
import { apply } from "../../src/middleware/Middleware.ts"
import type * as Scripted from "../../src/model/Scripted.ts"
import { backoff } from "../../src/middleware/retry.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import type { Event } from "../../src/runtime/Event.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { progress, stdout, fileChanged } from "../../src/tool/ToolCall.ts"
import * as Delegate from "../../src/tools/Delegate.ts"
import { collector, received, tracer } from "./collecting.ts"

const token = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"
const file = "/home/ann/plans/merger.txt"
const words = { file, token }

class Unlucky extends Schema.TaggedError<Unlucky>()("Unlucky", { file: Schema.String, token: Schema.String }) {
  readonly retryable = true
  override get message() {
    return `Cannot open ${this.file} with ${this.token}`
  }
}

const parameters = Schema.Struct({ file: Schema.String, token: Schema.String })
const tool = (name: string, body: (_: typeof words) => Effect.Effect<string, Unlucky>, more: object = {}) =>
  Tool.make(name, {
    description: `Does ${name}`,
    parameters,
    success: Schema.String,
    failure: Unlucky,
    readOnly: true,
    approval: "never" as const,
    ...more,
    handler: (given) => body(given)
  })

let attempts = 0
/** A tool for each way in which a call can end; all of them know the file and the token. */
const tools = [
  Tool.make("works", {
    description: "Does works",
    parameters,
    success: Schema.String,
    approval: "never",
    handler: (given, call) =>
      Effect.gen(function* () {
        yield* Effect.logInfo(`opening ${given.file} with ${given.token}`)
        yield* Effect.annotateCurrentSpan({ "the.file": given.file, "the.token": given.token })
        yield* stdout(call, given.file)
        yield* progress(call, { label: given.file, current: 1, total: 2 })
        yield* fileChanged(call, { path: given.file, change: "modified", size: 3 })
        yield* Effect.withSpan(new Unlucky(given), "inner", { attributes: given }).pipe(Effect.ignore)
        return `opened ${given.file} with ${given.token}`
      })
  }),
  tool("fails", (given) => new Unlucky(given), { readOnly: false }),
  tool("crashes", ({ file, token }) => Effect.die(new Error(`cannot read ${file} with ${token}`))),
  tool("lingers", () => Effect.never, { timeout: "20 millis", readOnly: false }),
  tool("asks", () => Effect.succeed("never run"), { approval: "always" }),
  tool("repeats", (given) => (++attempts % 2 === 1 ? new Unlucky(given) : Effect.succeed("at last"))),
  tool("hangs", () => Effect.never, { timeout: "1 hour" })
]

const names = tools.map(({ name }) => name)
const script: ReadonlyArray<Scripted.Turn> = [
  names.slice(0, -1).map((name) => ({ call: { name, arguments: words } })),
  [{ call: { name: "hangs", arguments: words } }]
]

const isHanging = (event: Event): event is Extract<Event, { readonly _tag: "ToolCallStarted" }> =>
  event._tag === "ToolCallStarted" && event.tool === "hangs"

const once = backoff({ maxAttempts: 2, initialDelay: 0, multiplier: 1, maxDelay: 0, jitter: false })

/** Everything that is exported of a task in which a call ends in every way, and which is interrupted in the end. */
const everyEnd = (variables: Readonly<Record<string, string>>, content: boolean) =>
  Effect.gen(function* () {
    const server = yield* collector
    const harness = Testing.layer({
      tools,
      model: script,
      decide: () => ({ decision: "deny", reason: `not ${file} with ${token}` }),
      settings: { spans: content ? "content" : true, parallelCalls: 1 },
      stack: { telemetry: { content }, retry: once }
    })
    const run = Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.send(new SubmitPrompt({ session: session.id, task: "task_1", prompt: `open ${file}` }))
      yield* session.awaitEvent(isHanging)
      yield* session.send(new Interrupt({ session: session.id }))
      yield* session.awaitEnd("task_1")
    })
    const spans = tracer({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url, ...variables })
    yield* Effect.provide(run, harness.pipe(Layer.provide([spans, quiet])))
    return received(server.seen)
  })

/** What tools log goes to the spans, where it may, and not to the terminal. */
const quiet = Logger.remove(Logger.defaultLogger)

/** How each span ended: its status, the class of its failure, whether it was interrupted. */
const endings = (spans: ReturnType<typeof received>["spans"]) =>
  Object.fromEntries(
    spans.map(({ attributes, name, status }) => [
      name,
      [status.code, attributes["error.type"], attributes["status.interrupted"], attributes["span.label"]]
    ])
  )

const unset = [0, undefined, undefined, undefined]
const interrupted = [0, undefined, true, "⚠︎ Interrupted"]
const failed = (type: string) => [2, type, undefined, undefined]

describe("what leaves by OTLP", () => {
  it.scopedLive("has no parameter, path, output or error text, however a call ends (T11)", () =>
    Effect.gen(function* () {
      const { spans, text } = yield* everyEnd({}, false)
      assert.deepStrictEqual(endings(spans), {
        "chat scripted": unset,
        "execute_tool works": unset,
        inner: failed("Unlucky"),
        "execute_tool fails": failed("Unlucky"),
        "execute_tool crashes": failed("Crashed"),
        "execute_tool lingers": failed("ToolTimedOut"),
        "execute_tool asks": failed("ApprovalDenied"),
        "Approvals.decide": unset,
        "execute_tool repeats": unset,
        "execute_tool hangs": interrupted,
        "invoke_agent root": interrupted
      })
      for (const word of [token, file, "merger", "Cannot open", "cannot read", "opened", "opening"])
        assert.notInclude(text, word)
      for (const { events, name, status } of spans) {
        assert.isUndefined(status.message, name)
        assert.notInclude(
          events.map((event) => event.name),
          "exception",
          name
        )
      }
      const repeats = spans.find(({ name }) => name === "execute_tool repeats")
      assert.deepStrictEqual(
        repeats?.events.map(({ name }) => name),
        ["ToolCallStarted", "ToolCallRetried"]
      )
    })
  )

  it.scopedLive("has content on opt-in, without secrets (T11, S5)", () =>
    Effect.gen(function* () {
      const { spans, text } = yield* everyEnd({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }, true)
      assert.notInclude(text, token)
      const of = (name: string) => spans.find((span) => span.name === `execute_tool ${name}`)
      for (const name of names) assert.include(of(name)?.attributes["gen_ai.tool.call.arguments"], file, name)
      assert.include(of("works")?.attributes["gen_ai.tool.call.result"], `opened ${file}`)
      assert.include(of("fails")?.status.message, `Cannot open ${file}`)
      const exception = of("crashes")?.events.find(({ name }) => name === "exception")
      assert.include(exception?.attributes["exception.stacktrace"], `cannot read ${file}`)
      assert.include(exception?.attributes["exception.stacktrace"], "wire.test.ts")
      assert.include(of("asks")?.status.message, `not ${file}`)
      const inner = spans.find(({ name }) => name === "inner")
      assert.strictEqual(inner?.attributes["file"], file)
      assert.deepInclude(endings(spans), { "execute_tool hangs": interrupted, inner: failed("Unlucky") })
    })
  )

  it.scopedLive("nests chats, calls and workers in one trace for each task (T11, U3)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const harness = Testing.layer({
        tools: [Delegate.Delegate, tools[0]!],
        model: [
          [{ call: { name: "delegate", arguments: { task: "look", name: "scout" } } }],
          [{ call: { name: "works", arguments: words } }],
          "found",
          "done",
          "again"
        ],
        settings: { spans: true },
        stack: { telemetry: {} }
      })
      const run = Effect.flatMap(Testing.session(), ({ run }) => Effect.zipRight(run("go"), run("once more")))
      const spans = tracer({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url })
      yield* Effect.provide(run, harness.pipe(Layer.provide([spans, quiet])))
      const all = received(server.seen).spans
      assert.deepStrictEqual(
        all.map(({ name, parent }) => [name, parent]),
        [
          ["chat scripted", "invoke_agent root"],
          ["chat scripted", "invoke_agent scout"],
          ["inner", "execute_tool works"],
          ["execute_tool works", "invoke_agent scout"],
          ["chat scripted", "invoke_agent scout"],
          ["invoke_agent scout", "execute_tool delegate"],
          ["execute_tool delegate", "invoke_agent root"],
          ["chat scripted", "invoke_agent root"],
          ["invoke_agent root", undefined],
          ["chat scripted", "invoke_agent root"],
          ["invoke_agent root", undefined]
        ]
      )
      const [first, second] = [all.slice(0, 9), all.slice(9)].map((of) => new Set(of.map(({ traceId }) => traceId)))
      assert.deepStrictEqual([first?.size, second?.size], [1, 1])
      assert.notDeepEqual(first, second)
      for (const { endTimeUnixNano, startTimeUnixNano } of all)
        assert.isAtLeast(Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)), 0)
    })
  )

  it.scopedLive("nests below the command that began it all, where that is a span (T11, M3)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const harness = Testing.layer({
        tools: tools.slice(0, 1),
        model: [[{ call: { name: "works", arguments: words } }], "done"],
        settings: { spans: true },
        stack: { telemetry: {} }
      })
      const run = Effect.flatMap(Testing.session(), (session) => session.run("go"))
      const command = apply(commandSpan, () => Effect.provide(run, harness))(CommandCall.make("run"))
      const spans = tracer({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url })
      yield* Effect.provide(command, Layer.merge(spans, quiet))
      const all = received(server.seen).spans
      assert.deepStrictEqual(
        all.map(({ name, parent }) => [name, parent]),
        [
          ["chat scripted", "invoke_agent root"],
          ["inner", "execute_tool works"],
          ["execute_tool works", "invoke_agent root"],
          ["chat scripted", "invoke_agent root"],
          ["invoke_agent root", "command run"],
          ["command run", undefined]
        ]
      )
      assert.deepStrictEqual(all.at(-1)?.attributes, { "tollgate.command": "run" })
    })
  )
})
