import * as Ai from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FastCheck, Fiber, Schema, TestClock } from "effect"
import { isDeepStrictEqual } from "node:util"
import { Approvals } from "../../src/approval/Approvals.ts"
import { approve } from "../../src/gate/approve.ts"
import type { CallEvent } from "../../src/gate/CallEvent.ts"
import type { CallRequest, CallSink } from "../../src/gate/CallRequest.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { toToolkit } from "../../src/gate/toToolkit.ts"
import { stack, type Middleware } from "../../src/middleware/Middleware.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { fromToolkit } from "../../src/tool/fromToolkit.ts"
import * as Hook from "../../src/tool/Hook.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { silent, type ToolCall, undecoded } from "../../src/tool/ToolCall.ts"

/** What the handlers of a test did, and with what. */
interface Deeds {
  readonly ran: Array<unknown>
  /** What post hooks were told of once something had run. */
  readonly told?: Array<unknown>
}

type Ending = "succeeds" | "fails" | "crashes"

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {
  override get message() {
    return "the bank refused"
  }
}

const parameters = Schema.Struct({ to: Schema.String })

const pay = (deeds: Deeds, ending: Ending) => (params: unknown) =>
  Effect.suspend(() => {
    deeds.ran.push(params)
    if (ending === "crashes") throw new Error("a bug")
    return ending === "fails" ? new Refused() : Effect.succeed("paid")
  })

/** The same payment, by every way in which a tool can come to a toolset. */
const tools = {
  plain: (deeds: Deeds, ending: Ending) =>
    Effect.succeed(
      Tool.make("pay", {
        description: "Pays",
        parameters,
        success: Schema.String,
        failure: Refused,
        approval: "always",
        handler: pay(deeds, ending)
      })
    ),
  silent: (deeds: Deeds, ending: Ending) =>
    Effect.succeed(
      Tool.make("pay", {
        description: "Pays and says nothing of approval",
        parameters,
        success: Schema.String,
        failure: Refused,
        handler: pay(deeds, ending)
      })
    ),
  dynamic: (deeds: Deeds, ending: Ending) =>
    Effect.succeed(
      DynamicTool.make("pay", {
        description: "Pays",
        jsonSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
        handler: (params) =>
          Effect.mapError(
            pay(deeds, ending)(params),
            ({ message }) => new DynamicTool.DynamicToolFailed({ tool: "pay", reason: message, retryable: true })
          )
      })
    ),
  toolkit: (deeds: Deeds, ending: Ending) => {
    const kit = Toolkit.make(
      Ai.make("pay", { parameters: { to: Schema.String }, success: Schema.String, failure: Refused })
    )
    return Effect.provide(
      Effect.flatMap(fromToolkit(kit), ([tool]) => Effect.fromNullable(tool)),
      kit.toLayer({ pay: pay(deeds, ending) })
    )
  }
} as const

type Step = Middleware<ToolCall>

/** Whatever somebody may put around a tool; none of them knows of the gate. */
const steps: Readonly<Record<string, Step>> = {
  plain: (call, next) => next(call),
  twice: (call, next) => Effect.zipRight(Effect.either(next(call)), next(call)),
  parallel: (call, next) => Effect.map(Effect.all([next(call), next(call)], { concurrency: 2 }), ([first]) => first),
  again: (call, next) => Effect.catchAll(next(call), () => next(call)),
  copies: (call, next) => next({ ...call, metadata: { copied: true } }),
  replaces: (call, next) => next({ ...call, rawParams: { to: "mallory" }, params: undecoded }),
  decodes: (call, next) => next({ ...call, params: { to: "mallory" } }),
  mutates: (call, next) => {
    const raw: { to?: string } = call.rawParams as never
    return Effect.zipRight(Effect.ignore(Effect.try(() => void (raw.to = "mallory"))), next(call))
  },
  makes: (call, next) => next(Object.fromEntries(Object.entries(call)) as typeof call),
  reaches: (call, next) => {
    const handler: (params: never, call: ToolCall) => unknown = call.tool.handler
    return Effect.zipRight(
      Effect.ignore(handler({ to: "mallory" } as never, call) as Effect.Effect<unknown>),
      next(call)
    )
  },
  silences: (call, next) => next({ ...call, sink: silent }),
  repeatsEvents: (call, next) => {
    const { commit, emit } = call.sink
    const twice = (tell: typeof emit) => (event: Parameters<typeof emit>[0]) =>
      Effect.zipRight(tell(event), tell({ ...event } as typeof event))
    return next({ ...call, sink: { emit: twice(emit), commit: twice(commit) } })
  },
  forges: (call, next) => next({ ...call, decided: true, confined: true, ruled: () => "allow", withheld: () => false }),
  approve: approve as unknown as Step,
  hedges: (call, next) => Effect.raceFirst(next(call), Effect.zipRight(Effect.yieldNow(), next(call)))
}

