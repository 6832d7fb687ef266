// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { place, scripted, start, tollgate } from "../cli/command.ts"
import { collector, received } from "./collecting.ts"

const token = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"
const missing = "plans-for-the-merger.txt"

const turns = [
  {
    steps: [
      { call: { name: "read_file", arguments: { path: missing } } },
      { call: { name: "grep", arguments: { pattern: token } } },
      { call: { name: "made_up_by_the_model", arguments: {} } },
      { usage: { inputTokens: 11, outputTokens: 3, cachedInputTokens: 2 } }
    ]
  },
  { steps: [{ call: { name: "delegate", arguments: { task: "look", name: "scout" } } }] },
  { when: "look", steps: [{ say: "found" }] },
  { steps: [{ fail: { _tag: "ModelRejected", reason: `the words ${missing}` } }] }
]

const own = Effect.acquireRelease(Effect.sync(place), (at) => Effect.sync(at.remove))

describe("the built command line and a collector", () => {
  it.scopedLive("exports what a run does, and none of its words (T11, M3)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const at = yield* own
      scripted(at, turns)
      const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: server.url }
      const ended = yield* Effect.promise(() => tollgate(at, ["run", `open ${missing}`], "", variables))
      assert.strictEqual(ended.code, 1, ended.stderr)
      const { resource, spans, text } = received(server.seen)
      assert.strictEqual(server.seen[0]?.path, "/v1/traces")
      assert.strictEqual(resource["service.name"], "tollgate")
      for (const word of [token, missing, at.home, at.work, "made_up_by_the_model", "the words", "found"])
        assert.notInclude(text, word)

      const told = spans
        .filter(({ attributes }) => "gen_ai.operation.name" in attributes)
        .map(({ attributes, name, parent, status }) => [name, parent, status.code, attributes["error.type"]])
      assert.sameDeepMembers(told, [
        ["chat scripted", "invoke_agent root", 0, undefined],
        ["execute_tool read_file", "invoke_agent root", 2, "FileFailure"],
        ["execute_tool grep", "invoke_agent root", 0, undefined],
        ["chat scripted", "invoke_agent root", 0, undefined],
        ["chat scripted", "invoke_agent scout", 0, undefined],
        ["invoke_agent scout", "execute_tool delegate", 0, undefined],
        ["execute_tool delegate", "invoke_agent root", 0, undefined],
        ["chat scripted", "invoke_agent root", 2, "ModelRejected"],
        ["invoke_agent root", "command tollgate run", 2, "ModelRejected"]
      ])
      const first = spans.find(({ attributes }) => attributes["gen_ai.usage.input_tokens"] === 11)
      assert.deepInclude(first?.attributes, {
        "gen_ai.provider.name": "scripted",
        "gen_ai.usage.cache_read.input_tokens": 2
      })
      assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
    })
  )

  it.scopedLive("ends every span of an interrupted run once, and says that it was interrupted (T11)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const at = yield* own
      scripted(at, [{ steps: [{ wait: "1 hour" }] }])
      const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: server.url }
      const { code } = yield* Effect.promise(async () => {
        const running = await start(at, ["run", "--jsonl", "go"], "", variables)
        await running.seen("ModelRequested")
        running.kill("SIGINT")
        return running.ended
      })
      assert.strictEqual(code, 130)
      const ours = received(server.seen).spans.filter(({ attributes }) => "gen_ai.operation.name" in attributes)
      assert.deepStrictEqual(
        ours.map(({ attributes, name, status }) => [name, status, attributes["status.interrupted"]]),
        [
          ["chat scripted", { code: 0 }, true],
          ["invoke_agent root", { code: 0 }, true]
        ]
      )
      for (const { attributes } of ours) assert.notProperty(attributes, "error.type")
    })
  )

  it.scopedLive("runs as ever where nobody collects, and sends nothing unless it is told where (T11)", () =>
    Effect.gen(function* () {
      const server = yield* collector
      const gone = yield* Effect.scoped(Effect.map(collector, ({ url }) => url))
      const at = yield* own
      scripted(at, [{ repeat: true, steps: [{ say: "Hello" }] }])
      for (const variables of [
        {},
        { OTEL_EXPORTER_OTLP_HEADERS: `to=${server.url}`, OTEL_SERVICE_NAME: "agent" },
        { OTEL_EXPORTER_OTLP_ENDPOINT: gone },
        { OTEL_EXPORTER_OTLP_ENDPOINT: "no address", OTEL_EXPORTER_OTLP_HEADERS: "bad=%zz" }
      ]) {
        const ended = yield* Effect.promise(() => tollgate(at, ["run", "hi"], "", variables))
        assert.deepInclude(ended, { code: 0, stdout: "Hello\n" }, JSON.stringify(variables))
      }
      assert.deepStrictEqual(server.seen, [])
    })
  )
})
