import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, type Layer, Schema, Stream } from "effect"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { Middleware } from "../../src/middleware/Middleware.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { noUsage, type ModelPart } from "../../src/model/ModelPart.ts"
import { Envelope } from "../../src/runtime/Envelope.ts"
import type { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import * as ToolCall from "../../src/tool/ToolCall.ts"
import { ToolResult } from "../../src/tool/ToolResult.ts"

/** A value that contains itself. */
const loop: Record<string, unknown> = {}
loop["loop"] = loop

/** What a value may have besides, by its type: no log can keep the first ones, and the last is nobody's business. */
const besides: Readonly<Record<string, unknown>> = {
  "no JSON": 10n,
  itself: loop,
  "a crash": {
    toJSON: () => {
      throw new Error("no")
    }
  },
  "a text": "not for the log"
}

const target = { path: "/project/notes.md", baseHash: null }

/** All that a tool says of its call in its own words, with so much besides. */
const wordy = (more: object) =>
  Tool.make("act", {
    description: "Acts",
    parameters: Schema.Struct({}),
    success: Schema.String,
    preview: () => Effect.succeed({ summary: "acts", targets: [{ ...target, ...more }], ...more }),
    failed: () => ({ reason: "exit code 3", exitCode: 3, ...more }),
    handler: (_, call) =>
      Effect.gen(function* () {
        yield* ToolCall.progress(call, { label: "on it", ...more })
        const diff = { text: "+a", omitted: 0, ...more }
        yield* ToolCall.fileChanged(call, { path: "/project/notes.md", change: "modified", size: 1, diff, ...more })
        return "done"
      })
  })

const asking = (usage: typeof noUsage): ModelService => {
  const called: ModelPart = { _tag: "FunctionCalled", id: "c", name: "act", arguments: "{}" }
  let asked = false
  return {
    name: "own",
    stream: () => {
      const parts: ReadonlyArray<ModelPart> = asked ? [] : [called]
      asked = true
      return Stream.fromIterable<ModelPart>([...parts, { _tag: "Finished", reason: "stop", usage }])
    }
  }
}

const played = <E>(live: Layer.Layer<Runtime, E>) =>
  Effect.provide(
    Effect.flatMap(Testing.session(), (session) => session.run("go", "t")),
    live
  )

const running = (tool: Tool.Needing<never>, usage = noUsage) =>
  played(Testing.layer({ tools: [tool], model: asking(usage), decide: () => ({ decision: "approve" }) }))

const isReadable = Schema.decodeUnknownEither(Schema.parseJson(Envelope))

describe("what a tool and a model say in their own words", () => {
  for (const [what, more] of Object.entries(besides))
    it.effect(`is told without ${what} that it has besides, and the call has one end (T4, R4, R12)`, () =>
      Effect.gen(function* () {
        const usage = { ...noUsage, inputTokens: 9, outputTokens: 3 }
        const events = yield* running(wordy({ more }), { ...usage, more } as typeof usage)
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const lines = events.map((event) => JSON.stringify(event))
        for (const line of lines) assert.isTrue(Either.isRight(isReadable(line)), line)
        assert.notInclude(lines.join("\n"), "not for the log")
        const told = events.map(({ event }) => event)
        const completed = told.find((event) => event._tag === "ToolCallCompleted")
        assert.deepStrictEqual(completed?._tag === "ToolCallCompleted" && completed.failed, {
          reason: "exit code 3",
          exitCode: 3
        })
        const asked = told.find((event) => event._tag === "ApprovalRequested")
        assert.deepStrictEqual(asked?._tag === "ApprovalRequested" && asked.request.preview, {
          summary: "acts",
          targets: [target]
        })
        const changed = told.find((event) => event._tag === "FileChanged")
        assert.deepInclude(changed, { path: "/project/notes.md", diff: { text: "+a", omitted: 0 } })
        const answered = told.find((event) => event._tag === "ModelAnswered")
        assert.deepStrictEqual(answered?._tag === "ModelAnswered" && answered.usage, usage)
      })
    )

  it.effect("is told without the rest where it is middleware that says so (T3, R4)", () =>
    Effect.gen(function* () {
      const Act = Tool.make("act", {
        description: "Acts",
        parameters: Schema.Struct({}),
        success: Schema.String,
        handler: () => Effect.succeed("done")
      })
      const known = { reason: "exit code 3", exitCode: 3 }
      const more = ((_: unknown, next: (call: unknown) => Effect.Effect<ToolResult>) =>
        Effect.map(next(_), ({ text, value }) => new ToolResult(value, text, { ...known, ...loop }))) as unknown
      const toolset = Toolset.make([Act], { middleware: more as Middleware<ToolCall.ToolCall> })
      const events = yield* played(Testing.layer({ toolset, model: asking(noUsage) }))
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      const completed = events.find(({ event }) => event._tag === "ToolCallCompleted")?.event
      assert.deepStrictEqual(completed?._tag === "ToolCallCompleted" && completed.failed, known)
    })
  )

  it.effect("may have members that are undefined (T1, R12)", () =>
    Effect.gen(function* () {
      const none = { exitCode: undefined, oldPath: undefined, diff: undefined, current: undefined, once: undefined }
      const events = yield* running(wordy(none), { ...noUsage, cacheWriteTokens: undefined } as never)
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      for (const event of events) assert.isTrue(Either.isRight(isReadable(JSON.stringify(event))))
      assert.deepInclude(events.at(-1)?.event, { _tag: "TaskCompleted" })
    })
  )

  const wrong = { summary: 5, reason: 5, label: 5, size: "1" }
  for (const [member, value] of Object.entries(wrong))
    it.effect(`is a bug where its ${member} is none, which every reader of the log can see (T4, R12)`, () =>
      Effect.gen(function* () {
        const events = yield* running(wordy({ [member]: value }))
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        for (const event of events) assert.isTrue(Either.isRight(isReadable(JSON.stringify(event))))
        assert.include(
          events.map(({ event }) => event._tag),
          "ToolCallFailed"
        )
      })
    )
})
