import { assert, describe, it } from "@effect/vitest"
import { Chunk, Context, Effect, Layer, Schema, Stream } from "effect"
import { DatabaseFull } from "../../../src/database/DatabaseError.ts"
import { Runtime } from "../../../src/runtime/Runtime.ts"
import { SessionStore } from "../../../src/runtime/SessionStore.ts"
import { follow } from "../../../src/server/openai/follow.ts"
import { Issued } from "../../../src/server/openai/Issued.ts"
import type { Turn } from "../../../src/server/openai/Turn.ts"
import * as Testing from "../../../src/testing.ts"
import * as Tool from "../../../src/tool/Tool.ts"

const act = Tool.make("act", {
  description: "d",
  parameters: Schema.Struct({}),
  success: Schema.String,
  approval: "always",
  handler: () => Effect.succeed("done")
})
const turn: Turn = {
  instructions: "",
  earlier: [],
  images: [],
  results: [],
  functions: [],
  approver: { kind: "function", name: "client_requestApproval" },
  showsCalls: false
}

describe("the answer to a client of OpenAI's interfaces", () => {
  it.scoped("says that what it waits for cannot be read, and ends what would wait for that (R4, A12)", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Runtime).session({ id: "s", create: { project: "/p" } })
      const task = yield* session.submit("go")
      const store = yield* SessionStore
      const full = { ...store, unfinished: () => Effect.fail(new DatabaseFull({ file: "sessions.db" })) }
      const context = Context.make(SessionStore, full)
      const said = yield* Effect.provide(
        follow({ by: "ada", session: "s", turn, tasks: [task.id], from: 1, answered: new Set() }),
        context
      )
      const told = Chunk.toReadonlyArray(yield* Stream.runCollect(said))
      assert.deepStrictEqual(
        told.map((one) => (one._tag === "Failed" ? `${one.code}: ${one.message}` : one._tag)),
        [`store_failed: ${new DatabaseFull({ file: "sessions.db" }).message}`]
      )
      assert.strictEqual((yield* task.await)._tag, "TaskInterrupted")
    }).pipe(
      Effect.provide(
        Layer.merge(
          Testing.layer({ model: [[{ call: { name: "act", arguments: {} } }], "One"], tools: [act], policy: "ask" }),
          Issued.layer
        )
      )
    )
  )
})
