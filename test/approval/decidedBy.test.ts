import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DecideApproval, EndSession, Interrupt, ResumeSession } from "../../src/runtime/Command.ts"
import { opened, shell } from "./Talk.ts"

type Opened = Effect.Effect.Success<ReturnType<typeof opened>>
type Asked = Effect.Effect.Success<ReturnType<Opened["request"]>>

/** How a request ends, and what the audit has to say of it. */
const ends: ReadonlyArray<readonly [string, string, (opened: Opened, request: Asked) => Effect.Effect<unknown>]> = [
  ["approve granted user", "a person's yes", ({ answer }, request) => answer(request, "approve")],
  ["deny denied user", "a person's no", ({ answer }, request) => answer(request, "deny")],
  [
    "deny denied frontend robot",
    "a frontend's no",
    ({ send, session }, { digest, id }) =>
      send(new DecideApproval({ session, approvalId: id, digest, decision: "deny", frontend: "robot" }))
  ],
  ["deny expired timeout", "nobody's answer in time", ({ world }) => world.tick],
  ["deny withdrawn interruption", "an interruption", ({ send, session }) => send(new Interrupt({ session }))],
  [
    "deny withdrawn shutdown",
    "the end of the session",
    ({ send, session, world }) =>
      send(new EndSession({ session })).pipe(
        Effect.zipRight(world.awaitEvent(session, (event) => event._tag === "SessionEnded")),
        Effect.zipRight(send(new ResumeSession({ session })))
      )
  ]
]

describe("the audit of a request", () => {
  for (const [expected, by, end] of ends) {
    it.scoped(`says who or what ended it: ${by} (A10)`, () =>
      Effect.gen(function* () {
        const opening = yield* opened()
        yield* opening.submit("t", shell("c1", "touch a"))
        yield* end(opening, yield* opening.request("c1"))
        yield* opening.world.awaitEvent(opening.session, (event) => event._tag === "ApprovalResolved")
        const rows = yield* opening.world.auditRows
        assert.deepStrictEqual(
          rows.map(({ decided_by, decision, kind, outcome }) => [kind, decision, outcome, decided_by].join(" ")),
          ["requested   ", `resolved ${expected}`]
        )
      })
    )
  }
})
