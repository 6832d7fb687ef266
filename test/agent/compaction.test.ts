import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Schema, Stream } from "effect"
import type { StoredMessage } from "../../src/conversation/Message.ts"
import { modelView } from "../../src/conversation/ModelView.ts"
import type { ModelRequest, ModelService } from "../../src/model/Model.ts"
import { ModelContextExceeded } from "../../src/model/ModelError.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { CompactSession, Interrupt } from "../../src/runtime/Command.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { Todo } from "../../src/tools/Todo.ts"
import { misplaced } from "../conversation/wellFormed.ts"

const common = { description: "d", parameters: Schema.Struct({ size: Schema.Number }), success: Schema.String }
const tools = [
  Tool.make("look", { ...common, readOnly: true, handler: ({ size }) => Effect.succeed("r".repeat(size)) }),
  Tool.make("change", { ...common, approval: "always", handler: ({ size }) => Effect.succeed("c".repeat(size)) }),
  Delegate,
  Todo
] as const

const contentsOf = ({ messages }: ModelRequest) => messages.map(({ message }) => message.content ?? "")

const isForSummary = ({ messages }: ModelRequest): boolean => messages.at(-1)?.id === "compaction"

type Step = readonly ["look" | "change" | "delegate" | "todo" | "none" | "junk", number]
const step: FastCheck.Arbitrary<Step> = FastCheck.tuple(
  FastCheck.constantFrom<Step[0]>("look", "look", "change", "delegate", "todo", "none", "junk"),
  FastCheck.nat(900)
)

/** A model with a context of so many tokens, a character each, that answers by a plan and knows when too much is sent. */
const planned = (plan: ReadonlyArray<ReadonlyArray<Step>>, contextWindow: number) => {
  const seen: Array<{ readonly request: ModelRequest; readonly tokens: number }> = []
  let next = 0
  const answer = (request: ModelRequest): ReadonlyArray<ModelPart> => {
    if (isForSummary(request)) return [{ _tag: "TextDelta", text: `summary ${seen.length}` }]
    const steps = plan[next++] ?? []
    const asked = steps.flatMap(([kind, size], at): ReadonlyArray<ModelPart> => {
      const call = (name: string, given: unknown): ModelPart => ({
        _tag: "FunctionCalled",
        id: `c${at}`,
        name,
        arguments: typeof given === "string" ? given : JSON.stringify(given)
      })
      if (kind === "none") return []
      if (kind === "delegate") return [call("delegate", { task: "t".repeat(size) || "t" })]
      if (kind === "todo") return [call("todo", { items: [{ text: `step ${next}`, status: "active" }] })]
      return kind === "junk" ? [call("look", "{")] : [call(kind, { size })]
    })
    return [{ _tag: "TextDelta", text: "a" }, ...asked]
  }
  const model: ModelService = {
    name: "planned",
    contextWindow,
    maxOutputTokens: 10,
    stream: (request) =>
      Stream.suspend(() => {
        const size = (one: ReadonlyArray<StoredMessage>) => JSON.stringify(one.map(({ message }) => message)).length
        const tokens = size(request.messages) + JSON.stringify(request.functions).length
        seen.push({ request, tokens })
        if (tokens > contextWindow) return new ModelContextExceeded({ model: "planned", reason: "too long" })
        const parts = answer(request)
        const calls = parts.some(({ _tag }) => _tag === "FunctionCalled")
        const usage = { inputTokens: tokens, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 }
        return Stream.fromIterable([
          ...parts,
          { _tag: "Finished", reason: calls ? "tool_calls" : "stop", usage, model: "planned" } as const
        ])
      })
  }
  return { model, seen }
}

const task = { task: "compact" }
const isRoot = ({ payer }: ModelRequest): boolean => payer?.worker.length === 1

