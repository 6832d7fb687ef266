import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import * as path from "node:path"
import { ModelAnswered } from "../../src/agent/AgentEvent.ts"
import { Database } from "../../src/database/Database.ts"
import { migrations } from "../../src/database/migrations.ts"
import { ToolCallFailed, ToolCallRequested } from "../../src/gate/CallEvent.ts"
import { toolMessage } from "../../src/gate/conclude.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import {
  ModelSwitched,
  SessionCleared,
  SessionEnded,
  SessionResumed,
  TaskFailed,
  TaskQueued
} from "../../src/runtime/RuntimeEvent.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import * as Projection from "../../src/runtime/Projection.ts"
import { SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import { callKey } from "../../src/tool/CallPlace.ts"
import { ApprovalRequested, ApprovalResolved, ToolCallStarted } from "../../src/tool/ToolEvent.ts"
import { create, request } from "../support/storeContract.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const tool = "act"
const calling = (ids: ReadonlyArray<string>) => {
  const tool_calls = ids.map((id) => ({ id, type: "function" as const, function: { name: tool, arguments: "{}" } }))
  const message = { id: "m", message: { role: "assistant" as const, content: "I act", tool_calls } }
  return new ModelAnswered({ message, finish: "tool_calls", usage: noUsage, durationMillis: 1 })
}

/** What may stand in a log, in any order: a store has to hold more than a sound runtime writes. */
const callId = fc.constantFrom("a", "b", "c d", 'e"')
const happening = fc.oneof(
  fc.constantFrom("one", "two ✓").map((prompt) => new TaskQueued({ prompt, ahead: 0 })),
  fc.constant(new TaskFailed({ kind: "crash", message: "no", durationMillis: 1 })),
  fc.uniqueArray(callId, { maxLength: 3 }).map(calling),
  callId.map((id) => new ToolCallRequested({ callId: id, tool, arguments: "{}" })),
  fc.tuple(callId, fc.boolean()).map(([id, readOnly]) => new ToolCallStarted({ callId: id, tool, readOnly })),
  callId.map((id) => {
    const more = { error: { _tag: "No", message: "no" }, message: toolMessage(id, "no"), durationMillis: 1 }
    return new ToolCallFailed({ callId: id, tool, ...more })
  }),
  fc.constantFrom("r1", "r2").map((id) => new ApprovalRequested({ request: request(id), ahead: 0 })),
  fc.constantFrom("r1", "r2").map((approvalId) => {
    const more = { outcome: "denied", by: "user", waitedMillis: 1 } as const
    return new ApprovalResolved({ callId: "a", tool, approvalId, ...more })
  }),
  fc.constantFrom(new SessionCleared({}), new SessionEnded({}), new ModelSwitched({ profile: "fast" })),
  fc.constant(new SessionResumed({ project: "here", epoch: 2, unknownCalls: 0 }))
)
const place = fc.record({
  task: fc.constantFrom("t", "u"),
  iteration: fc.constantFrom(1, 2),
  worker: fc.constantFrom(["root"], ["root", "W1"])
})

/** Each task is queued once, each request asked once and in a task, and each call asked for once at its place, as everywhere. */
const log = fc.array(fc.tuple(happening, place), { maxLength: 60 }).map((steps): ReadonlyArray<Envelope> => {
  const seen = new Set<string>()
  const kept = steps.filter(([event, { iteration, task, worker }]) => {
    const keys =
      event._tag === "TaskQueued"
        ? [`task ${task}`]
        : event._tag === "ApprovalRequested"
          ? [`request ${event.request.id}`]
          : event._tag === "ModelAnswered"
            ? [`answer ${task} ${iteration} ${worker.join()}`]
            : event._tag === "ToolCallRequested"
              ? [`answer ${task} ${iteration} ${worker.join()}`, `call ${event.callId}`]
              : []
    const fresh =
      keys.every((key) => !seen.has(key)) && (event._tag !== "ApprovalRequested" || seen.has(`task ${task}`))
    if (!fresh) return false
    for (const key of keys) seen.add(key)
    return true
  })
  return kept.map(([event, where], index) => ({
    version: 1,
    seq: index + 1,
    time: 2000 + index,
    session: "s",
    ...where,
    event
  }))
})

const folded = (events: ReadonlyArray<Envelope>): Projection.Projection =>
  events.reduce(Projection.step, Projection.empty("s", { project: "here", profile: "main" }, create.time))

const sorted = ({ calls, ...open }: Projection.Open) => ({
  ...open,
  calls: calls.toSorted((a, b) => callKey(a, a.callId).localeCompare(callKey(b, b.callId)))
})

describe("what a log comes to", () => {
  it.scopedLive.prop(
    "is the same in memory and in SQLite, whatever the batches (R6)",
    [log, fc.nat(9)],
    ([events, cut]) =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "a.db")
        const told = Effect.gen(function* () {
          const store = yield* SessionStore
          const lease = yield* store.open({ session: "s", create })
          yield* store.append(lease, events.slice(0, cut))
          yield* store.append(lease, events.slice(cut))
          const { calls, tasks } = yield* store.unfinished("s")
          return [
            yield* store.get("s"),
            { calls, tasks },
            yield* store.waiting(10),
            yield* store.messages("s", 10),
            yield* store.workerChanges("s", { task: "t", worker: ["root", "W1"], limit: 10 })
          ]
        })
        const memory = yield* Effect.scoped(Effect.provide(told, MemorySessionStore.layer))
        const sqlite = Layer.provide(SqlSessionStore.layer, Database.layer(file))
        assert.deepStrictEqual(yield* Effect.scoped(Effect.provide(told, sqlite)), memory)
        assert.deepStrictEqual(memory[0], folded(events).summary)
      }),
    { fastCheck: { numRuns: 15 } }
  )

  it.scopedLive.prop(
    "is what a database of before comes to as well (K4)",
    [log],
    ([events]) =>
      Effect.gen(function* () {
        const file = path.join(yield* temporaryDirectory, "a.db")
        const old = new Sqlite(file)
        old.exec("BEGIN")
        for (const statement of migrations.slice(0, 5).flat()) old.exec(statement)
        old.exec("PRAGMA user_version = 5")
        old.exec(
          "INSERT INTO sessions (id, project, profile, created_at, updated_at, epoch) VALUES ('s', 'here', 'main', 0, 0, 1)"
        )
        for (const { event, iteration, seq, task, time, worker } of events) {
          const row = [seq, time, event._tag, task, iteration, worker?.join("/"), JSON.stringify(event)]
          old.run("INSERT INTO events VALUES ('s', ?, 1, ?, ?, ?, ?, ?, ?)", ...row)
        }
        old.exec("COMMIT")
        old.close()
        yield* Effect.scoped(Layer.build(Database.layer(file)))
        const now = new Sqlite(file, { readonly: true })
        const row = now.all<Record<string, string>>("SELECT * FROM sessions")[0]
        now.close()
        const { open, summary } = folded(events)
        assert.deepStrictEqual(sorted(JSON.parse(row?.["open"] ?? "") as Projection.Open), sorted(open))
        assert.deepStrictEqual(
          [row?.["title"], row?.["profile"], row?.["status"], row?.["waits"]],
          [summary.title, summary.profile, summary.status, open.requests.length]
        )
      }),
    { fastCheck: { numRuns: 15 } }
  )
})
