import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Schema, TestClock } from "effect"
import { type Call, Command, DefaultStack, Envelope, type MiddlewareType, Tool, Toolset } from "tollgate"
import * as Testing from "tollgate/testing"
import { failureOf } from "../support/failureOf.ts"

class Ship extends Context.Tag("test/Ship")<Ship, { readonly deploy: Effect.Effect<string> }>() {}

const Deploy = Tool.make("deploy", {
  description: "Deploys",
  parameters: Schema.Struct({ version: Schema.String }),
  success: Schema.String,
  approval: "always",
  handler: ({ version }) => Effect.flatMap(Ship, ({ deploy }) => Effect.map(deploy, (to) => `${version} to ${to}`))
})

/** As a program seals it for production: a stack of its own, and what its tools need. */
const production = Toolset.make([Deploy], { middleware: DefaultStack.make({}) })
const here = Layer.succeed(Ship, { deploy: Effect.succeed("here") })

const deploying = (version: string) => [{ call: { name: "deploy", arguments: { version } } }]

const tags = (events: ReadonlyArray<Envelope.Envelope>) => events.map(({ event }) => event._tag)

/** A sound timeline with one event more, or another in the place of one. */
const unsound = (events: ReadonlyArray<Envelope.Envelope>) => {
  const end = events.findIndex(({ event }) => event._tag === "TaskCompleted")
  const early = { ...events[end], worker: ["root"], iteration: 1 } as Envelope.Envelope
  const renumbered = [...events.slice(0, end), early, ...events.slice(end)].map((one, at) => ({ ...one, seq: at + 1 }))
  const wordless = events.map((one) =>
    one.event._tag === "ToolCallCompleted" ? { ...one, event: { ...one.event, message: undefined } as never } : one
  )
  return { "an end of the task that a worker tells": renumbered, "a result without a message": wordless }
}

