import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { within } from "../../src/mcp/gateway/Running.ts"
import { DecideApproval } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { trusted } from "../../src/tool/ToolEvent.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { gatewayAt, hostAt, listener } from "./inProcess.ts"

type Step =
  | { readonly does: "call"; readonly by: "alice" | "bob"; readonly text: string }
  | { readonly does: "decide"; readonly which: number; readonly decision: "approve" | "deny" }
  | { readonly does: "restart" }

const call = fc.record({
  does: fc.constant("call" as const),
  by: fc.constantFrom("alice" as const, "bob" as const),
  text: fc.constantFrom("a", "b")
})
const decide = fc.record({
  does: fc.constant("decide" as const),
  which: fc.nat(3),
  decision: fc.constantFrom("approve" as const, "approve" as const, "deny" as const)
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: call },
  { weight: 2, arbitrary: decide },
  { weight: 2, arbitrary: fc.constant({ does: "restart" as const }) }
)

/** Between two starts of the gateway. */
const runsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<Step>> =>
  steps.reduce<Array<Array<Step>>>(
    (runs, one) => {
      if (one.does === "restart") runs.push([])
      else runs.at(-1)?.push(one)
      return runs
    },
    [[]]
  )

describe("calls of several clients of one gateway", () => {
  it.scopedLive.prop(
    "use the decisions on their own client's calls alone, each once, whenever the gateway is started anew (G13, R4)",
    [fc.array(step, { minLength: 4, maxLength: 12 })],
    ([steps]) =>
      Effect.gen(function* () {
        const base = yield* temporaryDirectory
        const ran: Array<{ readonly task: string | undefined; readonly text: unknown }> = []
        const drop = DynamicTool.make("drop", {
          description: "Drops it",
          mode: "both",
          jsonSchema: { type: "object", properties: { text: { type: "string" } } },
          handler: (parameters, { taskId: task }) =>
            Effect.sync(() => {
              ran.push({ task, text: (parameters as { readonly text: string }).text })
              return { content: [{ type: "text", text: `run ${ran.length - 1}` }] }
            })
        })
        const asked = new Map<string, { by: string; task: string; request: ApprovalRequest; decision?: string }>()
        const got: Array<{ readonly by: string; readonly run: number }> = []

        const started = (steps: ReadonlyArray<Step>) =>
          Effect.gen(function* () {
            const runtime = yield* Runtime
            const gateway = yield* gatewayAt(base)
            for (const one of steps) {
              if (one.does === "call") {
                const wanted = { tool: "drop", parameters: { text: one.text }, by: `mcp client ${one.by}`, listener }
                const running = yield* gateway.begin(yield* gateway.keyOf(wanted), wanted)
                const look = () => (running.isOver() || gateway.isAnswered(running) ? "over" : running.open() && "open")
                yield* within(running.talk, look, Duration.seconds(20))
                const request = running.open()
                if (request === undefined) {
                  const [block] = (yield* gateway.resultOf(running)).content
                  const [, run] = /run (\d+)/.exec(block?.type === "text" ? block.text : "") ?? []
                  if (run !== undefined) got.push({ by: one.by, run: Number(run) })
                  yield* gateway.settled(running)
                } else {
                  const before = asked.get(request.id)
                  assert.strictEqual(before?.by ?? one.by, one.by)
                  asked.set(request.id, { by: one.by, request, task: running.task, ...before })
                  yield* gateway.leave(running)
                }
              } else if (one.does === "decide") {
                const open = [...asked.values()].filter(({ decision }) => decision === undefined)
                const known = open[one.which % open.length]
                if (known === undefined) continue
                const { digest, id: approvalId, sessionId: session } = known.request
                known.decision = one.decision
                yield* runtime.request(
                  new DecideApproval({ session, approvalId, digest, decision: one.decision }, trusted)
                )
              }
            }
          }).pipe(Effect.scoped)

        for (const run of runsOf(steps)) {
          yield* Effect.provide(
            started(run),
            hostAt(base, "ask", ({ joined }) => joined(drop))
          )
        }
        const ownerOf = (task: string | undefined) => [...asked.values()].find((one) => one.task === task)
        for (const { task } of ran) assert.strictEqual(ownerOf(task)?.decision, "approve")
        assert.lengthOf(new Set(ran.map(({ task }) => task)), ran.length)
        for (const { by, run } of got) assert.strictEqual(ownerOf(ran[run]?.task)?.by, by)
        assert.lengthOf(new Set(got.map(({ run }) => run)), got.length)
      }),
    { fastCheck: { numRuns: 12 } }
  )
})
