import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import { Feed } from "../../src/server/Feed.ts"
import * as Testing from "../../src/testing.ts"

describe("the stream of what happens in all sessions", () => {
  it.scoped("looks for what waits once for all readers that come while it looks (R5)", () => {
    let looks = 0
    const store = Layer.provide(
      Layer.effect(
        SessionStore,
        Effect.map(SessionStore, (kept) =>
          SessionStore.of({
            ...kept,
            waiting: (limit) => {
              looks += 1
              return Effect.zipRight(Effect.yieldNow(), kept.waiting(limit))
            }
          })
        )
      ),
      MemorySessionStore.layer
    )
    const parts = Layer.mergeAll(Testing.layer({ model: [], store }), store, Approvals.layer({ policy: "deny" }))
    return Effect.gen(function* () {
      const { frames } = yield* Feed
      const heads = yield* Effect.forEach(Array.from({ length: 100 }), () => Stream.runHead(frames(undefined)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(heads.filter(Option.isSome), 100)
      assert.isAtLeast(looks, 1)
      assert.isAtMost(looks, 3)
    }).pipe(Effect.provide(Layer.provide(Feed.layer, parts)))
  })
})
