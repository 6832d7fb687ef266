import { assert, describe, it } from "@effect/vitest"
import {
  Cause,
  Data,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Option,
  Redacted,
  Schema,
  Stream,
  TestClock
} from "effect"
import type { Tools } from "../../src/agent/Tools.ts"
import { Tools as ToolsTag } from "../../src/agent/Tools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Accounts } from "../../src/cost/Accounts.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { Middleware } from "../../src/middleware/Middleware.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { type ModelPart, noUsage } from "../../src/model/ModelPart.ts"
import { Models } from "../../src/model/Models.ts"
import * as Redactor from "../../src/redaction/Redactor.ts"
import type { Event } from "../../src/runtime/Event.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Projects, type ProjectTools } from "../../src/runtime/Projects.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import type { ToolCall } from "../../src/tool/ToolCall.ts"

const thrown = (): never => {
  throw new Error("a bug of the user")
}
const finished: ModelPart = { _tag: "Finished", reason: "stop", usage: noUsage }
const gives = (...parts: ReadonlyArray<unknown>) => Stream.fromIterable(parts as ReadonlyArray<ModelPart>)
const model: ModelService = { name: "m", stream: () => gives({ _tag: "TextDelta", text: "hi" }, finished) }

/** What no compiler has seen. */
const untyped = <A>(value: unknown): A => value as A

interface World {
  readonly projects?: (tools: Tools["Type"]) => Partial<Projects["Type"]>
  readonly project?: (tools: Tools["Type"]) => Partial<Record<keyof ProjectTools, unknown>>
  readonly models?: Partial<Models["Type"]>
  readonly others?: Layer.Layer<never>
}

const world = ({ models = {}, others = Layer.empty, project = () => ({}), projects = () => ({}) }: World) =>
  Runtime.layerProjects.pipe(
    Layer.provide(
      Layer.effect(
        Projects,
        Effect.map(ToolsTag, (tools) => ({
          locate: (directory: string) => Effect.succeed({ project: directory, directory }),
          get: (place: { readonly project: string; readonly directory: string }) =>
            Effect.succeed(untyped<ProjectTools>({ ...place, tools, ...project(tools) })),
          ...projects(tools)
        }))
      )
    ),
    Layer.provide(ToolsTag.layerEffect(Toolset.make([]))),
    Layer.provide(
      Layer.succeed(Models, { profiles: ["m"], preferred: "m", get: () => Effect.succeed(model), ...models })
    ),
    Layer.provide(Approvals.layer({ policy: "allow" })),
    Layer.provide(MemorySessionStore.layer),
    Layer.provide(others)
  )

/** All that somebody is told who opens a session and gives it a task. */
const told = Effect.gen(function* () {
  const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/work" } })
  const task = yield* session.submit("remember that tabs are used here")
  return JSON.stringify(Array.from(yield* Stream.runCollect(task.events)))
}).pipe(Effect.catchAll(({ message }) => Effect.succeed(message)))

const parts: Readonly<Record<string, readonly [world: World, says: RegExp]>> = {
  "a brief that is none": [{ project: () => ({ brief: () => Effect.succeed({}) }) }, /the code that makes it failed/],
  "memory that gives no lists": [
    {
      project: () => ({
        memory: { asksModel: false, recall: () => Effect.succeed(7), learn: () => Effect.void }
      })
    },
    /memory.*its code failed/i
  ],
  "a branch that is no text": [{ project: () => ({ branch: Effect.succeed({ name: "main" }) }) }, /TaskCompleted/],
  "a background that throws": [{ project: () => ({ background: { open: thrown } }) }, /TaskCompleted/],
  "a background whose end is none": [{ project: () => ({ background: { open: () => Effect.void } }) }, /TaskCompleted/],
  "rules that are none": [{ project: () => ({ rules: {} }) }, /projects gave what its type does not allow/],
  "rules that throw": [
    { project: () => ({ rules: { subjects: {}, peek: thrown, get: Effect.void, reload: Effect.sync(thrown) } }) },
    /The code that reads the rules of the project crashed; see the log/
  ],
  "tools that are not listed": [
    { project: (tools) => ({ tools: { ...tools, functions: thrown } }) },
    /The code that lists the tools of the project crashed/
  ],
  "a project that is none": [
    { projects: () => ({ get: () => Effect.succeed(untyped(undefined)) }) },
    /projects gave what its type does not allow/
  ],
  "a place that is none": [
    { projects: () => ({ locate: () => Effect.succeed(untyped(undefined)) }) },
    /projects gave what its type does not allow/
  ],
  "accounts that do not open": [
    { others: Layer.succeed(Accounts, { open: thrown }) },
    /The code that keeps accounts crashed/
  ],
  "accounts that do not settle": [
    { others: Layer.succeed(Accounts, { open: () => Effect.succeed({ settle: thrown }) }) },
    /The code that keeps accounts crashed/
  ],
  "a profile without a model": [
    { models: { get: () => Effect.succeed(untyped(undefined)) } },
    /Profile m cannot be used: .* is no model/
  ],
  "a model without a name": [
    { models: { get: () => Effect.succeed(untyped({ stream: model.stream })) } },
    /Profile m cannot be used: .* is no model/
  ],
  "a route to nowhere": [
    { models: { route: () => Effect.succeed(untyped(undefined)) } },
    /Profile m cannot be used: .* is no decision/
  ],
  "an answer that cannot be kept": [
    {
      models: {
        get: () => {
          const cyclic: { self?: unknown } = {}
          cyclic.self = cyclic
          return Effect.succeed({ name: "m", stream: () => gives({ ...finished, provider: cyclic }) })
        }
      }
    },
    /Model m crashed/
  ],
  "a redactor that throws": [
    {
      others: Layer.succeed(Redactor.Redactor, {
        ...Redactor.make(),
        text: thrown,
        jsonText: thrown,
        json: thrown,
        stream: thrown,
        deed: thrown
      })
    },
    /hidden: the code that redacts crashed/
  ]
}

