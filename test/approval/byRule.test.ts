import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { Decide } from "../../src/approval/Decision.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { request } from "../tool/support.ts"

/** Two equal calls, answered by a rule: what became of them, what was asked, and what was granted. */
const twice = (rule: (request: ApprovalRequest) => unknown, params = { to: "all" }, once = false) =>
  Effect.gen(function* () {
    let [asked, ran] = [0, 0]
    const send = Tool.make("send", {
      description: "Sends.",
      parameters: Schema.Struct({ to: Schema.String }),
      success: Schema.String,
      preview: () => Effect.succeed({ summary: "Sends.", targets: [], ...(once && { once }) }),
      handler: () => Effect.sync(() => `sent ${++ran}`)
    })
    const decide: Decide = (request) => {
      asked++
      return rule(request) as ReturnType<Decide>
    }
    return yield* Effect.gen(function* () {
      const toolset = yield* Toolset.make([send])
      const call = Effect.merge(toolset.call(request("send", params)))
      const ends = [yield* call, yield* call].map((end) => ("text" in end ? end.text : end.message))
      const { grants, pending } = yield* Effect.flatMap(Approvals, ({ state }) => state())
      assert.deepStrictEqual(pending, [])
      return { asked, ran, ends, grants: grants.map(({ scope }) => scope) }
    }).pipe(Effect.provide(Approvals.layerDecide(decide)))
  })

const secret = { to: "Authorization: Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789" }

const wrong: ReadonlyArray<readonly [what: string, rule: () => unknown]> = [
  ["nothing", () => undefined],
  ["a word", () => "approve"],
  ["no decision", () => ({})],
  ["an unknown decision", () => ({ decision: "APPROVE", scope: "session" })],
  ["a defect", () => assert.fail("a bug")]
]

describe("a rule that decides every request", () => {
  it.effect("approves for as long as the request offers (A4)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* twice(() => ({ decision: "approve", scope: "session" })), {
        asked: 1,
        ran: 2,
        ends: ["sent 1", "sent 2"],
        grants: ["session"]
      })
      assert.deepInclude(yield* twice(() => ({ decision: "approve" })), { asked: 2, ran: 2, grants: [] })
      assert.deepInclude(yield* twice(() => ({ decision: "approve" }), secret, true), { asked: 2, ran: 2, grants: [] })
    })
  )

  it.effect.each([
    ["for the session a call that is shown once", "session", { to: "all" }, true],
    ["for the task a call with a secret", "task", secret, false],
    ["for always where that is not offered", "always", { to: "all" }, false],
    ["for a scope that there is not", "forever", { to: "all" }, false]
  ] as const)("denies where it would approve %s, and says why (A4, A7)", ([, scope, params, once]) =>
    Effect.gen(function* () {
      const { asked, ends, grants, ran } = yield* twice(() => ({ decision: "approve", scope }), params, once)
      assert.deepStrictEqual({ asked, ran, grants }, { asked: 2, ran: 0, grants: [] })
      for (const end of ends) {
        assert.match(
          end,
          /^send was denied by a rule: its answer was refused\. .* has a scope that the request does not/
        )
      }
    })
  )

  it.effect.each(wrong)("denies where it gives %s (A7)", ([, rule]) =>
    Effect.gen(function* () {
      const { asked, ends, grants, ran } = yield* twice(rule)
      assert.deepStrictEqual({ asked, ran, grants }, { asked: 2, ran: 0, grants: [] })
      for (const end of ends) assert.match(end, /^send was denied by a rule/)
    })
  )
})
