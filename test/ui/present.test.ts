import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option, Schema, Stream } from "effect"
import { DeclareClientTools } from "../../src/runtime/Command.ts"
import { type Envelope, schemaVersion } from "../../src/runtime/Envelope.ts"
import { followIterations } from "../../src/runtime/followIterations.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import * as Testing from "../../src/testing.ts"
import * as Iterations from "../../src/tool/iterations.ts"
import { Notifications } from "../../src/tool/Notifications.ts"
import { ProgressBoard } from "../../src/tool/ProgressBoard.ts"
import { retold } from "../../src/cli/prompt/retold.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import { Transcript } from "../../src/cli/terminal/transcript/Transcript.ts"
import { ToolCallCompleted, ToolCallFailed, ToolCallRequested } from "../../src/gate/CallEvent.ts"
import {
  ModelAttemptFailed,
  ModelRequested,
  ToolCallOutcomeUnknown,
  WorkerStarted
} from "../../src/agent/AgentEvent.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import { TaskCompleted } from "../../src/runtime/RuntimeEvent.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { ApprovalRequested, ApprovalResolved, ClientCallRequested, trusted } from "../../src/tool/ToolEvent.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { AskUser } from "../../src/tools/AskUser.ts"
import { clientTools } from "../../src/ui/clientCalls.ts"
import { open, submit } from "../../src/ui/Conversation.ts"
import { Narrator, type Step } from "../../src/ui/Narrator.ts"
import { present } from "../../src/ui/present.ts"
import { Ui } from "../../src/ui/Ui.ts"
import * as RecordingUi from "./RecordingUi.ts"

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
  const others = steps.filter((step) => !["Text", "Status", "Progress", "Ask"].includes(step._tag))
  return { text, others: others.map((step) => JSON.stringify(step)) }
}