describe("the user's own parts", () => {
  it.scopedLive.each(Object.entries(parts))("with %s are told of as what they are (T19)", ([, [given, says]]) =>
    Effect.gen(function* () {
      const all = yield* told
      assert.match(all, says)
      assert.notInclude(all, "bug in Tollgate")
      assert.notInclude(all, "a bug of the user")
    }).pipe(Effect.provide(world(given)))
  )

  const stuck: Readonly<Record<string, Parameters<typeof world>[0]["project"]>> = {
    "looks up its branch": () => ({ branch: Effect.never }),
    "briefs the model": () => ({ brief: () => Effect.uninterruptible(Effect.never) }),
    "opens its background": () => ({ background: { open: () => Effect.never } }),
    "ends its background": () => ({ background: { open: () => Effect.succeed(Effect.never) } })
  }
  it.effect.each(Object.entries(stuck))(
    "do not keep a runtime from its end while one %s for ever (R9)",
    ([, project]) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const using = Effect.gen(function* () {
          const { session } = yield* Runtime
          yield* Effect.forkDaemon(
            Effect.scoped(
              Effect.flatMap(session({ id: "s", create: { project: "/work" } }), (opened) => opened.prompt("go"))
            )
          )
          yield* Effect.repeatN(Effect.yieldNow(), 200)
          yield* Deferred.succeed(begun, undefined)
        })
        const given = project === undefined ? {} : { project }
        const fiber = yield* Effect.forkDaemon(Effect.provide(Effect.scoped(using), world(given)))
        yield* Deferred.await(begun)
        yield* Effect.repeatN(Effect.zipRight(TestClock.adjust("10 seconds"), Effect.yieldNow()), 20)
        const exit = yield* fiber.poll
        assert(Option.isSome(exit) && Exit.isSuccess(exit.value), "the runtime has ended")
        yield* Fiber.join(fiber)
      })
  )
})

class Odd extends Data.TaggedError("Odd") {
  override get message(): string {
    return thrown()
  }
}
class Stopping extends Schema.TaggedError<Stopping>()("Stopping", { stop: Schema.Boolean, message: Schema.String }) {}

const failing = (failure: Effect.Effect<string, never>) =>
  Tool.make("act", {
    description: "Acts",
    parameters: Schema.Struct({}),
    success: Schema.String,
    approval: "never",
    mode: "both",
    handler: () => failure
  })

const failures: Readonly<Record<string, unknown>> = {
  "whose message throws": new Odd(),
  "that is a text": "no luck",
  "that is nothing": undefined,
  "that says stop by itself": new Stopping({ stop: true, message: "stop the press" })
}

const assertGoesOn = (events: ReadonlyArray<{ readonly event: Event }>) => {
  const tags = events.map(({ event }) => event._tag)
  assert.include(tags, "ToolCallFailed")
  assert.strictEqual(tags.at(-1), "TaskCompleted")
  assert.notInclude(JSON.stringify(events), "bug in Tollgate")
}
const turns = [[{ call: { name: "act" } }], [{ say: "sorry" }]] as const

it.scopedLive("a secret in what a model dies of is not in the log (S5, T19)", () => {
  const secret = "correct-horse-battery"
  const logged: Array<string> = []
  const logger = Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${Cause.pretty(cause)}`))
  return Effect.gen(function* () {
    assert.match(yield* told, /Model m crashed/)
    assert.match(logged.join("\n"), /Model m crashed[^]*refused for/)
    assert.notInclude(logged.join("\n"), secret)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        world({
          models: {
            get: () =>
              Effect.succeed({ name: "m", stream: () => Stream.die(new Error(`refused for the key ${secret}`)) })
          },
          others: Redactor.Redactor.layer({ secrets: [Redacted.make(secret)] })
        }),
        Logger.replace(Logger.defaultLogger, logger)
      )
    )
  )
})

describe("a failure of the user's", () => {
  it.scopedLive.each(Object.entries(failures))("%s fails the call of its handler alone (T19)", ([, failure]) =>
    Effect.gen(function* () {
      assertGoesOn(yield* (yield* Testing.session()).run("go"))
    }).pipe(Effect.provide(Testing.layer({ tools: [failing(Effect.fail(failure as never))], model: turns })))
  )

  it.scopedLive.each(Object.entries(failures))("%s fails the call of its middleware alone (T19)", ([, failure]) =>
    Effect.gen(function* () {
      assertGoesOn(yield* (yield* Testing.session()).run("go"))
    }).pipe(
      Effect.provide(
        Testing.layer({
          toolset: Toolset.make([failing(Effect.succeed("done"))], {
            middleware: (() => Effect.fail(failure as never)) satisfies Middleware<ToolCall>
          }),
          model: turns
        })
      )
    )
  )
})
