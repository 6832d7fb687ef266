import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import * as path from "node:path"
import { modelView } from "../../src/conversation/ModelView.ts"
import { Database } from "../../src/database/Database.ts"
import { InvokeTool, ResumeSession } from "../../src/runtime/Command.ts"
import type { Event } from "../../src/runtime/Event.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { failureOf } from "../support/failureOf.ts"
import { mortal } from "../support/mortal.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const common = { parameters: Schema.Struct({}), success: Schema.String, mode: "manual", timeout: 0 } as const
const tools = [
  Tool.make("push", { ...common, description: "Pushes", handler: () => Effect.never }),
  Tool.make("look", { ...common, description: "Looks", readOnly: true, handler: () => Effect.never })
] as const

const stores = [
  ["memory", Effect.succeed(MemorySessionStore.layer)],
  [
    "SQLite",
    Effect.map(temporaryDirectory, (folder) =>
      SqlSessionStore.layer.pipe(Layer.provide(Database.layer(path.join(folder, "a.db"))), Layer.orDie)
    )
  ]
] as const

/** A runtime of its own on the store. */
const boot = (store: SessionStore["Type"]) =>
  Layer.build(Testing.layer({ model: ["Seen"], tools, store: Layer.succeed(SessionStore, store), randomIds: true }))

const isOutcome = (event: Event) =>
  /^ToolCall(?:Completed|Failed|Interrupted|OutcomeUnknown)$/.test(event._tag) ? [event._tag] : []

describe.each(stores)("an owner of a session in %s", (_, layer) => {
  const kept = Effect.flatMap(Effect.flatMap(layer, Layer.build), (built) => mortal(Context.get(built, SessionStore)))

  it.scopedLive("keeps it from another runtime of its process, which is told so (R9)", () =>
    Effect.gen(function* () {
      const store = yield* (yield* kept).born
      const [first, second] = [yield* boot(store), yield* boot(store)]
      const { recorded, run } = yield* Effect.provide(Testing.session("s"), first)
      const other = Context.get(second, Runtime)
      const busy = yield* failureOf(other.session({ id: "s", resume: true }))
      assert.deepInclude(busy, { _tag: "RequestRejected", error: "SessionBusy" })
      const events = yield* other.events
      yield* other.send(new ResumeSession({ session: "s" }))
      const refused = yield* Stream.runHead(Stream.filter(events, ({ event }) => event._tag === "CommandRejected"))
      assert.include(JSON.stringify(refused), "open by another runtime of this process")
      yield* run("go")
      assert.deepStrictEqual(Testing.Timeline.violations(yield* recorded), [])
      assert.isFalse((yield* recorded).some(({ event }) => event._tag === "SessionResumed"))
    })
  )

  it.scopedLive.each([
    ["push", "ToolCallOutcomeUnknown", "its outcome is unknown"],
    ["look", "ToolCallInterrupted", "nothing was changed"]
  ] as const)(
    "leaves a tool of the user's with one outcome, which the model is told: %s (R4, R9)",
    ([tool, tag, told]) =>
      Effect.gen(function* () {
        const { born, die } = yield* kept
        const lost = yield* Effect.provide(Testing.session("s"), yield* boot(yield* born))
        yield* lost.send(new InvokeTool({ session: "s", task: "t", tool, parameters: {} }))
        yield* lost.awaitEvent((event) => event._tag === "ToolCallStarted")
        yield* die
        const store = yield* born
        const found = yield* Effect.provide(Testing.session("s"), yield* boot(store))
        yield* found.run("go")
        const recorded = yield* found.recorded
        assert.deepStrictEqual(
          recorded.flatMap(({ event }) => isOutcome(event)),
          [tag]
        )
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        const seen = modelView(yield* store.messages("s", 100)).map(({ message }) => message)
        assert.isTrue(
          seen.some(
            ({ content, role }) =>
              role === "system" && content?.includes(`The user ran ${tool}`) === true && content.includes(told)
          )
        )
      })
  )
})
