import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger, Schema } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Reviewer } from "../../src/approval/Reviewer.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { when } from "../../src/middleware/when.ts"
import type { Command } from "../../src/runtime/Command.ts"
import { toLine } from "../../src/runtime/Envelope.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import type {
  RequestError,
  SessionClosed,
  SessionHandle,
  TaskUnfinished,
  WatchError
} from "../../src/runtime/SessionHandle.ts"
import * as Testing from "../../src/testing.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import * as Hook from "../../src/tool/Hook.ts"
import * as Tool from "../../src/tool/Tool.ts"

/** What no compiler has seen. */
const untyped = <A>(value: unknown): A => value as A

/** The promise is one that rejects: left alone it would end the process, and fails this file. */
const rejecting = untyped<never>(() => Promise.reject(new Error("a bug of the user")))

class Failing extends Schema.TaggedError<Failing>()("Failing", {}) {}

const act = (options: object = {}) =>
  Tool.make("act", {
    description: "Acts",
    parameters: Schema.Struct({}),
    success: Schema.String,
    mode: "both",
    handler: () => Effect.succeed("done"),
    ...options
  })
const model = [[{ call: { name: "act" } }], [{ say: "sorry", repeat: true }]] as const
const world = (options: object) => Testing.layer(untyped<Testing.HarnessOptions<readonly []>>({ model, ...options }))