const request = (sink: CallSink): CallRequest => ({
  name: "pay",
  rawParams: { to: "alice" },
  callId: "call_1",
  sessionId: "session_1",
  workerPath: ["root"],
  startedAt: 0,
  sink
})

interface Seen {
  readonly events: Array<CallEvent>
  readonly sink: CallSink
}

const watching = (): Seen => {
  const events: Array<CallEvent> = []
  const note = (event: CallEvent) => Effect.sync(() => void events.push(event))
  return { events, sink: { emit: note, commit: note } }
}

const tagsOf = ({ events }: Seen, ...tags: ReadonlyArray<CallEvent["_tag"]>) =>
  events.filter(({ _tag }) => tags.includes(_tag))

const ends = ["ToolCallCompleted", "ToolCallFailed", "ToolCallInterrupted"] as const

/** The result as the model reads it. */
const resultOf = (seen: Seen): string => {
  const [end] = seen.events.filter(
    (event) =>
      event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed" || event._tag === "ToolCallInterrupted"
  )
  return end?.message.message.content ?? ""
}

const notRun = /was not run(?! again)|before it ran|denied|No one answered/

const way = FastCheck.record({
  tool: FastCheck.constantFrom(...(Object.keys(tools) as ReadonlyArray<keyof typeof tools>)),
  around: FastCheck.array(FastCheck.constantFrom(...Object.keys(steps)), { maxLength: 4 }),
  own: FastCheck.array(FastCheck.constantFrom(...Object.keys(steps)), { maxLength: 2 }),
  stack: FastCheck.constantFrom("none", "default", "default inside", "default outside"),
  ending: FastCheck.constantFrom<Ending>("succeeds", "fails", "crashes")
})
type Way = typeof way extends FastCheck.Arbitrary<infer A> ? A : never

const sealed = (ways: Way, deeds: Deeds) =>
  Effect.gen(function* () {
    const tool = (yield* tools[ways.tool](deeds, ways.ending)) as Tool.Any
    const own = stack(...ways.own.map((name) => steps[name] ?? steps["plain"]!))
    const wrapped = ways.own.length === 0 ? tool : (Tool.wrap(tool, own as never) as unknown as Tool.Any)
    const around = stack(...ways.around.map((name) => steps[name] ?? steps["plain"]!)) as Step
    const hooks = [
      Hook.pre("*", () => Effect.succeed(Hook.Before.Continue())),
      Hook.post("*", ({ rawParams }) =>
        Effect.sync(() => {
          if (deeds.ran.length > 0) deeds.told?.push(rawParams)
          return Hook.After.Keep()
        })
      )
    ]
    const usual = DefaultStack.make({ hooks, timeouts: { limit: Duration.hours(1) } }).for(wrapped) as unknown as Step
    const middleware =
      ways.stack === "none"
        ? around
        : ways.stack === "default"
          ? usual
          : ways.stack === "default inside"
            ? stack(around, usual)
            : stack(usual, around)
    return yield* Toolset.make([wrapped], { middleware: middleware as Step })
  })