describe("a conversation that is about to become too long", () => {
  it.scoped.prop(
    "is summarised in the middle of any work, at every depth, and goes on as the log tells it (R4, R9)",
    { plan: FastCheck.array(FastCheck.array(step, { maxLength: 3 }), { minLength: 4, maxLength: 25 }) },
    ({ plan }) =>
      Effect.gen(function* () {
        const { model, seen } = planned(plan, 9000)
        yield* Effect.gen(function* () {
          const session = yield* Testing.session()
          for (let turn = 0; turn < 3; turn++) yield* session.run(`prompt ${turn}`)
          const recorded = yield* session.recorded
          assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
          for (const { event } of recorded) {
            if (event._tag !== "SessionCompacted") continue
            for (const { text } of event.todos ?? []) assert.include(event.message.message.content, `[>] ${text}`)
            assert.isAbove(event.tokens?.before ?? 0, event.tokens?.after ?? Infinity)
          }
          const stored = modelView(yield* (yield* SessionStore).messages(session.id, 1000))
          const last = seen.findLast(({ request }) => isRoot(request))
          if (recorded.at(-1)?.event._tag === "TaskCompleted") {
            assert.deepStrictEqual(stored.slice(0, -1), last?.request.messages)
          }
          yield* Testing.restart()
          yield* (yield* Testing.session()).run("last")
          for (const { request } of seen) assert.deepStrictEqual(misplaced(request.messages), [])
        }).pipe(Effect.provide(Testing.layer({ tools, model, policy: "deny" })))
      }),
    { fastCheck: { numRuns: 20 } }
  )

  it.effect("goes on with the last messages and is charged for, once the context is nearly full (R4, C1)", () =>
    Effect.gen(function* () {
      const { model, seen } = planned([[["look", 900]], [["look", 900]], [["todo", 1]], [["look", 900]], [], []], 4000)
      const recorded = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("the prompt")
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ tools, model, policy: "deny" })))
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      const asked = seen.findIndex(({ request }) => isForSummary(request))
      assert.deepInclude(seen[asked]?.request.payer, { worker: ["compaction", "root"] })
      const [summary, prompt] = contentsOf(seen[asked + 1]!.request)
      assert.match(summary ?? "", /^Summary of the conversation so far:\nsummary \d+\n\n/)
      assert.strictEqual(prompt, "the prompt")
      assert.isTrue(seen.every(({ tokens }) => tokens <= 4000))
      assert.include(JSON.stringify(recorded), "r".repeat(900))
    })
  )

  it.effect("is summarised once, and asked again once, where the model says that it is too long (R7)", () =>
    Effect.gen(function* () {
      for (const forever of [false, true]) {
        const asked: Array<string> = []
        const model: ModelService = {
          name: "narrow",
          stream: (request) =>
            Stream.suspend(() => {
              asked.push(isForSummary(request) ? "summary" : "answer")
              const refused = asked.filter((kind) => kind === "answer").length === 2 || (forever && asked.length > 2)
              return refused && !isForSummary(request)
                ? new ModelContextExceeded({ model: "narrow", reason: "too long" })
                : Stream.fromIterable<ModelPart>([
                    { _tag: "TextDelta", text: "x" },
                    { _tag: "Finished", reason: "stop", usage: noUsage, model: "narrow" }
                  ])
            })
        }
        const recorded = yield* Effect.gen(function* () {
          const session = yield* Testing.session()
          yield* session.run("one")
          yield* session.run("two")
          return yield* session.recorded
        }).pipe(Effect.provide(Testing.layer({ model })))
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        assert.deepStrictEqual(asked, ["answer", "answer", "summary", "answer"])
        const end = recorded.at(-1)?.event
        assert.deepInclude(end, forever ? { _tag: "TaskFailed", error: "ModelContextExceeded" } : { text: "x" })
      }
    })
  )

  it.effect("is left as it is, with a warning and without another attempt, where no summary comes (R4)", () =>
    Effect.gen(function* () {
      const { model, seen } = planned([[["look", 900]], [["look", 900]], [["look", 900]], [["look", 900]], []], 4000)
      const silent: ModelService = {
        ...model,
        stream: (request) =>
          isForSummary(request)
            ? Stream.fromIterable<ModelPart>([{ _tag: "Finished", reason: "stop", usage: noUsage, model: "silent" }])
            : Stream.map(model.stream(request), (part) => part)
      }
      const recorded = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("go")
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ tools, model: silent, policy: "deny" })))
      assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
      const warnings = recorded.flatMap(({ event }) => (event._tag === "Notified" ? [event.title] : []))
      assert.deepStrictEqual(warnings, ["Not compacted"])
      assert.isFalse(recorded.some(({ event }) => event._tag === "SessionCompacted"))
      for (const { request } of seen) assert.strictEqual(contentsOf(request)[0], "go")
    })
  )
})