describe("the test harness", () => {
  it.effect("finds what no sound timeline has, whatever shape it is in (R4)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.run("ship")
      const whole = yield* session.recorded
      assert.deepStrictEqual(Testing.Timeline.violations(whole), [])
      for (const [what, timeline] of Object.entries(unsound(whole))) {
        assert.isNotEmpty(Testing.Timeline.violations(timeline), what)
      }
    }).pipe(
      Effect.provide(Layer.provide(Testing.layer({ toolset: production, model: [deploying("1"), "Done."] }), here))
    )
  )

  it.effect("takes a sealed toolset, and lets a test answer what is asked (A1)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const { id } = yield* session.submit("ship both")
      const first = yield* session.approve()
      const second = yield* session.deny({ reason: "not on a Friday" })
      assert.deepStrictEqual([first.arguments, second.arguments], [{ version: "1" }, { version: "2" }])
      assert.include((yield* session.awaitTag("ToolCallCompleted")).message.message.content, "1 to here")
      assert.include((yield* session.awaitTag("ToolCallFailed")).error.message, "not on a Friday")
      assert.strictEqual((yield* session.awaitEnd(id))._tag, "TaskCompleted")
      assert.deepStrictEqual(Testing.Timeline.violations(yield* session.recorded), [])
    }).pipe(
      Effect.provide(
        Layer.provide(
          Testing.layer({ toolset: production, policy: "ask", model: [deploying("1"), deploying("2"), "Done."] }),
          here
        )
      )
    )
  )

  it.effect("tells a call that middleware answers from one that ran (R3, T2)", () => {
    const known = new Map<string, unknown>()
    // The type of a middleware leaves the result to the tool; what it has seen of it may be given again.
    const remembered: MiddlewareType<Call> = (call, next) => {
      const key = JSON.stringify(call.rawParams)
      return known.has(key)
        ? Effect.succeed(known.get(key) as never)
        : Effect.tap(next(call), (result) => Effect.sync(() => known.set(key, result)))
    }
    const toolset = Toolset.make([Deploy], { middleware: remembered })
    return Effect.gen(function* () {
      const session = yield* Testing.session()
      const events = yield* session.run("ship it twice")
      const ends = events.flatMap(({ event }) => (event._tag === "ToolCallCompleted" ? [event] : []))
      assert.deepStrictEqual(
        ends.map(({ answered, message }) => [message.message.content, answered]),
        [
          ["1 to here", undefined],
          ["1 to here", true]
        ]
      )
      assert.strictEqual(events.filter(({ event }) => event._tag === "ToolCallStarted").length, 1)
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
    }).pipe(
      Effect.provide(
        Layer.provide(
          Testing.layer({ toolset, policy: "allow", model: [deploying("1"), deploying("1"), "Done."] }),
          here
        )
      )
    )
  })

  it.effect("gives the next event of a kind each time, past or to come (R3)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      yield* session.run("one", "one")
      yield* session.run("two", "two")
      const prompts = [yield* session.awaitTag("TaskQueued"), yield* session.awaitTag("TaskQueued")]
      assert.deepStrictEqual(
        prompts.map(({ prompt }) => prompt),
        ["one", "two"]
      )
      const third = yield* Effect.fork(session.awaitTag("TaskQueued"))
      yield* session.submit("three")
      assert.strictEqual((yield* Fiber.join(third)).prompt, "three")
    }).pipe(Effect.provide(Testing.layer({ model: [{ repeat: true, steps: [{ say: "Hello." }] }] })))
  )

  it.effect("restarts over the same store: what waited waits again, what ran is unknown (R9, A12)", () =>
    Effect.gen(function* () {
      const before = yield* Testing.session("s")
      yield* before.submit("ship", { task: "t" })
      const { request } = yield* before.awaitTag("ApprovalRequested")
      yield* Testing.restart()
      const session = yield* Testing.session("s")
      assert.strictEqual(session.goesOn, "t")
      assert.strictEqual((yield* session.approve()).id, request.id)
      yield* session.awaitTag("ToolCallStarted")
      yield* Testing.restart()
      const last = yield* Testing.session("s")
      assert.strictEqual((yield* last.awaitTag("ToolCallOutcomeUnknown")).tool, "deploy")
      assert.deepInclude(yield* last.awaitEnd("t"), { _tag: "TaskFailed", kind: "crash" })
      assert.deepStrictEqual(Testing.Timeline.violations(yield* last.recorded), [])
      assert.deepStrictEqual(yield* before.recorded, yield* last.recorded)
    }).pipe(
      Effect.provide(Testing.layer({ toolset: production, policy: "ask", model: [deploying("1"), "Done."] })),
      Effect.provideService(Ship, { deploy: Effect.never })
    )
  )

  it.effect("plays a recorded log again, to the same end, and says what was never recorded (R6)", () => {
    const run = Effect.flatMap(Testing.session(), (session) => session.run("ship both"))
    const playing = (model: Parameters<typeof Testing.layer>[0]["model"]) =>
      Effect.provide(run, Layer.provide(Testing.layer({ toolset: production, model }), here))
    return Effect.gen(function* () {
      const recorded = yield* playing([deploying("1"), deploying("2"), "Done."])
      const lines = recorded.map(Envelope.toLine).join("\n")
      const log = yield* Testing.Recording.parse(lines)
      const again = yield* playing(Testing.Recording.model(log))
      assert.deepStrictEqual(tags(again.filter(isDurable)), tags(recorded.filter(isDurable)))
      assert.deepStrictEqual(again.at(-1)?.event, recorded.at(-1)?.event)
      const other = yield* playing(Testing.Recording.model(log.filter(({ event }) => event._tag !== "TaskStarted")))
      assert.include(JSON.stringify(other.at(-1)?.event), "the recording has no answer")
      const { line } = yield* failureOf(Testing.Recording.parse(`${lines}\nno event`))
      assert.strictEqual(line, recorded.length + 1)
    })
  })

  it.effect("plays a recorded log again of sessions whose tasks have the same names, side by side (R6)", () => {
    const turns = [deploying("1"), "Done."] as const
    const both = Effect.forEach(["a", "b"], (id) =>
      Effect.flatMap(Testing.session(id), (session) => session.run(`ship ${id}`, "t"))
    )
    const playing = (model: Parameters<typeof Testing.layer>[0]["model"]) =>
      Effect.provide(both, Layer.provide(Testing.layer({ toolset: production, model }), here))
    return Effect.gen(function* () {
      const recorded = (yield* playing([...turns, ...turns])).flat().toSorted((one, other) => one.seq - other.seq)
      for (const events of yield* playing(Testing.Recording.model(recorded)))
        assert.strictEqual(events.at(-1)?.event._tag, "TaskCompleted")
    })
  })

  it.effect("plays a recorded log again where calls had ended in another order than the model's (R6, R14)", () => {
    const Read = Tool.make("read", {
      description: "Reads",
      parameters: Schema.Struct({ millis: Schema.Number }),
      success: Schema.String,
      readOnly: true,
      handler: ({ millis }) => Effect.as(Effect.sleep(millis), "read")
    })
    const reading = (millis: number) => ({ call: { name: "read", arguments: { millis } } })
    const playing = (model: Parameters<typeof Testing.layer>[0]["model"]) =>
      Effect.gen(function* () {
        const session = yield* Testing.session()
        const running = yield* Effect.fork(session.run("read both"))
        yield* session.awaitTag("ToolCallStarted")
        yield* session.awaitTag("ToolCallStarted")
        for (const _ of ["the second call", "the first"]) {
          yield* TestClock.adjust(10)
          yield* session.awaitTag("ToolCallCompleted")
        }
        return yield* Fiber.join(running)
      }).pipe(Effect.provide(Testing.layer({ tools: [Read], model })))
    return Effect.gen(function* () {
      const recorded = yield* playing([[reading(20), reading(10)], "Both."])
      const ends = recorded.flatMap(({ event }) => (event._tag === "ToolCallCompleted" ? [event.callId] : []))
      assert.deepStrictEqual(ends, ["call_1_2", "call_1_1"])
      assert.deepInclude((yield* playing(Testing.Recording.model(recorded))).at(-1)?.event, {
        _tag: "TaskCompleted",
        text: "Both."
      })
    })
  })

  it.effect("plays a recorded log again with its summaries (R6)", () => {
    const playing = (model: Parameters<typeof Testing.layer>[0]["model"]) =>
      Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("one")
        yield* session.send(new Command.CompactSession({ session: session.id, task: "shorter" }))
        yield* session.awaitEnd("shorter")
        yield* session.run("two")
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ model })))
    return Effect.gen(function* () {
      const recorded = yield* playing(["First.", "They said one.", "Second."])
      const again = yield* playing(Testing.Recording.model(recorded))
      assert.deepStrictEqual(tags(again), tags(recorded))
      const texts = again.flatMap(({ event }) => (event._tag === "TaskCompleted" ? [event.text] : []))
      assert.deepStrictEqual(texts, ["First.", "They said one.", "Second."])
    })
  })
})

const isDurable = ({ transient }: Envelope.Envelope): boolean => transient !== true
