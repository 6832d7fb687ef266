import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Fiber, Layer, Schema, Stream } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { SubmitPrompt } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Narrator } from "../../src/ui/Narrator.ts"

interface Planned {
  readonly key: string
  readonly asks: boolean
  /** Allowed together with each earlier request that waits. */
  readonly ahead: boolean
}

const planned: FastCheck.Arbitrary<Planned> = FastCheck.record({
  key: FastCheck.constantFrom("a", "b", "c"),
  asks: FastCheck.oneof({ weight: 3, arbitrary: FastCheck.constant(true) }, FastCheck.constant(false)),
  ahead: FastCheck.boolean()
})

/** Tools that write to a memory and show what they would replace. */
const toolsOver = (memory: Map<string, string>, ran: Array<number>) => {
  const parameters = Schema.Struct({ index: Schema.Number, key: Schema.String })
  const common = { description: "d", parameters, success: Schema.String }
  const handler = ({ index, key }: typeof parameters.Type) =>
    Effect.sync(() => {
      ran.push(index)
      memory.set(key, String(index))
      return "done"
    })
  const preview = ({ index, key }: typeof parameters.Type) =>
    Effect.sync(() => {
      const before = memory.get(key) ?? "nothing"
      return { summary: `${index} replaces ${before}`, shows: [], targets: [{ path: key, baseHash: before }] }
    })
  return [
    Tool.make("ask", { ...common, approval: "always", preview, handler }),
    Tool.make("free", { ...common, approval: "never", handler })
  ] as const
}

/** Which calls ask, by the model of it: those not allowed for what they would do in their turn. */
const expected = (plan: ReadonlyArray<Planned>): ReadonlyArray<number> => {
  const memory = new Map<string, string>()
  const allowed = new Map<number, string | undefined>()
  const requests: Array<number> = []
  plan.forEach(({ asks, key }, index) => {
    if (asks && !(allowed.has(index) && allowed.get(index) === memory.get(key))) {
      requests.push(index)
      plan.forEach((later, at) => {
        if (at > index && later.asks && later.ahead) allowed.set(at, memory.get(later.key))
      })
    }
    memory.set(key, String(index))
  })
  return requests
}

const answerOf = (plan: ReadonlyArray<Planned>) =>
  plan.map(({ asks, key }, index) => ({
    call: { name: asks ? "ask" : "free", id: `c${index}`, arguments: { index, key } }
  }))

const layerOf = (plan: ReadonlyArray<Planned>, ran: Array<number>) =>
  Layer.unwrapEffect(
    Effect.map(Audit, (audit) => {
      const parts = [Layer.succeed(Audit, audit), RuleStore.layerMemory] as const
      const approvals = Layer.orDie(Approvals.layerAudited({ policy: "ask" })).pipe(Layer.provide(parts))
      const tools = toolsOver(new Map(), ran)
      return Layer.orDie(Testing.layer({ tools, model: [answerOf(plan), "Done"], approvals }))
    })
  ).pipe(Layer.provideMerge(Audit.layerMemory))

const indexOf = ({ callId }: ApprovalRequest): number => Number(callId.slice(1))

const allow = ({ digest, id: approvalId, sessionId }: ApprovalRequest) =>
  Effect.flatMap(Approvals, ({ decide }) =>
    decide({ approvalId, sessionId, digest, decision: "approve", scope: "once", by: "user" })
  )

/** The request that waits, once it is another one than before. */
const next = (before?: ApprovalRequest) =>
  Effect.flatMap(Approvals, ({ state }) => state()).pipe(
    Effect.tap(() => Effect.yieldNow()),
    Effect.map(({ pending }) => pending.find(({ id }) => id !== before?.id)),
    Effect.repeat({ until: (found): found is ApprovalRequest => found !== undefined })
  )

