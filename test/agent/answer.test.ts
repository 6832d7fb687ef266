import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Either, Fiber, Layer, Schema, Stream } from "effect"
import { Accounts } from "../../src/cost/Accounts.ts"
import { Ledger } from "../../src/cost/Ledger.ts"
import type { Usage } from "../../src/cost/Usage.ts"
import { withFallback } from "../../src/model/Fallback.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { ModelCut, type ModelError } from "../../src/model/ModelError.ts"
import { noUsage, type ModelPart } from "../../src/model/ModelPart.ts"
import { retried } from "../../src/model/RetryPolicy.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import { Envelope } from "../../src/runtime/Envelope.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { turn } from "./Delegating.ts"

const Act = Tool.make("act", {
  description: "d",
  parameters: Schema.Struct({}),
  success: Schema.String,
  handler: () => Effect.succeed("done")
})

/** Asks for so many calls, then for none. */
const asking = (count: number, reason: "tool_calls" | "content_filter" = "tool_calls"): ModelService => {
  let asked = false
  return {
    name: "many",
    stream: () => {
      const calls = asked ? 0 : count
      asked = true
      return Stream.fromIterable<ModelPart>([
        { _tag: "TextDelta", text: "x" },
        ...Array.from(
          { length: calls },
          () => ({ _tag: "FunctionCalled", id: "c", name: "act", arguments: "{}" }) as const
        ),
        { _tag: "Finished", reason: calls === 0 ? "stop" : reason, usage: noUsage }
      ])
    }
  }
}

const running = (model: ModelService) =>
  Effect.flatMap(Testing.session(), (session) => session.run("go", "t")).pipe(
    Effect.provide(Testing.layer({ tools: [Act], model }))
  )

describe("an answer", () => {
  it.effect("of 1,000 calls has 1,000 results, also where all have one id (R4)", () =>
    Effect.gen(function* () {
      const events = yield* running(asking(1000))
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      assert.strictEqual(events.filter(({ event }) => event._tag === "ToolCallCompleted").length, 1000)
    })
  )

  it.effect("of too many calls is refused as a whole, and none is run (R4)", () =>
    Effect.gen(function* () {
      const events = yield* running(asking(1025))
      assert.isFalse(events.some(({ event }) => event._tag === "ToolCallRequested"))
      const end = events.at(-1)?.event
      assert.deepInclude(end, { _tag: "TaskFailed", kind: "model" })
      assert.include(JSON.stringify(end), "more than 1024 calls in one answer; none was run")
    })
  )

  it.effect("that a content filter has cut runs none of its calls (R7)", () =>
    Effect.gen(function* () {
      const events = yield* running(asking(2, "content_filter"))
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      assert.isFalse(events.some(({ event }) => event._tag === "ToolCallRequested"))
      assert.deepInclude(events.at(-1)?.event, { _tag: "TaskCompleted", text: "x" })
    })
  )

  it.effect("that is interrupted keeps what was seen of it, and the next request knows (U8)", () =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make([
        turn("go", { say: "Half of it" }, { wait: Duration.hours(1) }, { say: "the rest" }),
        turn("on", { say: "Done" })
      ])
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        yield* session.awaitEvent((event) => event._tag === "TextDelta")
        yield* session.send(new Interrupt({ session: session.id }))
        yield* session.awaitEnd("t")
        yield* session.run("on")
        const events = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const cut = events.map(({ event }) => event).find((event) => event._tag === "ModelInterrupted")
        assert.deepInclude(cut, { text: "Half of it" })
      }).pipe(Effect.provide(Testing.layer({ model })))
      const request = (yield* model.requests).at(-1)
      const contents = request?.messages.map(({ message }) => message.content)
      assert.deepStrictEqual(contents, ["go", "Half of it\n\n[The answer was interrupted here.]", "on"])
    })
  )
})

