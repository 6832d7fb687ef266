import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, TestClock } from "effect"
import * as Timeline from "../../src/harness/Timeline.ts"
import { DecideApproval, EndSession, Interrupt, ResumeSession } from "../../src/runtime/Command.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { opened, shell } from "./Talk.ts"

type Op =
  | { readonly op: "call"; readonly calls: number }
  | {
      readonly op: "decide"
      readonly which: number
      readonly approve: boolean
      readonly own: boolean
      readonly session: boolean
    }
  | { readonly op: "expire" | "interrupt" | "crash" | "restart" }

const operation: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("call" as const), calls: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant("decide" as const),
      which: fc.nat(11),
      approve: fc.boolean(),
      own: fc.nat(3).map((n) => n > 0),
      session: fc.boolean()
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom("expire" as const, "interrupt" as const, "crash" as const, "restart" as const)
    })
  }
)

/** Lets whatever can run now run, the audit on the disk included. */
const settle = Effect.repeatN(Effect.yieldNow(), 6000)

let ran = 0

describe("approvals under any interleaving", () => {
  it.scoped.prop(
    "run a call at most once, only after a decision with its own digest, and resolve every request once (A5, A8, A12)",
    { ops: fc.array(operation, { minLength: 3, maxLength: 14 }), eager: fc.boolean() },
    ({ eager, ops }) =>
      Effect.gen(function* () {
        const { fence, send, session, submit, world } = yield* opened()
        /** Requests that were approved with their own digest, and the digest where the answer was for the session. */
        const accepted = new Map<string, string>()
        let count = 0
        const requests = Effect.map(Effect.orDie(world.store.read(session, 1, 10_000)), (envelopes) =>
          envelopes.flatMap(({ event }): ReadonlyArray<ApprovalRequest> =>
            event._tag === "ApprovalRequested" ? [event.request] : []
          )
        )
        for (const op of ops) {
          if (!eager) yield* settle
          switch (op.op) {
            case "call": {
              const calls = Array.from({ length: op.calls }, () => shell(`c${++count}`, `touch ${count % 4}`))
              yield* submit(`t${count}`, ...calls)
              break
            }
            case "decide": {
              const known = yield* requests
              const request = known[op.which % Math.max(1, known.length)]
              if (request === undefined) break
              if (op.approve && op.own) accepted.set(request.id, op.session ? request.digest : "")
              yield* send(
                new DecideApproval({
                  session,
                  approvalId: request.id,
                  digest: op.own ? request.digest : "0".repeat(64),
                  decision: op.approve ? "approve" : "deny",
                  scope: op.session ? "session" : "once"
                })
              )
              break
            }
            case "expire":
              yield* TestClock.adjust("30 seconds")
              break
            case "interrupt":
              yield* send(new Interrupt({ session }))
              break
            case "restart":
              yield* world.shutdown
              yield* world.restart
              yield* send(new ResumeSession({ session }))
              break
            case "crash":
              yield* world.restart
              yield* send(new ResumeSession({ session }))
              break
          }
        }
        yield* settle
        yield* fence
        yield* world.shutdown
        yield* world.restart
        yield* send(new ResumeSession({ session }))
        yield* fence
        // What waits goes on with each next owner; only the end of the session withdraws it.
        yield* send(new EndSession({ session }))
        yield* world.awaitEvent(session, (event) => event._tag === "SessionEnded")
        yield* world.shutdown

        const { executed } = world.machine
        assert.strictEqual(new Set(executed).size, executed.length)
        const envelopes = yield* Effect.orDie(world.store.read(session, 1, 10_000))
        const asked = yield* requests
        for (const callId of executed) {
          const own = asked.filter((request) => request.callId === callId)
          const decided = own.some(({ id }) => accepted.has(id))
          assert.isTrue(
            decided || grantedBy(envelopes, callId) || (own.length === 0 && [...accepted.values()].some(Boolean))
          )
        }
        ran += executed.length
        for (const { id } of asked) {
          const ends = envelopes.filter(({ event }) => event._tag === "ApprovalResolved" && event.approvalId === id)
          assert.strictEqual(ends.length, 1, `${id} was resolved ${ends.length} times`)
        }
        assert.deepStrictEqual(Timeline.violations(envelopes), [])
        yield* world.restart
        assert.isTrue((yield* Effect.orDie(world.boot.audit.verify)).intact)
      }),
    { fastCheck: { numRuns: 18 } }
  )

  it("has run calls at all", () => assert.isAbove(ran, 1))
})

const grantedBy = (envelopes: ReadonlyArray<{ readonly event: { readonly _tag: string } }>, callId: string): boolean =>
  envelopes.some(
    ({ event }) =>
      event._tag === "ApprovalResolved" &&
      "callId" in event &&
      event.callId === callId &&
      "by" in event &&
      String(event.by).startsWith("grant")
  )
