import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryDirectory } from "../../support/temporaryDirectory.ts"
import { served, type Served } from "../served.ts"
import { type Asked, type Decision, talkers } from "./Talker.ts"
import { models } from "./Writer.ts"

const isWritten = ({ directory }: Served, name: string): boolean => fs.existsSync(path.join(directory, name))

/** A call that must have come. */
const given = (asked: Asked | undefined): Asked => {
  if (asked === undefined) throw new Error("the client was not asked")
  return asked
}

const approve: Decision = { decision: "approve" }

for (const [name, start] of Object.entries(talkers)) {
  describe(name, () => {
    const talker = start()
    const late = start()

    it.scopedLive("runs what is approved, not what is denied, and goes on after a restart (A1, A2, A12)", () =>
      Effect.gen(function* () {
        const base = yield* temporaryDirectory
        const open = yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* served({ models, base })
            const first = yield* Effect.promise(() => talker.say(server, "write a.txt"))
            assert.include(given(first.asked).shown, "a.txt")
            assert.isFalse(isWritten(server, "a.txt"))
            const written = yield* Effect.promise(() => talker.decide(server, given(first.asked), approve))
            assert.strictEqual(written.text, "done")
            assert.isTrue(isWritten(server, "a.txt"))
            const second = yield* Effect.promise(() => talker.say(server, "write b.txt"))
            const no = { decision: "deny", reason: "not today" } as const
            const denied = yield* Effect.promise(() => talker.decide(server, given(second.asked), no))
            assert.strictEqual(denied.text, "done")
            assert.isFalse(isWritten(server, "b.txt"))
            const { asked } = yield* Effect.promise(() => talker.say(server, "worker write c.txt"))
            return given(asked)
          })
        )
        const server = yield* served({ models, base })
        assert.isFalse(isWritten(server, "c.txt"))
        const after = yield* Effect.promise(() => talker.decide(server, open, approve))
        assert.strictEqual(after.text, "done")
        assert.isTrue(isWritten(server, "c.txt"))
        const last = yield* Effect.promise(() => talker.say(server, "thanks"))
        assert.strictEqual(last.text, "done")
        const { json } = yield* server.ask("/v1/sessions")
        assert.strictEqual(json.sessions.length, 1)
      })
    )

    it.scopedLive("does not run what is approved too late, and tells what came instead (A12)", () =>
      Effect.gen(function* () {
        const base = yield* temporaryDirectory
        fs.mkdirSync(path.join(base, "state"))
        fs.writeFileSync(path.join(base, "state", "config.json"), '{"approvals":{"timeout":"1 second"}}')
        const server = yield* served({ models, base })
        const { asked } = yield* Effect.promise(() => late.say(server, "write late.txt"))
        const { json } = yield* server.ask("/v1/sessions")
        yield* Stream.runDrain(
          Stream.takeUntil(
            server.frames(`/v1/sessions/${json.sessions[0].id}/events`),
            ({ data }) => data.event?._tag === "ApprovalResolved" && data.event.outcome === "expired"
          )
        )
        const answered = yield* Effect.promise(() => late.decide(server, given(asked), approve))
        assert.strictEqual(answered.text, "done")
        assert.isFalse(isWritten(server, "late.txt"))
      })
    )
  })
}

for (const [name, start] of Object.entries(talkers).filter(([name]) => !name.startsWith("openai responses"))) {
  describe(`${name}, whose results carry a scope`, () => {
    it.scopedLive("is not asked again for what it has approved for the session (A1, A6)", () =>
      Effect.gen(function* () {
        const talker = start()
        const server = yield* served({ models })
        const first = yield* Effect.promise(() => talker.say(server, "write a.txt"))
        const yes = { ...approve, scope: "session" } as const
        const written = yield* Effect.promise(() => talker.decide(server, given(first.asked), yes))
        assert.strictEqual(written.text, "done")
        const again = yield* Effect.promise(() => talker.say(server, "write a.txt"))
        assert.deepStrictEqual(again, { text: "done", asked: undefined })
        const other = yield* Effect.promise(() => talker.say(server, "write b.txt"))
        assert.include(given(other.asked).shown, "b.txt")
      })
    )
  })
}
