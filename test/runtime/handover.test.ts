import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Database } from "../../src/database/Database.ts"
import * as RealClock from "../../src/process/RealClock.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** Two that share a database, and the directory in which processes show themselves. */
const two = Effect.gen(function* () {
  const file = path.join(yield* temporaryDirectory, "a.db")
  const store = Effect.map(
    Layer.build(Layer.fresh(SqlSessionStore.layer.pipe(Layer.provide(Database.layer(file)), Layer.orDie))),
    (context) => Context.get(context, SessionStore)
  )
  return { one: yield* store, other: yield* store, processes: `${file}-processes` }
})

const create = { project: "/p", profile: "test", time: 0 }
const wishes = (processes: string) => fs.readdirSync(processes).filter((name) => name.startsWith("wanted-"))

describe("handing over a session", () => {
  it.scopedLive("tells the owner of the sessions that are wanted and of no other, until it lets go (R9)", () =>
    Effect.gen(function* () {
      const { one, other, processes } = yield* two
      const asked = yield* Deferred.make<void>()
      const own = yield* Effect.fork(
        Effect.scoped(Effect.zipRight(one.open({ session: "a", create }), Deferred.await(asked)))
      )
      yield* one.open({ session: "b", create })
      const [a, b] = [one.handover!.requested("a"), one.handover!.requested("b")]
      const [first, second] = [
        yield* Effect.fork(Effect.zipRight(a, Deferred.succeed(asked, undefined))),
        yield* Effect.fork(b)
      ]
      yield* RealClock.until(
        Effect.map(other.handover!.owner("a"), (pid) => pid === process.pid),
        5000
      )
      assert.strictEqual(yield* other.handover!.request("a"), process.pid)
      assert.isUndefined(yield* other.handover!.request("a"))
      yield* Fiber.join(first)
      yield* Fiber.join(own)
      assert.strictEqual(one.handover!.takenBy("a"), process.pid)
      assert.isTrue(Option.isNone(yield* second.poll))
      assert.isUndefined(one.handover!.takenBy("b"))
      assert.deepStrictEqual(wishes(processes), [])
      yield* Effect.scoped(other.open({ session: "a" }))
    })
  )

  it.scopedLive("takes no wish of a process that is gone for one, and clears it away (R9)", () =>
    Effect.gen(function* () {
      const { one, other, processes } = yield* two
      yield* one.open({ session: "a", create })
      const asking = yield* Effect.fork(other.handover!.request("a"))
      yield* RealClock.until(
        Effect.sync(() => wishes(processes).length === 1),
        5000
      )
      const [living = ""] = wishes(processes)
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(wishes(processes), [])
      const dead = path.join(processes, living)
      fs.writeFileSync(dead, "")
      const told = yield* Effect.fork(one.handover!.requested("a"))
      assert.isTrue(
        yield* RealClock.until(
          Effect.sync(() => !fs.existsSync(dead)),
          5000
        )
      )
      assert.isTrue(Option.isNone(yield* told.poll))
    })
  )
})
