import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DatabaseFailed } from "../../src/database/DatabaseError.ts"
import { DeleteSession, ForkSession } from "../../src/runtime/Command.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionFiles, SessionFilesFailed } from "../../src/runtime/SessionFiles.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as Testing from "../../src/testing.ts"
import { failureOf } from "../support/failureOf.ts"

const session = "session_1"
const fork = "fork"

/** A store and files that note what is done, in order, and fail once each where that is wanted. */
const noting = (failing: { readonly copy?: true; readonly remove?: true; readonly store?: true } = {}) => {
  const done: Array<string> = []
  const open = new Set<string>(Object.keys(failing))
  const failed = (action: "copy" | "remove", of: string) =>
    Effect.suspend(() =>
      open.delete(action)
        ? new SessionFilesFailed({ session: of, action, path: "/kept", reason: "the disk is full" })
        : Effect.void
    )
  const broken = Effect.suspend(() =>
    open.delete("store") ? new DatabaseFailed({ file: "x", code: "x", reason: "it is broken." }) : Effect.void
  )
  const note = (what: string) => Effect.sync(() => void done.push(what))
  const files = Layer.succeed(SessionFiles, {
    size: () => Effect.succeed(0),
    copy: (from, to) => Effect.zipRight(note(`copy files of ${from} for ${to}`), failed("copy", from)),
    remove: (of) => Effect.zipRight(note(`remove files of ${of}`), failed("remove", of))
  })
  const store = Layer.map(MemorySessionStore.layer, (context) => {
    const own = Context.get(context, SessionStore)
    const spied: SessionStore["Type"] = {
      ...own,
      delete: (lease) =>
        note(`delete ${lease.session}`).pipe(Effect.zipRight(broken), Effect.zipRight(own.delete(lease))),
      copy: (lease, origin, finish) =>
        note(`copy ${origin.session}`).pipe(Effect.zipRight(broken), Effect.zipRight(own.copy(lease, origin, finish)))
    }
    return Context.make(SessionStore, spied)
  })
  const layer = Layer.provide(Testing.layer({ model: ["one"], store, randomIds: true }), files)
  return { done, layer }
}

describe("what a session has on the disk", () => {
  it.scopedLive("is removed before its log is, so that whatever comes in between can be repeated (K6)", () => {
    const { done, layer } = noting({ store: true })
    return Effect.gen(function* () {
      const runtime = yield* Runtime
      yield* (yield* Testing.session()).run("hello")
      const broken = yield* failureOf(runtime.request(new DeleteSession({ session })))
      assert.include(broken.message, "it is broken")
      assert.strictEqual((yield* (yield* SessionStore).get(session)).title, "hello")
      yield* runtime.request(new DeleteSession({ session }))
      const once = [`remove files of ${session}`, `delete ${session}`]
      assert.deepStrictEqual(done, [...once, ...once])
    }).pipe(Effect.provide(layer))
  })

  it.scopedLive("keeps its session where it cannot be removed, which is said and can be repeated (K6)", () => {
    const { done, layer } = noting({ remove: true })
    return Effect.gen(function* () {
      const runtime = yield* Runtime
      yield* (yield* Testing.session()).run("hello")
      const failure = yield* failureOf(runtime.request(new DeleteSession({ session })))
      assert.deepInclude(failure, { _tag: "RequestRejected", error: "SessionFilesFailed" })
      assert.match(failure.message, /session_1 could not be removed: \/kept: the disk is full\. .*then delete it again/)
      assert.deepStrictEqual(done, [`remove files of ${session}`])
      assert.strictEqual((yield* (yield* SessionStore).get(session)).title, "hello")
      yield* runtime.request(new DeleteSession({ session }))
      assert.strictEqual((yield* failureOf((yield* SessionStore).get(session)))._tag, "SessionNotFound")
    }).pipe(Effect.provide(layer))
  })

  it.scopedLive("is copied before the copy is stored, and only for a session that is new (K6)", () => {
    const { done, layer } = noting()
    return Effect.gen(function* () {
      const runtime = yield* Runtime
      yield* (yield* Testing.session()).run("hello")
      yield* runtime.request(new ForkSession({ session, fork }))
      const copied = [`copy files of ${session} for ${fork}`, `copy ${session}`]
      assert.deepStrictEqual(done, copied)
      const refused = yield* failureOf(runtime.request(new ForkSession({ session, fork })))
      assert.include(refused.message, "exists already")
      assert.deepStrictEqual(done, copied)
    }).pipe(Effect.provide(layer))
  })

  for (const [what, failing, said] of [
    ["it cannot be copied", { copy: true }, /could not be copied: \/kept: the disk is full\. No copy was made/],
    ["its log cannot be copied", { store: true }, /it is broken/]
  ] as const) {
    it.scopedLive(`leaves neither a copy nor anything of one where ${what} (K6)`, () => {
      const { done, layer } = noting(failing)
      return Effect.gen(function* () {
        const runtime = yield* Runtime
        const store = yield* SessionStore
        yield* (yield* Testing.session()).run("hello")
        const failure = yield* failureOf(runtime.request(new ForkSession({ session, fork })))
        assert.match(failure.message, said)
        assert.strictEqual(done.at(-1), `remove files of ${fork}`)
        assert.deepStrictEqual(
          (yield* store.list({ limit: 10 })).map(({ id }) => id),
          [session]
        )
        const { event } = yield* runtime.request(new ForkSession({ session, fork }))
        assert.deepInclude(event, { _tag: "SessionForked", origin: session })
        assert.strictEqual(done.at(-1), `copy ${session}`)
      }).pipe(Effect.provide(layer))
    })
  }
})