const called = (ways: Way, deeds: Deeds, seen: Seen) =>
  Effect.gen(function* () {
    const { call } = (yield* sealed(ways, deeds)) as Toolset.Toolset<Toolset.GateError, Approvals>
    return yield* Effect.exit(call(request(seen.sink)))
  })

const runs = (count: number) => ({ fastCheck: { numRuns: count, seed: 1 } })

describe("a toolset, however it is built", () => {
  it.effect.prop(
    "runs nothing that is denied, and says so in one event (T19, A7)",
    [way],
    ([ways]) =>
      Effect.gen(function* () {
        const [deeds, seen] = [{ ran: [] }, watching()]
        yield* called(ways, deeds, seen)
        assert.deepStrictEqual(deeds.ran, [])
        assert.strictEqual(tagsOf(seen, ...ends).length, 1)
        assert.deepStrictEqual(tagsOf(seen, "ToolCallStarted"), [])
      }).pipe(Effect.provide(Approvals.layer({ policy: "deny" }))),
    runs(60)
  )

  it.effect.prop(
    "runs nothing that nobody has decided on in time (T19, A8)",
    [way],
    ([ways]) =>
      Effect.gen(function* () {
        const [deeds, seen] = [{ ran: [] }, watching()]
        const fiber = yield* Effect.fork(called(ways, deeds, seen))
        yield* TestClock.adjust("10 minutes")
        yield* Fiber.await(fiber)
        assert.deepStrictEqual(deeds.ran, [])
        assert.strictEqual(tagsOf(seen, ...ends).length, 1)
      }).pipe(Effect.provide(Approvals.layer({ policy: "ask", timeout: "30 seconds" }))),
    runs(30)
  )

  it.effect.prop(
    "runs what was shown and nothing else, at most once, after it was shown and announced (T19, A5, A15)",
    [way],
    ([ways]) => {
      const shown: Array<unknown> = []
      return Effect.gen(function* () {
        const [deeds, seen] = [{ ran: [] as Array<unknown> }, watching()]
        yield* called(ways, deeds, seen)
        assert.isAtMost(deeds.ran.length, 1)
        for (const params of deeds.ran) assert.deepInclude(shown, params)
        assert.strictEqual(tagsOf(seen, ...ends).length, 1)
        assert.strictEqual(tagsOf(seen, "ToolCallStarted").length, deeds.ran.length)
        const order = seen.events.map(({ _tag }) => _tag)
        if (deeds.ran.length > 0) assert.isBelow(order.indexOf("ApprovalResolved"), order.indexOf("ToolCallStarted"))
        if (deeds.ran.length > 0 && notRun.test(resultOf(seen))) assert.include(resultOf(seen), "pay had started")
      }).pipe(
        Effect.provide(
          Approvals.layerDecide((asked) => {
            shown.push(asked.arguments)
            return { decision: "approve" }
          })
        )
      )
    },
    runs(100)
  )

  it.effect.prop(
    "says in the log, to hooks and to the model what ran, where that is not what was asked for (T8, T19, A15)",
    [way, FastCheck.boolean()],
    ([ways, isText]) =>
      Effect.gen(function* () {
        const [deeds, seen] = [{ ran: [] as Array<unknown>, told: [] as Array<unknown> }, watching()]
        const { call } = (yield* sealed(ways, deeds)) as Toolset.Toolset<Toolset.GateError, Approvals>
        const { rawParams, ...asked } = request(seen.sink) as Extract<CallRequest, { readonly rawParams: unknown }>
        yield* Effect.exit(call(isText ? { ...asked, arguments: ' { "to" : "alice" } ' } : { ...asked, rawParams }))
        const [started] = seen.events.filter((event) => event._tag === "ToolCallStarted")
        for (const params of deeds.ran) {
          for (const told of deeds.told) assert.deepStrictEqual(told, params)
          const changed = !isDeepStrictEqual(params, { to: "alice" })
          assert.strictEqual(started !== undefined && "parameters" in started, changed)
          assert.strictEqual(resultOf(seen).includes("the parameters were changed; what ran: {"), changed)
          if (!changed) continue
          assert.deepStrictEqual(started?.parameters, params)
          assert.include(resultOf(seen).replaceAll('\\"', '"'), `what ran: ${JSON.stringify(params)}]`)
        }
      }).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" })))),
    runs(75)
  )

  it.effect.prop(
    "enters no handler that the log does not know of, so that a crash inside is told (T19, R9)",
    [way],
    ([ways]) =>
      Effect.gen(function* () {
        const seen = watching()
        let durable = false
        const commit: CallSink["commit"] = (event) =>
          Effect.zipRight(
            Effect.yieldNow(),
            Effect.sync(() => {
              durable ||= event._tag === "ToolCallStarted"
            })
          )
        const known: Array<unknown> = []
        // What a handler that dies at once would leave behind.
        const ran = { push: () => known.push(durable), length: 0 } as unknown as Array<unknown>
        yield* called(ways, { ran }, { ...seen, sink: { emit: seen.sink.emit, commit } })
        assert.isTrue(known.every((told) => told === true))
      }).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" })))),
    runs(30)
  )

  it.effect("runs the parameters that were decided on, whatever becomes of the object they came in (T19, A5)", () =>
    Effect.gen(function* () {
      const deeds = { ran: [] as Array<unknown> }
      let stumbled = false
      const stumble = Effect.suspend(() => {
        const first = !stumbled
        stumbled = true
        return first ? Effect.fail("stumbled" as const) : Effect.void
      })
      const stumbles: Middleware<ToolCall, { fails: "stumbled" }> = (call, next) => Effect.zipRight(stumble, next(call))
      const again: Middleware<ToolCall> = (call, next) =>
        Effect.catchAll(next(call), () => {
          ;(call.rawParams as { to: string }).to = "mallory"
          return next(call)
        })
      const toolset = yield* Toolset.make([yield* tools.plain(deeds, "succeeds")], {
        middleware: stack(again, approve, stumbles)
      })
      yield* toolset.call(request(watching().sink))
      assert.deepStrictEqual(deeds.ran, [{ to: "alice" }])
    }).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" }))))
  )

  it.effect(
    "runs once it has started nothing but what the log has told of, and asks nobody any more (T19, A5, R3)",
    () => {
      const elsewhere: Step = (call, next) => next({ ...call, rawParams: { to: "mallory" }, params: undecoded })
      const around: Readonly<Record<string, Step>> = {
        "falls back": (call, next) => Effect.catchAll(next(call), () => elsewhere(call, next)),
        "goes on": (call, next) => Effect.zipRight(Effect.either(next(call)), elsewhere(call, next)),
        "copies and repeats": (call, next) => {
          const copied = Effect.suspend(() => next({ ...call, rawParams: { to: "alice" }, params: undecoded }))
          return Effect.catchAll(copied, () => copied)
        },
        "runs two at once": (call, next) =>
          Effect.map(Effect.all([next(call), elsewhere(call, next)], { concurrency: 2 }), ([first]) => first)
      }
      const kinds = { once: {}, idempotent: { idempotent: true }, readOnly: { readOnly: true } } as const
      return Effect.forEach(
        Object.entries(around).flatMap(([name, step]) =>
          Object.entries(kinds).map(([kind, of]) => ({ name, step, kind, of }))
        ),
        ({ kind, name, of, step }) =>
          Effect.gen(function* () {
            const [deeds, seen] = [{ ran: [] as Array<unknown> }, watching()]
            const tool = Tool.make("pay", {
              description: "Pays",
              parameters,
              success: Schema.String,
              failure: Refused,
              approval: "always",
              ...of,
              handler: pay(deeds, "fails")
            })
            const toolset = yield* Toolset.make([tool], { middleware: step })
            const slow: CallSink["emit"] = (event) => Effect.zipRight(Effect.yieldNow(), seen.sink.emit(event))
            yield* Effect.exit(toolset.call(request({ emit: slow, commit: slow })))
            const what = `${name}, ${kind}`
            const order = seen.events.map(({ _tag }) => _tag)
            assert.isBelow(order.lastIndexOf("ApprovalRequested"), order.indexOf("ToolCallStarted"), what)
            const [started] = seen.events.filter((event) => event._tag === "ToolCallStarted")
            const told = started?.parameters ?? { to: "alice" }
            assert.isNotEmpty(deeds.ran, what)
            for (const params of deeds.ran) assert.deepStrictEqual(params, told, what)
          }),
        { discard: true }
      ).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" }))))
    }
  )

  it.effect("lets a call that only reads, and that nobody is asked about, read something else as well (T2, T3)", () =>
    Effect.gen(function* () {
      const deeds = { ran: [] as Array<unknown> }
      const tool = Tool.make("pay", {
        description: "Looks",
        parameters,
        success: Schema.String,
        failure: Refused,
        readOnly: true,
        handler: pay(deeds, "fails")
      })
      const both: Step = (call, next) => Effect.catchAll(next(call), () => next({ ...call, rawParams: { to: "bob" } }))
      const toolset = yield* Toolset.make([tool], { middleware: both })
      yield* Effect.exit(toolset.call(request(watching().sink)))
      assert.deepStrictEqual(deeds.ran, [{ to: "alice" }, { to: "bob" }])
    }).pipe(Effect.provide(Approvals.layer({ policy: "deny" })))
  )

  it.effect("runs nothing whose schema decodes the same parameters to something else (T19, A5)", () =>
    Effect.gen(function* () {
      let count = 0
      const ran: Array<unknown> = []
      const odd = (approval: "always" | ((params: { readonly n: number }) => boolean)) =>
        Tool.make("odd", {
          description: "Counts",
          parameters: Schema.Struct({ n: Schema.optionalWith(Schema.Number, { default: () => ++count }) }),
          success: Schema.Void,
          approval,
          handler: (params) => Effect.sync(() => void ran.push(params))
        })
      for (const approval of ["always", ({ n }: { readonly n: number }) => n > 1e9] as const) {
        const seen = watching()
        const toolset = yield* Toolset.make([odd(approval)], { middleware: DefaultStack.make({}) })
        const ended = yield* Effect.flip(toolset.call({ ...request(seen.sink), name: "odd", rawParams: {} }))
        assert.strictEqual(ended._tag, "ParametersChanged")
        assert.lengthOf(tagsOf(seen, ...ends), 1)
      }
      assert.deepStrictEqual(ran, [])
    }).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" }))))
  )

  it.effect("says of no call that it has started whose parameters have become others since (T19, R3)", () =>
    Effect.gen(function* () {
      // Other parameters from the nth time on that they are decoded: while it is decided on, shown, or about to run.
      for (let nth = 2; nth < 12; nth++) {
        let count = 0
        const ran: Array<unknown> = []
        const odd = Tool.make("odd", {
          description: "Counts",
          parameters: Schema.Struct({
            n: Schema.optionalWith(Schema.Number, { default: () => (++count < nth ? 1 : 2) })
          }),
          success: Schema.Void,
          approval: "always",
          handler: (params) => Effect.sync(() => void ran.push(params))
        })
        const seen = watching()
        const toolset = yield* Toolset.make([odd], { middleware: DefaultStack.make({}) })
        yield* Effect.exit(toolset.call({ ...request(seen.sink), name: "odd", rawParams: {} }))
        assert.lengthOf(tagsOf(seen, "ToolCallStarted"), ran.length, `${nth}`)
      }
    }).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" }))))
  )

  it.effect("begins nothing once a call has its end, whoever kept the way to its handler (T19)", () =>
    Effect.gen(function* () {
      const [deeds, seen] = [{ ran: [] as Array<unknown> }, watching()]
      const kept: Array<Effect.Effect<void, Toolset.GateError>> = []
      const keeps: Middleware<ToolCall> = (call, next) =>
        Effect.sync(() => {
          kept.push(next(call) as never)
          return { value: null, text: "done" } as never
        })
      const toolset = yield* Toolset.make([yield* tools.plain(deeds, "succeeds")], { middleware: keeps })
      yield* toolset.call(request(seen.sink))
      assert.lengthOf(kept, 1)
      for (const late of kept) assert.include((yield* Effect.flip(late)).message, "different or ended call")
      assert.deepStrictEqual(deeds.ran, [])
      assert.lengthOf(tagsOf(seen, "ApprovalRequested", "ToolCallStarted"), 0)
    }).pipe(Effect.provide(Approvals.layerDecide(() => ({ decision: "approve" }))))
  )

  it.effect("says why no decision was needed where its gate is left out, and checks all else (T19)", () =>
    Effect.gen(function* () {
      const [deeds, seen] = [{ ran: [] as Array<unknown> }, watching()]
      const tool = yield* tools.plain(deeds, "succeeds")
      const twice = steps["twice"]!
      const toolset = yield* Toolset.make([tool], { middleware: twice, gate: Gate.unguarded("unit test") })
      assert.deepStrictEqual(toolset.gate, { _tag: "Unguarded", reason: "unit test" })
      const ended = yield* Effect.flip(toolset.call(request(seen.sink)))
      assert.strictEqual(ended._tag, "AlreadyRan")
      assert.deepStrictEqual(deeds.ran, [{ to: "alice" }])
      assert.deepInclude(tagsOf(seen, "ToolCallStarted")[0], { unguarded: "unit test", readOnly: false })
      assert.deepInclude(DefaultStack.describe({}, tool, toolset.gate), { step: "unguarded", detail: "unit test" })
      const nameless = yield* Effect.flip(Toolset.make([tool], { gate: Gate.unguarded(" ") }))
      assert.include(nameless.message, "without a reason")
    })
  )

  it.effect("behind a toolkit of somebody else is still behind the gate (T19)", () =>
    Effect.gen(function* () {
      const deeds = { ran: [] as Array<unknown> }
      const tool = yield* tools.silent(deeds, "succeeds")
      const { handle } = yield* toToolkit(yield* Toolset.make([tool]))
      const answer = yield* handle("pay", { to: "alice" } as never)
      assert.deepStrictEqual(deeds.ran, [])
      assert.isTrue(answer.isFailure)
    }).pipe(Effect.provide(Approvals.layer({ policy: "deny" })))
  )

  it.effect("fails closed where nobody decides at all, whatever its types were told (T19, A7)", () =>
    Effect.gen(function* () {
      const deeds = { ran: [] as Array<unknown> }
      const toolset = yield* Toolset.make([yield* tools.plain(deeds, "succeeds")])
      const { call } = toolset as unknown as Toolset.Toolset<Toolset.GateError, never>
      assert.strictEqual((yield* Effect.flip(call(request(watching().sink))))._tag, "ApprovalUnavailable")
      assert.deepStrictEqual(deeds.ran, [])
    })
  )

  it.effect(
    "tells a model that something may have happened after whatever went wrong behind the handler (T19, R9)",
    () =>
      Effect.gen(function* () {
        const rejects: Middleware<ToolCall, { fails: "no" }> = (call, next) =>
          Effect.zipRight(next(call), Effect.fail("no" as const))
        for (const [ending, own] of [
          ["succeeds", '{"error":"no","note":"pay had started; what it did stays done.'],
          ["crashes", '{"error":"tool pay crashed","note":"pay had started;'],
          ["fails", '{"error":"the bank refused"}']
        ] as const) {
          const seen = watching()
          const tool = yield* tools.plain({ ran: [] }, ending)
          const toolset = yield* Toolset.make([tool], { middleware: rejects, gate: Gate.unguarded("unit test") })
          yield* Effect.exit(toolset.call(request(seen.sink)))
          assert.include(resultOf(seen), own)
          if (ending === "fails")
            assert.deepInclude(tagsOf(seen, "ToolCallFailed")[0], {
              error: { _tag: "Refused", message: "the bank refused", data: { _tag: "Refused" } }
            })
        }
      })
  )
})
