import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Schema } from "effect"
import { Delegation } from "../../src/agent/Delegation.ts"
import type { DelegationFailed, DelegationResult } from "../../src/agent/Delegation.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { told, turn } from "./Delegating.ts"

const common = { description: "d", approval: "never", parameters: Schema.Struct({}), success: Schema.String } as const
const call = (name: string) => ({ call: { name } })

/** What a handler has begun in the background and left behind. */
const left = Effect.gen(function* () {
  const begin = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<Exit.Exit<DelegationResult, DelegationFailed>>()
  /** Delegates in a fiber of its own, which outlives the call. */
  const leaving = (before: Effect.Effect<void>, rest: Effect.Effect<void>) =>
    Tool.make("leak", {
      ...common,
      handler: (_, call) =>
        Effect.gen(function* () {
          const { delegate } = yield* Delegation
          const late = Effect.zipRight(before, Effect.exit(delegate({ call, task: "late" })))
          yield* Effect.forkDaemon(Effect.flatMap(late, (exit) => Deferred.succeed(ended, exit)))
          yield* rest
          return "left"
        })
    })
  return { begin, ended, leaving }
})

describe("a delegation that outlives its call", () => {
  it.effect("starts no worker while the task goes on (R3, U3)", () =>
    Effect.gen(function* () {
      const { begin, ended, leaving } = yield* left
      const slow = Tool.make("slow", {
        ...common,
        handler: () =>
          Effect.as(
            Effect.zipRight(Deferred.succeed(begin, undefined), Effect.exit(Effect.flatten(Deferred.await(ended)))),
            "ok"
          )
      })
      const tools = [leaving(Deferred.await(begin), Effect.void), slow]
      const model = [turn("go", call("leak")), turn("go", call("slow")), turn("go", { say: "Done" })]
      const events = yield* Effect.flatMap(Testing.session(), (session) => session.run("go")).pipe(
        Effect.provide(Testing.layer({ tools, model }))
      )
      const error = yield* Effect.flip(Effect.flatten(Deferred.await(ended)))
      assert.strictEqual(error.message, "No worker was started: the call that asks for it has ended.")
      assert.deepStrictEqual(told(events, "WorkerStarted"), [])
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
    })
  )

  it.effect("asks no model, runs nothing and asks nobody once the task has ended (R3, U3, A8)", () =>
    Effect.gen(function* () {
      const { begin, ended, leaving } = yield* left
      const ran: Array<string> = []
      const read = Tool.make("read", {
        ...common,
        readOnly: true,
        handler: () => Effect.sync(() => (ran.push("read"), ""))
      })
      const write = Tool.make("write", {
        ...common,
        approval: "always",
        handler: () => Effect.sync(() => (ran.push("write"), ""))
      })
      const tools = [leaving(Deferred.await(begin), Effect.void), read, write]
      const model = yield* Testing.Scripted.make([
        turn("go", call("leak")),
        turn("go", { say: "Done" }),
        turn("late", call("read")),
        turn("late", call("write")),
        turn("late", { say: "Late" })
      ])
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.run("go")
        yield* Deferred.succeed(begin, undefined)
        assert.isTrue(Exit.isFailure(yield* Deferred.await(ended)))
        assert.lengthOf(yield* model.requests, 2)
        assert.deepStrictEqual(ran, [])
        const approvals = yield* Approvals
        assert.deepStrictEqual((yield* approvals.state()).pending, [])
        assert.strictEqual((yield* session.recorded).at(-1)?.event._tag, "TaskCompleted")
      }).pipe(Effect.provide(Testing.layer({ tools, model, policy: "ask" })))
    })
  )

  it.effect("is stopped with its worker where that runs as the call ends (R3, R4, U3)", () =>
    Effect.gen(function* () {
      const { ended, leaving } = yield* left
      const running = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const hang = Tool.make("hang", {
        ...common,
        handler: () =>
          Effect.onInterrupt(Effect.zipRight(Deferred.succeed(running, undefined), Effect.never), () =>
            Deferred.succeed(stopped, undefined)
          )
      })
      const tools = [leaving(Effect.void, Deferred.await(running)), hang]
      const model = [turn("go", call("leak")), turn("late", call("hang")), turn("go", { say: "Done" })]
      const events = yield* Effect.flatMap(Testing.session(), (session) =>
        Effect.zipLeft(session.run("go"), Deferred.await(stopped))
      ).pipe(Effect.provide(Testing.layer({ tools, model })))
      assert.isTrue(Exit.isFailure(yield* Deferred.await(ended)))
      assert.deepStrictEqual(told(events, "WorkerStarted", "WorkerInterrupted", "ToolCallCompleted", "TaskCompleted"), [
        "WorkerStarted W1",
        "WorkerInterrupted W1",
        "ToolCallCompleted",
        "TaskCompleted"
      ])
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
    })
  )
})