const result = (tool_call_id: string) => ({ id: "m", message: { role: "tool", tool_call_id, content: "" } }) as const

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
        ["failed", "you said no: enough"]
      ])
      assert.strictEqual(record.at(-1)?._tag, "TaskEnded")
    }).pipe(Effect.provide(harness))
  )

  it("says in full why the first attempt of each request failed (R7, U12)", () => {
    const narrator = new Narrator()
    const at = { version: 1, seq: 1, time: 0, session: "s", task: "t", iteration: 1, worker: ["root"] } as const
    const said = [1, 2, 1].flatMap((attempt) =>
      narrator
        .tell({ ...at, event: new ModelAttemptFailed({ attempt, reason: "It is busy.", delayMillis: 0 }, trusted) })
        .flatMap((step) => (step._tag === "Note" ? [step.text] : []))
    )
    assert.deepStrictEqual(said, [
      "attempt 1 failed: It is busy",
      "attempt 2 failed the same way",
      "attempt 1 failed: It is busy"
    ])
  })

  it("leaves out of a call's time what its decision took (U12)", () => {
    const narrator = new Narrator()
    const at = { version: 1, seq: 1, time: 0, session: "s", task: "t", iteration: 1, worker: ["root"] } as const
    const of = { callId: "c", tool: "write" }
    const message = { id: "m", message: { role: "tool", tool_call_id: "c", content: "ok" } } as const
    narrator.tell({ ...at, event: new ToolCallRequested({ ...of, arguments: "{}" }, trusted) })
    const decided = { approvalId: "a", outcome: "granted", by: "user", waitedMillis: 5000 } as const
    narrator.tell({ ...at, event: new ApprovalResolved({ ...of, ...decided }, trusted) })
    const steps = narrator.tell({
      ...at,
      event: new ToolCallCompleted({ ...of, message, durationMillis: 5012 }, trusted)
    })
    const ended = steps.find((step) => step._tag === "CallEnded")
    assert.strictEqual(ended?.durationMillis, 12)
  })

  it("leaves out of a task's time what decisions took, those of its workers included, and counts a summary (U12)", () => {
    const narrator = new Narrator()
    const root = { version: 1, seq: 1, time: 0, session: "s", task: "t", iteration: 1, worker: ["root"] } as const
    const below = { ...root, worker: ["root", "W1"] }
    const of = { callId: "d", tool: "delegate" }
    const message = { id: "m", message: { role: "tool", tool_call_id: "d", content: "ok" } } as const
    const decided = { approvalId: "a", outcome: "granted", by: "user", waitedMillis: 5000 } as const
    narrator.tell({ ...root, event: new ToolCallRequested({ ...of, arguments: "{}" }, trusted) })
    narrator.tell({ ...below, event: new WorkerStarted({ callId: "d", task: "x", depth: 1 }, trusted) })
    const request = {
      id: "a",
      callId: "c",
      tool: "write",
      workerPath: ["root", "W1"]
    } as Partial<ApprovalRequest> as ApprovalRequest
    narrator.tell({ ...below, event: new ApprovalRequested({ request, ahead: 0 }, trusted) })
    const resolved = new ApprovalResolved({ callId: "c", tool: "write", ...decided }, trusted)
    narrator.tell({ ...below, time: 5000, event: resolved })
    const [call] = narrator.tell({
      ...root,
      event: new ToolCallCompleted({ ...of, message, durationMillis: 5012 }, trusted)
    })
    assert.deepInclude(call, { _tag: "CallEnded", durationMillis: 12 })
    const asked = new ModelRequested({ profile: "p", model: "m", messages: 1, functions: 0 }, trusted)
    narrator.tell({ ...root, worker: ["compaction", "root"], event: asked })
    const done = { text: "", usage: noUsage, iterations: 1, durationMillis: 5020 }
    const ended = narrator
      .tell({ ...root, event: new TaskCompleted(done, trusted) })
      .find(({ _tag }) => _tag === "TaskEnded")
    assert.deepInclude(ended, { durationMillis: 20, requests: 1, calls: 1 })
  })

  it("says that an approved call is asked again, and no longer that it was approved (A4, U12)", () => {
    const narrator = new Narrator()
    const transcript = new Transcript({ style: plain, width: () => 80, split: false, live: true })
    const at = { version: 1, seq: 1, time: 0, session: "s", task: "t", iteration: 1, worker: ["root"] } as const
    const of = { callId: "c", tool: "run_shell" }
    const request = {
      ...of,
      id: "a",
      sessionId: "s",
      workerPath: ["root"],
      risk: "medium",
      digest: "0",
      requestedAt: 0,
      arguments: { command: "sh a.sh" },
      message: "Runs it",
      scopes: ["once"],
      timeoutMillis: 0
    } as const
    const resolved = { ...of, approvalId: "a", by: "user", waitedMillis: 1 }
    const error = { _tag: "ApprovalDenied", message: "denied" }
    const steps = [
      new ToolCallRequested({ ...of, arguments: '{"command":"sh a.sh"}' }, trusted),
      new ApprovalRequested({ request, ahead: 0 }, trusted),
      new ApprovalResolved({ ...resolved, outcome: "granted", scope: "once" }, trusted),
      new ApprovalRequested({ request: { ...request, id: "b" }, ahead: 0 }, trusted),
      new ApprovalResolved({ ...resolved, approvalId: "b", outcome: "denied" }, trusted),
      new ToolCallFailed({ ...of, error, message: result("c"), durationMillis: 5 }, trusted),
      new TaskCompleted({ text: "", usage: noUsage, iterations: 1, durationMillis: 9 }, trusted)
    ].flatMap((event) => narrator.tell({ ...at, event }))
    const asks = steps.flatMap((step) => (step._tag === "Ask" ? [step.approval.again] : []))
    assert.deepStrictEqual(asks, [undefined, true])
    const text = steps.flatMap((step) => retold(transcript, step).map((one) => one.text)).join("")
    assert.include(text, "asked again: what it would do has changed")
    assert.match(text, /you said no/)
    assert.notMatch(text, /approved/)
  })

  it.effect("shows of a recording what was asked, and names a call of unknown outcome (R6)", () =>
    Effect.gen(function* () {
      const record: Array<Step> = []
      const at = { version: 1, seq: 1, time: 0, session: "s", task: "t", iteration: 1, worker: ["root"] } as const
      const request: ApprovalRequest = {
        id: "a",
        callId: "c",
        sessionId: "s",
        tool: "run_shell",
        workerPath: ["root"],
        risk: "medium",
        digest: "0",
        arguments: { command: "one\ntwo" },
        message: "Runs it",
        scopes: ["once"],
        requestedAt: 0,
        timeoutMillis: 0
      }
      const message = { id: "m", message: { role: "tool", tool_call_id: "c", content: "{}" } } as const
      const lost = { callId: "b", tool: "run_shell", arguments: '{"command":"three"}', message }
      yield* present(
        Stream.make(
          { ...at, event: new ApprovalRequested({ request, ahead: 0 }, trusted) },
          { ...at, event: new ToolCallOutcomeUnknown(lost, trusted) }
        )
      ).pipe(Effect.provide(RecordingUi.layer(record, { approve: () => Effect.die("asked") })))
      const asked = record.flatMap((step) => (step._tag === "CallAsked" ? [step.request.arguments] : []))
      assert.deepStrictEqual(asked, [{ command: "one\ntwo" }])
      const ended = record.find((step) => step._tag === "CallEnded")
      assert.strictEqual(ended?._tag === "CallEnded" && ended.call.arguments, lost.arguments)
    })
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

  const asking = Testing.layer({
    tools: [AskUser],
    policy: "deny",
    model: [
      [{ call: { name: "ask_user", arguments: { question: "Which?", options: ["left", "right"] } } }],
      "So it goes."
    ]
  })

  /** What the model was told of tools, and what its question came to. */
  const question = (declares: boolean, lines: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const record: Array<Step> = []
      const functions: Array<number> = []
      const runtime = yield* Runtime
      const opened = yield* open({ _tag: "New" }, "test")
      const { session } = opened
      if (declares) yield* runtime.send(new DeclareClientTools({ session, tools: clientTools }))
      const { events } = yield* submit(opened, "go")
      yield* present(events, {
        answer: (answer) => Effect.orDie(runtime.send(answer)),
        after: ({ event }) =>
          Effect.sync(() => (event._tag === "ModelRequested" ? functions.push(event.functions) : undefined))
      }).pipe(Effect.provide(RecordingUi.layer(record, { lines })))
      const ends = record.flatMap((step) => (step._tag === "CallEnded" ? [[step.outcome, step.text]] : []))
      return { ends, functions }
    })

  it.effect("answers the calls of the frontend's own tools, which models know of where it declares them (A3)", () =>
    Effect.gen(function* () {
      const { ends, functions } = yield* question(true, ["2"])
      assert.deepStrictEqual(ends, [["done", '{"answer":"right"}']])
      assert.deepStrictEqual(functions, [1, 1])
    }).pipe(Effect.provide(asking))
  )

  it.effect("answers a call of each of two workers that have one id (U3)", () =>
    Effect.gen(function* () {
      const [both, all] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const requested = (worker: string, seq: number): Envelope => ({
        version: schemaVersion,
        seq,
        time: 0,
        session: "s",
        task: "t",
        worker: ["root", worker],
        iteration: 1,
        event: new ClientCallRequested(
          { callId: "call_1", tool: AskUser.name, requestId: worker, parameters: { question: "?" }, timeoutMillis: 1 },
          trusted
        )
      })
      const answered: Array<string> = []
      const ui = yield* Effect.provide(Ui, RecordingUi.layer([]))
      const question = () => Effect.as(Deferred.await(both), Option.some("yes"))
      const events = Stream.concat(
        Stream.make(requested("one", 1), requested("two", 2)),
        Stream.drain(Stream.fromEffect(Deferred.await(all)))
      )
      yield* present(events, {
        answer: ({ requestId }) =>
          Effect.suspend(() => (answered.push(requestId) === 2 ? Deferred.succeed(all, undefined) : Effect.void)),
        after: ({ seq }) => (seq === 2 ? Deferred.succeed(both, undefined) : Effect.void)
      }).pipe(Effect.provideService(Ui, { ...ui, question }))
      assert.deepStrictEqual(answered, ["one", "two"])
    })
  )

  it.effect("asks again where nothing was typed, and takes an empty answer that is meant (U1)", () =>
    Effect.gen(function* () {
      const late = yield* question(true, ["", " ", "1"])
      assert.deepStrictEqual(late.ends, [["done", '{"answer":"left"}']])
    }).pipe(
      Effect.provide(asking),
      Effect.zipRight(
        Effect.gen(function* () {
          const empty = yield* question(true, ["", '""'])
          assert.deepStrictEqual(empty.ends, [["done", '{"answer":""}']])
        }).pipe(Effect.provide(asking))
      ),
      Effect.zipRight(
        Effect.gen(function* () {
          const never = yield* question(true, ["", "", "", "left"])
          assert.include(never.ends[0]?.[1], "The user gave no answer")
        }).pipe(Effect.provide(asking))
      )
    )
  )

  it.effect("says so where nobody answers, and hides the tools that no frontend declares (A7)", () =>
    Effect.gen(function* () {
      const silent = yield* question(true, [])
      assert.include(silent.ends[0]?.[1], "The user gave no answer")
    }).pipe(
      Effect.provide(asking),
      Effect.zipRight(
        Effect.gen(function* () {
          const { ends, functions } = yield* question(false, ["left"])
          assert.deepStrictEqual(functions, [0, 0])
          assert.include(ends[0]?.[1], "has not declared it")
        }).pipe(Effect.provide(asking))
      )
    )
  )

  const shown = Effect.map(Effect.all([Notifications, ProgressBoard]), ([notifications, board]) =>
    Testing.layer({
      tools: [Write],
      model: [
        [{ call: { name: "write", arguments: { n: 1 } } }, { usage: { inputTokens: 1200, outputTokens: 34 } }],
        [{ call: { name: "write", arguments: { n: 2 } } }],
        "Done."
      ],
      stack: {
        notifications: {
          show: notifications,
          rule: (call) => ({ level: "success", title: call.name, message: "it is over" })
        },
        progress: board
      }
    })
  )

  it.effect("tells how far a task is, draws attention to notices, and has its steps on the board (T12, T13, T16)", () =>
    Effect.gen(function* () {
      const record: Array<Step> = []
      const board = yield* ProgressBoard
      const iterations = Iterations.make(board)
      const seen: Array<string> = []
      yield* Effect.gen(function* () {
        const runtime = yield* Runtime
        const opened = yield* open({ _tag: "New" }, "test")
        const { events } = yield* submit(opened, "write twice")
        yield* present(events).pipe(Effect.provide(RecordingUi.layer(record)))
        const follow = followIterations(iterations, 7)
        yield* Stream.runForEach(
          runtime.subscribe(opened.session, { from: 1, follow: false, transient: false }),
          (envelope) =>
            Effect.zipRight(
              follow(Stream.make(envelope)),
              Effect.map(board.active, (lines) => {
                const said = lines.map(({ kind, label, total }) => `${kind} ${label}/${total}`).join()
                if (said !== seen.at(-1)) seen.push(said)
              })
            )
        )
      }).pipe(Effect.provide(Layer.unwrapEffect(shown)))
      const waiting = record.flatMap((step) =>
        step._tag === "Status" && step.text?.startsWith("waiting") === true ? [step.text] : []
      )
      assert.deepStrictEqual(waiting, [
        "waiting for scripted",
        "waiting for scripted · request 2 · 1,234 tokens",
        "waiting for scripted · request 3 · 1,234 tokens"
      ])
      const notices = record.flatMap((step) => (step._tag === "Notice" ? [step.notice] : []))
      assert.deepStrictEqual(
        notices.map(({ level, message, title }) => [level, title, message]),
        [
          ["success", "write", "it is over"],
          ["success", "write", "it is over"]
        ]
      )
      assert.deepStrictEqual(seen, [
        "",
        "steps root: iteration 1, 1234 tokens/7",
        "steps root: iteration 2, 1234 tokens/7",
        "steps root: iteration 3, 1234 tokens/7",
        ""
      ])
    }).pipe(Effect.provide([Notifications.layer(), ProgressBoard.layer()]))
  )
})
