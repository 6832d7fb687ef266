import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, FastCheck, Fiber, Layer, Schema, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { DecideApproval, Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"

const kinds = ["read", "read", "askedRead", "write", "ask", "fail", "missing"] as const
type Kind = (typeof kinds)[number]

interface Asked {
  readonly kind: Kind
  readonly millis: number
  readonly approve: boolean
}

const asked: FastCheck.Arbitrary<Asked> = FastCheck.record({
  kind: FastCheck.constantFrom(...kinds),
  millis: FastCheck.integer({ min: 0, max: 20 }),
  approve: FastCheck.boolean()
})

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

/** What the calls did to the world, in order. */
type Effects = Array<{ readonly index: number; readonly what: "begins" | "ends" }>

const limit = 3

const toolsOver = (effects: Effects) => {
  const parameters = Schema.Struct({ index: Schema.Number, millis: Schema.Number })
  const common = { description: "d", parameters, success: Schema.String }
  const act = ({ index, millis }: typeof parameters.Type) =>
    Effect.sync(() => effects.push({ index, what: "begins" })).pipe(
      Effect.zipRight(Effect.sleep(millis)),
      Effect.ensuring(Effect.sync(() => effects.push({ index, what: "ends" }))),
      Effect.as("done")
    )
  return [
    Tool.make("read", { ...common, readOnly: true, handler: act }),
    Tool.make("askedRead", { ...common, readOnly: true, approval: "always", handler: act }),
    Tool.make("write", { ...common, handler: act }),
    Tool.make("ask", { ...common, approval: "always", handler: act }),
    Tool.make("fail", { ...common, failure: Refused, handler: (one) => Effect.zipRight(act(one), new Refused()) })
  ] as const
}

const isRead = (kind: Kind | undefined) => kind === "read" || kind === "askedRead"

describe("the calls of one answer", () => {
  it.effect.prop(
    "have their effects and show their requests in the model's order; only neighbours that read overlap (R14)",
    [
      FastCheck.array(asked, { minLength: 1, maxLength: 8 }),
      FastCheck.option(FastCheck.integer({ min: 0, max: 60 }), { nil: undefined })
    ],
    ([answer, interruptedAt]) => {
      const effects: Effects = []
      const calls = answer.map(({ kind, millis }, index) => ({
        call: { name: kind, id: `c${index}`, arguments: { index, millis } }
      }))
      return Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        const shown: Array<number> = []
        const deciding = Effect.gen(function* () {
          const [first, ...others] = (yield* (yield* Approvals).state()).pending
          if (first === undefined) return
          assert.deepStrictEqual(others, [], "one request at a time")
          const index = Number(first.callId.slice(1))
          shown.push(index)
          const decision = answer[index]?.approve === true ? "approve" : "deny"
          const { digest, id: approvalId } = first
          yield* session.send(new DecideApproval({ session: session.id, approvalId, digest, decision }))
        })
        const living = yield* Effect.fork(
          Effect.gen(function* () {
            for (let millis = 0; ; millis += 5) {
              if (interruptedAt !== undefined && millis >= interruptedAt) {
                yield* session.send(new Interrupt({ session: session.id }))
              }
              yield* TestClock.adjust(Duration.millis(5))
              yield* deciding
            }
          })
        )
        yield* session.awaitEnd("t")
        yield* Fiber.interrupt(living)
        const recorded = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        const running = new Set<number>()
        let last = -1
        for (const { index, what } of effects) {
          if (what === "ends") running.delete(index)
          else {
            assert.isAbove(index, last, "in the model's order")
            last = index
            for (const other of running) {
              for (let between = other; between <= index; between++) assert.isTrue(isRead(answer[between]?.kind))
            }
            running.add(index)
            assert.isAtMost(running.size, limit)
          }
        }
        const requests = recorded.flatMap(({ event }) =>
          event._tag === "ApprovalRequested" ? [Number(event.request.callId.slice(1))] : []
        )
        assert.deepStrictEqual(
          requests,
          requests.toSorted((a, b) => a - b)
        )
        assert.deepStrictEqual([...new Set(shown)], requests.slice(0, new Set(shown).size))
      }).pipe(
        Effect.provide(
          Testing.layer({
            tools: toolsOver(effects),
            model: [calls, "Done"],
            policy: "ask",
            settings: { parallelCalls: limit }
          }).pipe(Layer.orDie)
        )
      )
    },
    { fastCheck: { numRuns: 60 } }
  )

  it.effect("that only read run side by side (R14)", () =>
    Effect.gen(function* () {
      const here = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      /** Returns once both calls are in it. */
      const Meet = Tool.make("meet", {
        description: "d",
        parameters: Schema.Struct({ index: Schema.Literal(0, 1) }),
        success: Schema.String,
        readOnly: true,
        handler: ({ index }) =>
          Deferred.succeed(here[index], undefined).pipe(
            Effect.zipRight(Effect.all(here.map(Deferred.await))),
            Effect.as("met")
          )
      })
      const calls = [0, 1].map((index) => ({ call: { name: "meet", arguments: { index } } }))
      const events = yield* Effect.flatMap(Testing.session(), (session) => session.run("go")).pipe(
        Effect.provide(Testing.layer({ tools: [Meet], model: [calls, "Done"] }))
      )
      assert.strictEqual(events.at(-1)?.event._tag, "TaskCompleted")
    })
  )
})
