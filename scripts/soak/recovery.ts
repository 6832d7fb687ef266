// @effect-diagnostics globalConsole:off processEnv:off runEffectInsideEffect:off - a program to run by hand
// What it costs to open a session whose only task crashed, and to show it: `node scripts/run.mjs scripts/soak/recovery.ts [EVENTS…]`.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { IterationEnded, ModelAnswered, ModelRequested } from "../../src/agent/AgentEvent.ts"
import { Tools } from "../../src/agent/Tools.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import { ClientTools } from "../../src/tool/ClientTools.ts"
import { Database } from "../../src/database/Database.ts"
import { ToolCallCompleted, ToolCallRequested } from "../../src/gate/CallEvent.ts"
import { toolMessage } from "../../src/gate/conclude.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Models } from "../../src/model/Models.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { ResumeSession } from "../../src/runtime/Command.ts"
import type { Envelope, Place } from "../../src/runtime/Envelope.ts"
import type { DurableEvent } from "../../src/runtime/Event.ts"
import { SessionCreated, TaskQueued, TaskStarted } from "../../src/runtime/RuntimeEvent.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { ApprovalRequested, ToolCallStarted, trusted } from "../../src/tool/ToolEvent.ts"

const session = "session_1"
const task = "task_1"
const usage = { ...noUsage, inputTokens: 10, outputTokens: 1 }

const asked = (iteration: number) => {
  const callId = `call_${iteration}`
  const call = { callId, tool: "look" }
  const tool_calls = [{ id: callId, type: "function" as const, function: { name: "look", arguments: "{}" } }]
  const message = {
    id: `message_${iteration}`,
    message: { role: "assistant" as const, content: "I look at the next file.", tool_calls }
  }
  const answered = { message, usage, finish: "tool_calls" as const, durationMillis: 1 }
  return {
    call,
    events: [
      new ModelRequested({ profile: "p", model: "m", messages: 1, functions: 1 }, trusted),
      new ModelAnswered(answered, trusted),
      new ToolCallRequested({ ...call, arguments: "{}" }, trusted)
    ]
  }
}
const step = (iteration: number): ReadonlyArray<DurableEvent> => {
  const { call, events } = asked(iteration)
  return [
    ...events,
    new ToolCallStarted({ ...call, readOnly: true }, trusted),
    new ToolCallCompleted({ ...call, message: toolMessage(call.callId, "x".repeat(200)), durationMillis: 1 }, trusted),
    new IterationEnded({ usage, totalTokens: 11 * iteration, calls: 1, durationMillis: 1 }, trusted)
  ]
}

const request = (callId: string): ApprovalRequest => ({
  id: "approval_1",
  callId,
  sessionId: session,
  tool: "look",
  workerPath: ["root"],
  risk: "low",
  digest: "0",
  arguments: {},
  message: "look",
  scopes: ["once"],
  requestedAt: 0,
  timeoutMillis: 0
})

/** Writes a session whose one task has had so many events and has not ended; its last call waits for a decision, or not. */
const write = (events: number, waits: boolean) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const lease = yield* store.open({ session, create: { project: os.tmpdir(), profile: "", time: 0 } })
    let seq = 0
    const stored = (event: DurableEvent, place: Place): Envelope => ({
      version: 1,
      seq: ++seq,
      time: seq,
      session,
      ...place,
      event
    })
    const prompt = { id: "prompt", message: { role: "user" as const, content: "Look at all files." } }
    yield* store.append(lease, [
      stored(new SessionCreated({ project: os.tmpdir(), profile: "" }, trusted), {}),
      stored(new TaskQueued({ prompt: "Look at all files.", ahead: 0 }, trusted), { task }),
      stored(new TaskStarted({ message: prompt }, trusted), { task })
    ])
    const last = Math.ceil((events - seq) / step(1).length)
    for (let iteration = 1; iteration <= last; iteration++) {
      const place = { task, iteration, worker: ["root"] }
      yield* store.append(
        lease,
        step(iteration).map((event) => stored(event, place))
      )
    }
    const { call, events: open } = asked(last + 1)
    const place = { task, iteration: last + 1, worker: ["root"] }
    const waiting = waits ? [new ApprovalRequested({ request: request(call.callId), ahead: 0 }, trusted)] : []
    yield* store.append(
      lease,
      [...open, ...waiting].map((event) => stored(event, place))
    )
  }).pipe(Effect.scoped)

/** Milliseconds from the command until the session is open again. */
const resume = Effect.gen(function* () {
  const runtime = yield* Runtime
  const events = yield* runtime.events
  const start = performance.now()
  yield* runtime.send(new ResumeSession({ session }))
  yield* Stream.runHead(Stream.filter(events, ({ event }) => event._tag === "SessionResumed"))
  return performance.now() - start
})

const measured = (events: number, waits: boolean) =>
  Effect.suspend(() => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-recovery-"))
    const store = SqlSessionStore.layer.pipe(Layer.provide(Database.layer(path.join(home, "tollgate.db"))), Layer.orDie)
    const tools = Tools.layerEffect(Toolset.make([]))
    const models = Layer.unwrapEffect(Effect.map(Scripted.make([]), (model) => Models.layerOf({ p: model })))
    const runtime = Runtime.layer.pipe(
      Layer.provide(Layer.mergeAll(tools, models, Approvals.layer({ policy: "ask" }), ClientTools.layer())),
      Layer.provide(store)
    )
    return Effect.gen(function* () {
      yield* Effect.provide(write(events, waits), store)
      const start = performance.now()
      const shown = spawnSync(process.execPath, [path.resolve("dist/tollgate.cjs"), "sessions", "show", session], {
        env: { PATH: process.env["PATH"], HOME: home, TOLLGATE_HOME: home },
        maxBuffer: 2 ** 30,
        encoding: "utf8"
      })
      const show = performance.now() - start
      const resumeMillis = yield* Effect.provide(resume, runtime)
      return { events, waits, resumeMillis, showMillis: show, shown: shown.stdout.length, code: shown.status }
    }).pipe(Effect.ensuring(Effect.sync(() => fs.rmSync(home, { recursive: true, force: true }))))
  })

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 100_000]
void Effect.runPromise(
  Effect.forEach(
    sizes.flatMap((events) => [false, true].map((waits) => [events, waits] as const)),
    ([events, waits]) =>
      Effect.map(Effect.orDie(measured(events, waits)), (found) => console.log(JSON.stringify(found)))
  )
)