describe("a summary that a person asks for", () => {
  const compact = (more: Partial<CompactSession> = {}) => new CompactSession({ session: "session_1", ...task, ...more })

  it.effect("follows their wishes, and leaves the conversation alone where it is interrupted (R2)", () =>
    Effect.gen(function* () {
      const { model, seen } = planned([], 100_000)
      const stuck: ModelService = {
        ...model,
        stream: (request) =>
          isForSummary(request) && contentsOf(request).at(-1)?.includes("slowly") === true
            ? Stream.never
            : model.stream(request)
      }
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(compact({ task: "nothing" }))
        assert.deepInclude(yield* session.awaitEnd("nothing"), { message: "There is nothing to summarise yet." })
        yield* session.run("one")
        yield* session.send(compact({ task: "slow", instructions: "slowly" }))
        yield* session.awaitEvent((event) => event._tag === "ModelRequested")
        yield* session.send(new Interrupt({ session: session.id }))
        assert.strictEqual((yield* session.awaitEnd("slow"))._tag, "TaskInterrupted")
        yield* session.run("two")
        assert.deepStrictEqual(contentsOf(seen.at(-1)!.request), ["one", "a", "two"])
        yield* session.send(compact({ instructions: "Keep the names" }))
        yield* session.awaitEnd("compact")
        assert.match(contentsOf(seen.at(-1)!.request).at(-1) ?? "", /The user says of the summary: Keep the names$/)
        yield* session.run("three")
        assert.deepStrictEqual(contentsOf(seen.at(-1)!.request).slice(1), ["three"])
        assert.deepStrictEqual(Testing.Timeline.violations(yield* session.recorded), [])
      }).pipe(Effect.provide(Testing.layer({ model: stuck })))
    })
  )

  it.effect("counts as the person has changed it, and not once the conversation has gone on (K3)", () =>
    Effect.gen(function* () {
      const { model, seen } = planned([], 100_000)
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("one")
        yield* session.send(compact({ task: "draft", draft: true }))
        const draft = yield* session.awaitEnd("draft")
        assert.include(draft, { _tag: "TaskCompleted", text: "summary 2" })
        yield* session.send(compact({ task: "empty", summary: { text: " \n", draft: "draft" } }))
        assert.deepInclude(yield* session.awaitEnd("empty"), { _tag: "TaskFailed" })
        yield* session.run("two")
        yield* session.send(compact({ task: "late", summary: { text: "mine", draft: "draft" } }))
        assert.deepInclude(yield* session.awaitEnd("late"), { _tag: "TaskFailed" })
        yield* session.send(compact({ task: "draft2", draft: true }))
        yield* session.awaitEnd("draft2")
        yield* session.send(compact({ task: "own", summary: { text: "mine", draft: "draft2" } }))
        yield* session.awaitEnd("own")
        yield* session.run("three")
        assert.deepStrictEqual(contentsOf(seen.at(-1)!.request), ["Summary of the conversation so far:\nmine", "three"])
        const recorded = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        assert.deepInclude(recorded.find(({ event }) => event._tag === "SessionCompacted")?.event, { edited: true })
      }).pipe(Effect.provide(Testing.layer({ model })))
    })
  )
})