describe("a request", () => {
  it.effect("has no half of a character, whatever was cut where: servers refuse it, and all after it (R7)", () =>
    Effect.gen(function* () {
      const Cut = Tool.make("act", {
        description: "d \ud800",
        parameters: Schema.Struct({ text: Schema.optional(Schema.String) }),
        success: Schema.String,
        handler: () => Effect.succeed("cut \ud83d")
      })
      const model = yield* Testing.Scripted.make([
        [{ say: "half \udc00", call: { name: "act", arguments: { text: "whole \u{1f600}, half \ud800" } } }],
        "done"
      ])
      yield* Effect.flatMap(Testing.session(), (session) => session.run("from \ud83d a file")).pipe(
        Effect.provide(Testing.layer({ tools: [Cut], model }))
      )
      const requests = yield* model.requests
      const texts = requests.at(-1)?.messages.map(({ message }) => message.content)
      assert.deepStrictEqual(texts, ["from \ufffd a file", "half \ufffd", "cut \ufffd"])
      const { message } = requests.at(-1)!.messages[1]!
      const called = message.role === "assistant" ? message.tool_calls?.[0]?.function.arguments : undefined
      assert.deepStrictEqual(JSON.parse(called!), { text: "whole \u{1f600}, half \ufffd" })
      assert.strictEqual(requests[0]?.functions[0]?.description, "d \ufffd")
    })
  )
})

/** A model that answers each request with the next of these. */
const given = (...answers: ReadonlyArray<Stream.Stream<ModelPart, ModelError>>): ModelService => {
  let asked = 0
  return { name: "own", stream: () => answers[Math.min(asked++, answers.length - 1)] ?? Stream.empty }
}
const text: ModelPart = { _tag: "TextDelta", text: "What it says." }
const called: ModelPart = { _tag: "FunctionCalled", id: "c", name: "act", arguments: "{}" }
const end: ModelPart = { _tag: "Finished", reason: "stop", usage: { ...noUsage, inputTokens: 9, outputTokens: 3 } }
const failing = Stream.fail(new ModelCut({ model: "own", reason: "gone" }))

const isReadable = Schema.decodeUnknownEither(Schema.parseJson(Envelope))

const odd = [Number.NaN, Infinity, -Infinity, -1, 1e300]
const fields = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "reasoningTokens",
  "cacheWriteTokens"
] as const satisfies ReadonlyArray<keyof Usage>