describe("later calls of an answer", () => {
  it.effect.prop(
    "that are allowed ahead run without a question for just what was shown, and ask where that has changed (A5, R14, U5)",
    [FastCheck.array(planned, { minLength: 1, maxLength: 7 })],
    ([plan]) => {
      const ran: Array<number> = []
      return Effect.gen(function* () {
        const { inspect } = yield* Approvals
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        const deciding = Effect.gen(function* () {
          for (let request = yield* next(); ; request = yield* next(request)) {
            const index = indexOf(request)
            assert.isTrue(
              ran.every((one) => one < index),
              "nothing behind a request that waits has run"
            )
            const later = yield* inspect(request.id).foreseen
            assert.deepStrictEqual(
              later.map(indexOf),
              plan.flatMap(({ asks }, at) => (asks && at > index ? [at] : []))
            )
            for (const one of later) if (plan[indexOf(one)]?.ahead === true) yield* allow(one)
            yield* allow(request)
          }
        })
        const person = yield* Effect.fork(deciding)
        yield* session.awaitEnd("t")
        yield* Fiber.interrupt(person)
        const recorded = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(recorded), [])
        const requests = recorded.flatMap(({ event }) =>
          event._tag === "ApprovalRequested" ? [indexOf(event.request)] : []
        )
        assert.deepStrictEqual(requests, expected(plan))
        assert.deepStrictEqual(
          ran,
          plan.map((_, index) => index)
        )
        const entries = [...(yield* Stream.runCollect((yield* Audit).entries))]
        for (const [index, { asks }] of plan.entries()) {
          const granted = entries.filter(
            ({ call, digest, outcome }) => call === `c${index}` && digest !== null && outcome === "granted"
          )
          assert.strictEqual(
            granted.length > 0,
            asks,
            "each run that wants a decision has one of a person in the audit"
          )
          assert.isTrue(granted.every(({ decided_by }) => decided_by === "user"))
        }
      }).pipe(Effect.provide(layerOf(plan, ran)))
    },
    { fastCheck: { numRuns: 40 } }
  )

  it.effect("can be allowed while a request of the answer waits, whole and once, and in no other way (A5, A12)", () => {
    const ran: Array<number> = []
    const plan = ["a", "b", "c"].map((key) => ({ key, asks: true, ahead: false }))
    return Effect.gen(function* () {
      const { decide, inspect } = yield* Approvals
      const session = yield* Testing.session()
      yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
      const first = yield* next()
      const [second, third] = yield* inspect(first.id).foreseen
      assert.isDefined(second)
      assert.isDefined(third)
      const given = { approvalId: second.id, sessionId: second.sessionId, digest: second.digest, by: "user" } as const
      const once = { decision: "approve", scope: "once" } as const
      for (const wrong of [
        { ...given, ...once, digest: third.digest },
        { ...given, ...once, sessionId: "another" },
        { ...given, ...once, parameters: { index: 9, key: "a" } },
        { ...given, decision: "approve", scope: "session" } as const,
        { ...given, decision: "deny", scope: "once" } as const,
        { ...given, decision: "APPROVE" as "approve", scope: "once" } as const
      ]) {
        assert.strictEqual((yield* Effect.flip(decide(wrong)))._tag, "ApprovalMismatch")
      }
      yield* allow(second)
      assert.strictEqual((yield* Effect.flip(allow(second)))._tag, "ApprovalNotPending")
      yield* allow(first)
      const asked = yield* next(first)
      assert.strictEqual(indexOf(asked), 2)
      assert.deepStrictEqual(ran, [0, 1])
      assert.strictEqual((yield* Effect.flip(allow(third)))._tag, "ApprovalNotPending")
      assert.deepStrictEqual(yield* inspect(first.id).foreseen, [])
      yield* allow(asked)
      yield* session.awaitEnd("t")
      assert.deepStrictEqual(ran, [0, 1, 2])
    }).pipe(Effect.provide(layerOf(plan, ran)))
  })

  it.effect(
    "that are allowed ahead are told as approved by their person, and are asked and granted once each (U5, A12)",
    () => {
      const plan = ["a", "b", "a"].map((key) => ({ key, asks: true, ahead: false }))
      return Effect.gen(function* () {
        const { inspect } = yield* Approvals
        const audit = yield* Audit
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        const first = yield* next()
        // The third replaces what the first has written: it asks again in its turn.
        for (const later of yield* inspect(first.id).foreseen) yield* allow(later)
        yield* allow(first)
        yield* allow(yield* next(first))
        yield* session.awaitEnd("t")
        const narrator = new Narrator()
        const steps = (yield* session.recorded).flatMap((envelope) => narrator.tell(envelope))
        const approved = steps.flatMap((step) =>
          step._tag === "CallDecided" ? [[JSON.parse(step.call.arguments).index, step.text, step.once]] : []
        )
        assert.deepStrictEqual(
          approved,
          [0, 1, 2].map((index) => [index, "approved by user", true])
        )
        const [stats] = yield* audit.stats
        assert.deepInclude(stats, { asked: 4, granted: 4, denied: 0, automatic: 0 })
        const entries = [...(yield* Stream.runCollect(audit.entries))]
        const kinds = entries.flatMap(({ call, kind }) => (call === "c1" ? [kind] : []))
        assert.deepStrictEqual(kinds, ["requested", "resolved"])
      }).pipe(Effect.provide(layerOf(plan, [])))
    }
  )
})
