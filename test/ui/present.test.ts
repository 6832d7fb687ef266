import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { open, submit } from "../../src/ui/Conversation.ts"
import type { Step } from "../../src/ui/Narrator.ts"
import { present } from "../../src/ui/present.ts"
import * as RecordingUi from "../../src/ui/RecordingUi.ts"

const Write = Tool.make("write", {
  description: "Writes",
  parameters: Schema.Struct({ n: Schema.Number }),
  success: Schema.String,
  approval: "always",
  handler: ({ n }) => Effect.succeed(`wrote ${n}`)
})

const model = [
  [
    { say: ["Wri", "ting. "] },
    { call: { name: "write", arguments: { n: 1 } } },
    { call: { name: "write", arguments: { n: 2 } } }
  ],
  "Done."
] as const

const harness = Testing.layer({ tools: [Write], policy: "ask", model: [[...model[0]], model[1]] })

/** Runs a prompt on a recording frontend that approves the first request and denies the second. */
const run = (record: Array<Step>) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const opened = yield* open({ _tag: "New" }, "test")
    const { events } = yield* submit(opened, "write twice")
    let asked = 0
    const approve = () =>
      Effect.sync(() =>
        asked++ === 0
          ? ({ decision: "approve", scope: "once" } as const)
          : ({ decision: "deny", reason: "enough" } as const)
      )
    yield* present(events, { decide: (decision) => Effect.orDie(runtime.send(decision)) }).pipe(
      Effect.provide(RecordingUi.layer(record, { approve }))
    )
    return opened
  })

const durable = (steps: ReadonlyArray<Step>) => {
  const text = steps.map((step) => (step._tag === "Text" ? step.text : "")).join("")
  const others = steps.filter(({ _tag }) => !["Text", "Status", "Progress", "Ask"].includes(_tag))
  return { text, others: others.map((step) => JSON.stringify(step)) }
}

describe("present", () => {
  it.effect("asks one at a time, in order, and sends each answer with the digest of its request (U1, U5)", () =>
    Effect.gen(function* () {
      const record: Array<Step> = []
      yield* run(record)
      const asks = record.flatMap((step) => (step._tag === "Ask" ? [step.approval.request.arguments] : []))
      assert.deepStrictEqual(asks, [{ n: 1 }, { n: 2 }])
      const ends = record.flatMap((step) => (step._tag === "CallEnded" ? [[step.outcome, step.text]] : []))
      assert.deepStrictEqual(ends, [
        ["done", "wrote 1"],
        ["failed", "User denied approval for write: enough"]
      ])
      assert.strictEqual(record.at(-1)?._tag, "TaskEnded")
    }).pipe(Effect.provide(harness))
  )

  it.effect("shows what is stored as it showed it live, and asks nobody (R6)", () =>
    Effect.gen(function* () {
      const live: Array<Step> = []
      const { session } = yield* run(live)
      const runtime = yield* Runtime
      const stored: Array<Step> = []
      yield* present(Stream.orDie(runtime.subscribe(session, { from: 1, follow: false, transient: false }))).pipe(
        Effect.provide(RecordingUi.layer(stored, { approve: () => Effect.die("asked") }))
      )
      assert.deepStrictEqual(durable(stored), durable(live))
    }).pipe(Effect.provide(harness))
  )
})
