import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as path from "node:path"
import { canOf, type Editor } from "../../src/acp/Editor.ts"
import { codes } from "../../src/acp/Refused.ts"
import * as Sessions from "../../src/acp/Sessions.ts"
import { Host } from "../../src/host/Host.ts"
import { EndSession } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { models } from "../host/Directed.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** An editor that shows what it is told and can do nothing else. */
const editor: Editor = {
  can: canOf(),
  update: () => Effect.void,
  permission: () => Effect.never,
  form: () => Effect.never,
  readText: () => Effect.never,
  writeText: () => Effect.never,
  createTerminal: () => Effect.never,
  terminalExit: () => Effect.never,
  terminalOutput: () => Effect.never,
  killTerminal: () => Effect.void,
  releaseTerminal: () => Effect.void
}

describe("a session that an editor has open", () => {
  it.scoped("holds its project no longer once it has ended elsewhere (X3, R16)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const env = { PATH: "/usr/bin:/bin", HOME: base, TOLLGATE_HOME: path.join(base, "state") }
      yield* Effect.gen(function* () {
        const host = yield* Host
        const place = yield* host.locate(base)
        const sessions = yield* Sessions.make(editor)
        const { sessionId: session } = yield* sessions.create({ cwd: base, answered: Effect.void })
        const held = yield* Effect.scoped(host.project(place))
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual(yield* Effect.scoped(host.project(place)), held)
        yield* (yield* Runtime).request(new EndSession({ session }))
        const refused = Effect.flip(sessions.prompt(session, [], Effect.never))
        yield* Effect.repeat(Effect.zipRight(Effect.yieldNow(), refused), {
          until: ({ code }) => code === codes.notFound
        })
        yield* TestClock.adjust("2 minutes")
        assert.notStrictEqual(yield* Effect.scoped(host.project(place)), held)
      }).pipe(Effect.scoped, Effect.provide(Host.layer({ directory: base, env, models, policy: "deny" })))
    })
  )
})
