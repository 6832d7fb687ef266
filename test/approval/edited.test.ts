import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Ref, Schema, Stream } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Audit } from "../../src/audit/Audit.ts"
import type { CallEvent } from "../../src/gate/CallEvent.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import * as Tool from "../../src/tool/Tool.ts"

const layer = Approvals.layerAudited({ policy: "ask" }).pipe(
  Layer.provideMerge(Layer.merge(Audit.layerMemory, RuleStore.layerMemory)),
  Layer.orDie
)

/** A call that waits, and what it has done and told so far. */
const asking = Effect.gen(function* () {
  const ran = yield* Ref.make<ReadonlyArray<string>>([])
  const events: Array<CallEvent> = []
  const sink = { emit: (event: CallEvent) => Effect.sync(() => void events.push(event)) }
  const send = Tool.make("send", {
    description: "Sends.",
    parameters: Schema.Struct({ to: Schema.String }),
    success: Schema.String,
    handler: ({ to }) =>
      Effect.as(
        Ref.update(ran, (before) => [...before, to]),
        "sent"
      )
  })
  const toolset = yield* Toolset.make([send], { middleware: DefaultStack.make({}) })
  const fiber = yield* Effect.fork(
    toolset.call({
      name: "send",
      rawParams: { to: "all" },
      callId: "c",
      sessionId: "s",
      workerPath: ["root"],
      startedAt: 0,
      sink: { ...sink, commit: sink.emit },
      by: "model"
    })
  )
  const approvals = yield* Approvals
  const request = Effect.flatMap(approvals.state(), ({ pending: [first] }) =>
    first === undefined ? Effect.fail("none yet") : Effect.succeed(first)
  ).pipe(Effect.retry({ while: () => Effect.as(Effect.yieldNow(), true), times: 1000 }), Effect.orDie)
  const decide = (given: { readonly parameters?: unknown; readonly digest?: string }) =>
    Effect.flatMap(request, ({ digest, id: approvalId, sessionId }) =>
      approvals.decide({ approvalId, sessionId, digest, decision: "approve", scope: "once", by: "user", ...given })
    )
  return { decide, events, fiber, ran, request }
})

/** The open request once it is another one. */
const another = <A extends { readonly id: string }>(request: Effect.Effect<A>, before: A) =>
  Effect.repeat(
    Effect.tap(request, () => Effect.yieldNow()),
    { until: ({ id }) => id !== before.id }
  )

describe("parameters that a person edits", () => {
  it.effect("are shown anew under a digest of their own before they run, and the model is told (A5, A15, U5)", () =>
    Effect.gen(function* () {
      const { decide, events, fiber, ran, request } = yield* asking
      const first = yield* request
      yield* decide({ parameters: { to: "ann" } })
      const second = yield* another(request, first)
      assert.deepStrictEqual(second.arguments, { to: "ann" })
      assert.notStrictEqual(second.digest, first.digest)
      assert.deepStrictEqual(yield* Ref.get(ran), [])
      assert.strictEqual((yield* Effect.flip(decide({ digest: first.digest })))._tag, "ApprovalMismatch")
      yield* decide({})
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* Ref.get(ran), ["ann"])
      const done = events.find((event) => event._tag === "ToolCallCompleted")
      assert.include(JSON.stringify(done?.message), "the user changed the parameters")
      const entries = yield* Stream.runCollect((yield* Audit).entries)
      const digests = [...entries].flatMap(({ digest, kind }) => (kind === "resolved" ? [digest] : []))
      assert.deepStrictEqual(digests, [first.digest, second.digest])
    }).pipe(Effect.provide(layer))
  )

  it.effect("leave the call as it was where they do not fit the tool, and say so (A5, U5)", () =>
    Effect.gen(function* () {
      const { decide, events, fiber, ran, request } = yield* asking
      for (const parameters of [{ to: 5 }, "ann", { other: "x" }, null]) {
        const before = yield* request
        yield* decide({ parameters })
        const again = yield* another(request, before)
        assert.deepStrictEqual(again.arguments, { to: "all" })
        assert.strictEqual(again.digest, before.digest)
      }
      assert.strictEqual(events.filter(({ _tag }) => _tag === "Notified").length, 4)
      yield* decide({})
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* Ref.get(ran), ["all"])
    }).pipe(Effect.provide(layer))
  )
})