describe("a backend that breaks its contract", () => {
  it.effect("is charged an estimate for usage that is no number of tokens, and every event can be read (R7, C1)", () =>
    Effect.gen(function* () {
      for (const field of fields)
        for (const count of odd)
          for (const said of [[text], []]) {
            const usage = { ...noUsage, inputTokens: 9, outputTokens: 3, [field]: count }
            const finished: ModelPart = { _tag: "Finished", reason: "stop", usage }
            const model = { ...given(Stream.fromIterable([...said, finished])), price: { input: 1, output: 5 } }
            const accounts = Layer.provideMerge(Accounts.layer({ budgets: { session: 10 } }), Ledger.layerMemory)
            const { charges, events } = yield* Effect.gen(function* () {
              const session = yield* Testing.session()
              const events = yield* session.run("go", "t")
              return { events, charges: yield* (yield* Ledger).charges({ limit: 10 }) }
            }).pipe(Effect.provide(Testing.layer({ model }).pipe(Layer.provideMerge(accounts))))
            const named = `${field} ${count} behind ${said.length} parts`
            for (const event of events) assert.isTrue(Either.isRight(isReadable(JSON.stringify(event))), named)
            assert.strictEqual(events.at(-1)?.event._tag, "TaskCompleted", named)
            assert.strictEqual(charges.length, 1)
            const [charge] = charges
            assert.deepInclude(charge, { outcome: "answered", estimated: true }, named)
            assert.isAbove(charge?.amount ?? 0, 0, named)
            assert.isBelow(charge?.amount ?? 0, 1_000_000_000, named)
          }
    })
  )

  const late = { text, called, thought: { _tag: "ReasoningDelta", text: "x" }, again: end } as const
  for (const [name, part] of Object.entries(late))
    it.effect(`runs nothing of an answer that goes on after its end: ${name} (R4, R7)`, () =>
      Effect.gen(function* () {
        const events = yield* running(given(Stream.fromIterable<ModelPart>([text, called, end, part])))
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        assert.isFalse(events.some(({ event }) => event._tag === "ToolCallRequested"))
        assert.deepInclude(events.at(-1)?.event, { _tag: "TaskFailed", kind: "model", error: "ModelMalformed" })
      })
    )

  it.effect(
    "names its calls by secrets or without end: none of that is stored, and results find their calls (S5, R4)",
    () =>
      Effect.gen(function* () {
        const secret = `ghp_${"a1B2".repeat(9)}`
        const ids = [secret, `call ${secret}`, "x".repeat(100_000), "call_1"]
        const calls = ids.flatMap((id): ReadonlyArray<ModelPart> => [
          { _tag: "ArgumentsDelta", id, name: "act", text: "{}" },
          { _tag: "FunctionCalled", id, name: "act", arguments: "{}" }
        ])
        const events = yield* running(given(Stream.fromIterable([...calls, end]), Stream.fromIterable([text, end])))
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        const told = JSON.stringify(events)
        assert.notInclude(told, secret)
        assert.isBelow(told.length, 50_000)
        const results = events.flatMap(({ event }) => (event._tag === "ToolCallCompleted" ? [event.callId] : []))
        assert.lengthOf(new Set(results), ids.length)
        assert.include(results, "call_1")
      }).pipe(Effect.provide(Redactor.layer({})))
  )

  it.effect("has not ended an attempt by the end of one before, which failed after all (R7)", () =>
    Effect.gen(function* () {
      const first = Stream.concat(Stream.fromIterable<ModelPart>([called, end]), failing)
      const answers = [first, Stream.make(text), Stream.fromIterable([text, end])] as const
      const ways = [retried({ maxAttempts: 2, initialDelay: 0 }), withFallback([Effect.succeed(given(answers[1]))])]
      for (const way of ways) {
        const cut = yield* running(way(given(...answers)))
        assert.isFalse(cut.some(({ event }) => event._tag === "ToolCallRequested"))
        assert.deepInclude(cut.at(-1)?.event, { _tag: "TaskFailed", error: "ModelCut" })
      }
      const whole = yield* running(retried({ maxAttempts: 3, initialDelay: 0 })(given(first, answers[2])))
      assert.deepInclude(whole.at(-1)?.event, { _tag: "TaskCompleted", text: "What it says." })
    })
  )

  it.effect("says of each attempt that failed which it was and how long the wait is (R7)", () =>
    Effect.gen(function* () {
      const failed = { _tag: "AttemptFailed", attempt: 1, reason: "busy", delayMillis: 0 } as const
      const wrongs = odd.filter((count) => count !== 1e300).flatMap((n) => [{ attempt: n }, { delayMillis: n }])
      for (const wrong of [...wrongs, { attempt: 2 }, { attempt: 1.5 }]) {
        const events = yield* running(given(Stream.fromIterable<ModelPart>([{ ...failed, ...wrong }, text, end])))
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        for (const event of events) assert.isTrue(Either.isRight(isReadable(JSON.stringify(event))))
        assert.deepInclude(events.at(-1)?.event, { _tag: "TaskFailed", error: "ModelMalformed" })
      }
    })
  )

  it.effect("is named with what it says is asked next, or has crashed (R7, R12)", () =>
    Effect.gen(function* () {
      const failed = { _tag: "AttemptFailed", attempt: 1, reason: "busy", delayMillis: 0 } as const
      for (const next of [{ name: 5 }, { name: "b", profile: 5 }, null]) {
        const part = { ...failed, next } as unknown as ModelPart
        const events = yield* running(given(Stream.fromIterable<ModelPart>([part, text, end])))
        for (const event of events) assert.isTrue(Either.isRight(isReadable(JSON.stringify(event))))
        assert.deepInclude(events.at(-1)?.event, { _tag: "TaskFailed", error: "ModelCrashed" })
      }
    })
  )

  it.effect("and is asked again at several levels fails attempts that are numbered through (R4, R7)", () =>
    Effect.gen(function* () {
      const again = retried({ maxAttempts: 2, initialDelay: 0 })
      const whole = Stream.fromIterable([text, end])
      const instead = (...answers: ReadonlyArray<Stream.Stream<ModelPart, ModelError>>) =>
        withFallback([Effect.succeed(given(...answers))])
      const told = Stream.make<[ModelPart]>({ _tag: "AttemptFailed", attempt: 1, reason: "busy", delayMillis: 0 })
      const ways = {
        "asked again, with a fallback": [again(instead(failing, whole)(given(failing))), 3],
        "asked again twice": [again(again(given(failing, failing, failing, whole))), 3],
        "asked again, that asks again itself": [
          again(given(Stream.concat(told, failing), Stream.concat(told, whole))),
          3
        ],
        "with a fallback that has one": [instead(failing)(given(failing)), 1]
      } as const
      for (const [way, [model, last]] of Object.entries(ways)) {
        const events = yield* running(model)
        assert.deepStrictEqual(Testing.Timeline.violations(events), [], way)
        const numbers = events.flatMap(({ event }) => (event._tag === "ModelAttemptFailed" ? [event.attempt] : []))
        assert.deepStrictEqual(
          numbers,
          Array.from({ length: last }, (_, index) => index + 1),
          way
        )
      }
    })
  )

  const interrupting: Readonly<Record<string, Stream.Stream<ModelPart, ModelError>>> = {
    "at once": Stream.fromEffect(Effect.interrupt),
    "half-way": Stream.concat(Stream.make(text, called), Stream.fromEffect(Effect.interrupt)),
    "after its end": Stream.concat(Stream.make(text, end), Stream.fromEffect(Effect.interrupt)),
    "by a fiber of its own": Stream.fromEffect(
      Effect.flatMap(Effect.fork(Effect.never), (fiber) => Effect.zipRight(Fiber.interrupt(fiber), Fiber.join(fiber)))
    )
  }
  for (const [when, stream] of Object.entries(interrupting))
    it.effect(`has crashed where it interrupts itself, ${when}, as no user did (R4, R7)`, () =>
      Effect.gen(function* () {
        for (const model of [given(stream), retried()(given(stream)), retried()(withFallback([])(given(stream)))]) {
          const events = yield* running(model)
          assert.deepStrictEqual(Testing.Timeline.violations(events), [])
          assert.deepInclude(events.at(-1)?.event, { _tag: "TaskFailed", kind: "model", error: "ModelCrashed" })
          assert.isFalse(events.some(({ event }) => event._tag === "ModelInterrupted"))
        }
      })
    )

  it.effect("is still interrupted by a user while it interrupts fibers of its own (R4, U8)", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const stream = Stream.fromEffect(
        Effect.zipRight(
          Deferred.succeed(asked, undefined),
          Effect.raceFirst(Effect.never, Effect.zipRight(Effect.never, Effect.interrupt))
        )
      )
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        yield* Deferred.await(asked)
        yield* session.send(new Interrupt({ session: session.id }))
        yield* session.awaitEnd("t")
        const events = yield* session.recorded
        assert.deepInclude(events.at(-1)?.event, { _tag: "TaskInterrupted", by: "user" })
      }).pipe(Effect.provide(Testing.layer({ model: given(stream) })))
    })
  )
})

describe("a conversation longer than a request may be", () => {
  it.effect("loses its oldest messages with a warning, and never begins with an answer (R4)", () =>
    Effect.gen(function* () {
      const model = yield* Testing.Scripted.make(["a".repeat(60), "b".repeat(60), "c".repeat(60)])
      const events = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        for (const prompt of ["one", "two", "three"]) yield* session.run(prompt)
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ model, settings: { contextCharacters: 130, autoCompact: false } })))
      const last = (yield* model.requests).at(-1)
      assert.deepStrictEqual(
        last?.messages.map(({ message }) => message.content),
        ["two", "b".repeat(60), "three"]
      )
      for (const request of yield* model.requests) assert.strictEqual(request.messages[0]?.message.role, "user")
      const warnings = events.flatMap(({ event }) => (event._tag === "Notified" ? [event.message] : []))
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], "Compact the conversation")
    })
  )
})