describe("a promise in place of what code of the user is to give", () => {
  const retry = { retryable: rejecting, schedule: untyped<never>({}), description: "" }
  const flaky = { idempotent: true, retry, failure: Failing, handler: () => new Failing() }
  const dynamic = { description: "Acts", jsonSchema: { type: "object" }, handler: rejecting }
  const reviewed = Approvals.layer({ policy: "deny" }).pipe(
    Layer.provide(Layer.succeed(Reviewer, { decide: rejecting }))
  )
  const cases: Readonly<Record<string, object>> = {
    "a handler": { tools: [act({ handler: rejecting })] },
    "a handler of a dynamic tool": { tools: [DynamicTool.make("act", dynamic)] },
    "`approval`": { tools: [act({ approval: rejecting })] },
    "`preview`": { tools: [act({ preview: rejecting })], decide: () => ({ decision: "approve" }) },
    "`failed`": { tools: [act({ failed: rejecting })] },
    "a predicate of what may be tried again": { tools: [act(flaky)] },
    "a pre hook": { tools: [act()], stack: { hooks: [Hook.pre("*", rejecting)] } },
    "a post hook": { tools: [act()], stack: { hooks: [Hook.post("*", rejecting)] } },
    "a middleware": { toolset: Toolset.make([act()], { middleware: rejecting }) },
    "a middleware of a tool": { tools: [Tool.wrap(act(), rejecting)] },
    "the predicate of a middleware": { toolset: Toolset.make([act()], { middleware: when(rejecting, rejecting) }) },
    "a rule of a test": { tools: [act()], decide: rejecting },
    "a reviewer": { tools: [act()], approvals: reviewed },
    "a model": { model: { name: "mine", stream: rejecting } }
  }
  it.scopedLive.each(Object.entries(cases))("by %s is told of as one and ends no process (T19)", ([, options]) => {
    const logged: Array<string> = []
    const logger = Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${Cause.pretty(cause)}`))
    return Effect.gen(function* () {
      const events = yield* (yield* Testing.session()).run("go")
      assert.match(`${JSON.stringify(events)} ${logged.join("\n")}`, /returned a promise, not an? /)
      assert.notInclude(JSON.stringify(events.map(({ event }) => event._tag)), "ToolCallCompleted")
    }).pipe(Effect.provide(Layer.provideMerge(world(options), Logger.replace(Logger.defaultLogger, logger))))
  })

  it.scopedLive("by what says what a call touches counts as no word of it (T19, T20)", () =>
    Effect.gen(function* () {
      const events = yield* (yield* Testing.session()).run("go")
      assert.include(JSON.stringify(events), "ToolCallCompleted")
    }).pipe(Effect.provide(world({ tools: [act({ touches: rejecting })] })))
  )
})

type Asks = (
  session: SessionHandle,
  runtime: Runtime["Type"]
) => Effect.Effect<object | void, RequestError | WatchError | TaskUnfinished | SessionClosed>
const five = untyped<never>(5)

/** Every event is one of the format of a log, whatever was sent. */
const assertReadable = (session: Testing.TestSession) =>
  Effect.flatMap(session.recorded, (recorded) => Testing.Recording.parse(recorded.map(toLine).join("\n")))

describe("a command that is none by its type", () => {
  const wrong: Readonly<Record<string, readonly [asks: Asks, says: RegExp]>> = {
    "a prompt": [(session) => session.prompt(five), /prompt: expected text, is 5/],
    "no prompt": [(session) => session.prompt(untyped(undefined)), /prompt: /],
    "the id of a task": [(session) => session.submit("go", { task: five }), /task: expected text, is 5/],
    "the name of a tool": [(session) => session.invoke(five, {}), /tool: expected text, is 5/],
    "a profile": [(session) => session.switchModel(five), /profile: expected text, is 5/],
    "a request": [(session) => session.approve(untyped({})), /approvalId: /],
    "a scope": [
      (session) => session.approve(untyped({ id: "a", digest: "d" }), { scope: five }),
      /scope: expected "once"/
    ],
    "the reason of a denial": [
      (session) => session.deny(untyped({ id: "a", digest: "d" }), { reason: five }),
      /reason: expected text, is 5/
    ],
    "the tag of a command": [(_, runtime) => runtime.request(untyped<Command>({ _tag: "Nothing" })), /no command/],
    "nothing at all": [(_, runtime) => runtime.request(untyped<Command>(undefined)), /no command/],
    "a field of a plain command": [
      (session, runtime) =>
        runtime.request(untyped<Command>({ _tag: "SubmitPrompt", session: session.id, task: five, prompt: "go" })),
      /task: expected text, is 5/
    ]
  }
  it.scoped.each(Object.entries(wrong))(
    "by %s is rejected as what it is, and its session goes on (R2)",
    ([, [asks, says]]) =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const session = yield* Testing.session()
        const refused = yield* Effect.flip(asks(yield* runtime.session({ id: session.id, resume: true }), runtime))
        assert.propertyVal(refused, "_tag", "RequestRejected")
        assert.match(refused.message, says)
        assert.notInclude(refused.message, "bug in Tollgate")
        assert.strictEqual((yield* session.run("go")).at(-1)?.event._tag, "TaskCompleted")
        yield* assertReadable(session)
      }).pipe(Effect.provide(world({ model: ["Done"] })))
  )

  it.scoped("is told of as rejected where nobody waits for its answer, and not taken by the queue (R1, R2)", () =>
    Effect.gen(function* () {
      const { commands, send } = yield* Runtime
      const session = yield* Testing.session()
      for (const none of [undefined, 5, { _tag: "Nothing" }, { _tag: "SubmitPrompt", session: five, by: {} }]) {
        yield* send(untyped<Command>(none))
        assert.isFalse(yield* commands.offer(untyped<Command>(none)))
        assert.isFalse(commands.unsafeOffer(untyped<Command>(none)))
      }
      yield* session.run("go")
      yield* assertReadable(session)
    }).pipe(Effect.provide(world({ model: ["Done"] })))
  )

  it.scoped("is none for a field that has no value, nor for one that a decision has already (R2, A5)", () =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      const task = yield* session.submit("go", untyped<object>({ task: undefined, typed: undefined }))
      yield* session.deny(untyped<object>({ decision: "approve", scope: undefined, reason: undefined }))
      yield* task.await
      assert.notInclude(JSON.stringify(yield* session.recorded), "ToolCallStarted")
    }).pipe(Effect.provide(world({ tools: [act()], approvals: Approvals.layer({ policy: "ask" }) })))
  )

  it.scoped.each([
    ["reason", { decision: "deny", reason: 5 }],
    ["stop", { decision: "deny", stop: "no" }],
    ["decision", { decision: "yes", reason: 5 }]
  ])("by the %s of a rule denies, and its log can be read (A5, R6)", ([, answer]) =>
    Effect.gen(function* () {
      const session = yield* Testing.session()
      assert.include(JSON.stringify(yield* session.run("go")), '"outcome":"denied"')
      yield* assertReadable(session)
      assert.notInclude(JSON.stringify(yield* session.recorded), "ToolDefectCaught")
    }).pipe(Effect.provide(world({ tools: [act()], decide: () => answer })))
  )
})
