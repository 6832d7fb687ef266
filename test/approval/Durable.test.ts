import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Queue, Schema, Scope } from "effect"
import { modelView } from "../../src/conversation/ModelView.ts"
import * as Timeline from "../../src/harness/Timeline.ts"
import { DecideApproval, EndSession, Interrupt, InvokeTool, ResumeSession } from "../../src/runtime/Command.ts"
import type { StoredMessage } from "../../src/conversation/Message.ts"
import { schemaVersion } from "../../src/runtime/Envelope.ts"
import { TaskCancelling } from "../../src/runtime/RuntimeEvent.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { ApprovalRequested, trusted } from "../../src/tool/ToolEvent.ts"
import { edit, opened, shell } from "./Talk.ts"

const secret = ["ghp_", "a1B2".repeat(9)].join("")

/** A runtime that died while the first of two calls waited, and the second for it. */
const died = Effect.gen(function* () {
  const opening = yield* opened()
  yield* opening.submit("t", edit("c1", "1", "2"), shell("c2", "touch b"))
  const first = yield* opening.request("c1")
  yield* opening.world.restart
  return { ...opening, first }
})

/** What resumes the session and gives the requests that are waited for again. */
const resumedBy = ({ send, session, world }: Effect.Effect.Success<ReturnType<typeof opened>>, epoch: number) =>
  Effect.gen(function* () {
    yield* send(new ResumeSession({ session }))
    const { event } = yield* world.awaitEvent(
      session,
      (event) => event._tag === "SessionResumed" && event.epoch === epoch
    )
    return event._tag === "SessionResumed" ? event.goesOn?.approvals.map(({ digest, id }) => ({ digest, id })) : []
  })

describe("a request that outlives its runtime", () => {
  it.scoped("waits again after each end of a runtime, under its id and digest, and runs once (A12, R9)", () =>
    Effect.gen(function* () {
      const opening = yield* died
      const { answer, end, first, session, taskEnd, world } = opening
      const { digest, id } = first
      assert.deepStrictEqual(yield* resumedBy(opening, 2), [{ digest, id }])
      for (const epoch of [3, 4]) {
        yield* world.awaitEvent(session, (event) => event._tag === "ApprovalMoved")
        yield* world.shutdown
        const stored = yield* Effect.orDie(world.store.read(session, 1, 1000))
        assert.deepInclude(stored.at(-1)?.event, { _tag: "SessionSuspended", waits: { task: "t", approvals: [id] } })
        assert.deepStrictEqual(Timeline.violations(stored), [])
        yield* world.restart
        assert.deepStrictEqual(yield* resumedBy(opening, epoch), [{ digest, id }])
      }
      yield* answer(first, "approve", { digest: "0".repeat(64) })
      yield* answer(first, "approve")
      yield* end("c1")
      yield* world.shutdown
      yield* world.restart
      yield* resumedBy(opening, 5)
      yield* answer(yield* opening.request("c2"), "deny")
      yield* end("c2")
      yield* Queue.offer(world.boot.turns, { say: "done" })
      assert.strictEqual((yield* taskEnd("t"))._tag, "TaskCompleted")
      assert.deepStrictEqual(world.machine.executed, ["c1"])
      const envelopes = yield* world.recorded(session)
      const ends = envelopes.flatMap(({ event }) => (event._tag === "ApprovalResolved" ? [event.outcome] : []))
      assert.deepStrictEqual(ends, ["granted", "denied"])
      assert.deepStrictEqual(Timeline.violations(envelopes), [])
      const rows = (yield* world.auditRows).filter(({ kind }) => kind === "requested" || kind === "resolved")
      assert.deepStrictEqual(
        rows.map(({ call, kind, outcome }) => `${call} ${outcome ?? kind}`),
        ["c1 requested", "c1 granted", "c2 requested", "c2 denied"]
      )
    })
  )

  it.scoped(
    "waits again where a person asked for the call, after a death and after a shutdown, and runs once (A12)",
    () =>
      Effect.gen(function* () {
        const opening = yield* opened()
        const { answer, send, session, taskEnd, world } = opening
        const parameters = { remote: "origin", branch: "main" }
        yield* send(new InvokeTool({ session, task: "t", tool: "git_push", parameters }))
        const { event } = yield* world.awaitEvent(session, (event) => event._tag === "ApprovalRequested")
        if (event._tag !== "ApprovalRequested") return assert.fail("nobody was asked")
        const { digest, id } = event.request
        yield* world.restart
        assert.deepStrictEqual(yield* resumedBy(opening, 2), [{ digest, id }])
        yield* world.shutdown
        yield* world.restart
        assert.deepStrictEqual(yield* resumedBy(opening, 3), [{ digest, id }])
        yield* answer(event.request, "approve")
        assert.strictEqual((yield* taskEnd("t"))._tag, "TaskCompleted")
        assert.deepStrictEqual(world.machine.executed, [event.request.callId])
        const envelopes = yield* world.recorded(session)
        assert.deepStrictEqual(Timeline.violations(envelopes), [])
        const told = envelopes.flatMap((envelope) =>
          envelope.event._tag === "MessageRecorded" && envelope.event.message.message.role === "system"
            ? [envelope]
            : []
        )
        assert.strictEqual(told.length, 1)
      })
  )

  it.scoped("is withdrawn by the user and by the end of the session, and does not come back (A8, A12)", () =>
    Effect.gen(function* () {
      for (const command of [new Interrupt({ session: "s1" }), new EndSession({ session: "s1" })]) {
        const opening = yield* died
        const { end, send, session, taskEnd, world } = opening
        yield* resumedBy(opening, 2)
        yield* send(command)
        yield* end("c1")
        assert.strictEqual((yield* taskEnd("t"))._tag, "TaskInterrupted")
        yield* world.shutdown
        yield* world.restart
        assert.isUndefined(yield* resumedBy(opening, 3))
        assert.deepStrictEqual(Timeline.violations(yield* world.recorded(session)), [])
      }
    })
  )

  it.scoped("does not come back where the runtime died after the user had cancelled its task (A8, A12)", () =>
    Effect.gen(function* () {
      const opening = yield* opened()
      const { send, session, submit, taskEnd, world } = opening
      yield* submit("t", shell("c1", "touch a"))
      yield* opening.request("c1")
      yield* world.die
      const writing = yield* Scope.make()
      const lease = yield* Effect.orDie(Scope.extend(world.store.open({ session }), writing))
      const cancelling = new TaskCancelling({}, trusted)
      yield* Effect.orDie(
        world.store.append(lease, [
          { version: schemaVersion, seq: lease.head + 1, time: 0, session, task: "t", event: cancelling }
        ])
      )
      yield* Scope.close(writing, Exit.void)
      yield* world.restart
      yield* send(new ResumeSession({ session }))
      assert.strictEqual((yield* taskEnd("t"))._tag, "TaskFailed")
      assert.deepStrictEqual(Timeline.violations(yield* world.recorded(session)), [])
    })
  )

  it.scoped("is answered by id and digest after a restart, and the run goes on where it stopped (A12, R9)", () =>
    Effect.gen(function* () {
      const { answer, end, first, request, session, taskEnd, world } = yield* died
      yield* answer(first, "approve")
      yield* end("c1")
      const second = yield* request("c2")
      yield* world.restart
      yield* answer(second, "deny", { reason: "no" })
      yield* end("c2")
      yield* Queue.offer(world.boot.turns, { say: "done" })
      assert.strictEqual((yield* taskEnd("t"))._tag, "TaskCompleted")
      assert.deepStrictEqual(world.machine.executed, ["c1"])
      const envelopes = yield* world.recorded(session)
      const requests = envelopes.filter(({ event }) => event._tag === "ApprovalRequested")
      assert.strictEqual(requests.length, 2)
      assert.deepStrictEqual(Timeline.violations(envelopes), [])
      const messages = envelopes.flatMap(({ event }): ReadonlyArray<StoredMessage> =>
        "message" in event && typeof event.message === "object" ? [event.message] : []
      )
      const roles = modelView(messages).map(({ message }) => message.role)
      assert.deepStrictEqual(roles, ["user", "assistant", "tool", "tool", "assistant"])
    })
  )

  it.scoped(
    "refuses a second answer, one of another session and one with another digest, and records it (A5, A12)",
    () =>
      Effect.gen(function* () {
        const { answer, end, fence, first, send, session, world } = yield* died
        yield* send(new ResumeSession({ session }))
        yield* answer(first, "approve", { digest: "0".repeat(64) })
        yield* answer(first, "deny")
        yield* answer(first, "approve")
        yield* send(
          new DecideApproval({ session: "s9", approvalId: first.id, digest: first.digest, decision: "approve" })
        )
        yield* fence
        yield* end("c1")
        assert.deepStrictEqual(world.machine.executed, [])
        const refused = (yield* world.auditRows).flatMap(({ kind, outcome }) =>
          kind === "decision_refused" ? [outcome] : []
        )
        assert.deepStrictEqual(refused, ["ApprovalMismatch: digest", "ApprovalNotPending: denied"])
      })
  )

  it.scoped("is asked again under a new id where what it showed has changed meanwhile (A5, A12)", () =>
    Effect.gen(function* () {
      const { answer, end, first, request, send, session, world } = yield* died
      world.machine.files.set("/w/a", "1 more")
      yield* send(new ResumeSession({ session }))
      const again = yield* request("c1", 2)
      assert.notStrictEqual(again.id, first.id)
      yield* answer(first, "approve")
      yield* answer(again, "approve")
      yield* end("c1")
      assert.strictEqual(world.machine.files.get("/w/a"), "2 more")
    })
  )

  const before = { summary: "publish 1 page", diff: "+one", path: "pages/one" }
  const changes = {
    "a diff": { ...before, diff: "+two" },
    "a summary": { ...before, summary: "publish 2 pages" },
    "a path": { ...before, path: "pages/two" }
  }
  it.scoped.each(Object.entries(changes))(
    "is asked again where it showed %s of its own that is another by now (A5, A12)",
    ([, after]) =>
      Effect.gen(function* () {
        let shown = before
        const { answer, end, request, send, session, submit, world } = yield* opened({
          tools: (machine) => [
            Tool.make("publish", {
              description: "Publishes pages",
              parameters: Schema.Struct({}),
              success: Schema.String,
              approval: "always",
              touches: () => ({ paths: [{ path: shown.path, op: "write" }] }),
              preview: () => Effect.succeed({ summary: shown.summary, diff: shown.diff, targets: [] }),
              handler: (_, { callId }) => Effect.orDie(machine.run(callId))
            })
          ]
        })
        yield* submit("t", { id: "c1", name: "publish", args: {} })
        const first = yield* request("c1")
        yield* world.restart
        shown = after
        yield* send(new ResumeSession({ session }))
        yield* answer(first, "approve")
        const again = yield* request("c1", 2)
        assert.deepStrictEqual(world.machine.executed, [])
        const gone = yield* world.awaitEvent(session, (event) => event._tag === "ApprovalResolved")
        assert.deepInclude(gone.event, { outcome: "withdrawn", by: "change" })
        yield* answer(again, "approve")
        yield* end("c1")
        assert.deepStrictEqual(world.machine.executed, ["c1"])
      })
  )

  it.scoped("runs where nothing of what it showed has changed, whatever the time (A12)", () =>
    Effect.gen(function* () {
      let looked = 0
      const { answer, end, request, submit, world } = yield* opened({
        tools: (machine) => [
          Tool.make("publish", {
            description: "Publishes pages",
            parameters: Schema.Struct({}),
            success: Schema.String,
            approval: "always",
            touches: "none",
            preview: () => Effect.sync(() => ({ summary: `looked ${++looked} times`, diff: "+one", targets: [] })),
            handler: (_, { callId }) => Effect.orDie(machine.run(callId))
          })
        ]
      })
      yield* submit("t", { id: "c1", name: "publish", args: {} })
      yield* answer(yield* request("c1"), "approve")
      yield* end("c1")
      assert.deepStrictEqual(world.machine.executed, ["c1"])
      assert.isAbove(looked, 1)
    })
  )

  it.scoped("expires once it is shown again and nobody answers (A8, A12)", () =>
    Effect.gen(function* () {
      const { end, send, session, world } = yield* died
      yield* send(new ResumeSession({ session }))
      yield* world.awaitEvent(session, (event) => event._tag === "ApprovalMoved" && event.callId === "c1")
      yield* world.tick
      const failed = yield* end("c1")
      assert.strictEqual(failed._tag === "ToolCallFailed" && failed.error._tag, "ApprovalExpired")
    })
  )

  it.scoped("is withdrawn where no worker that goes on has asked it (A8, A12)", () =>
    Effect.gen(function* () {
      const { request, send, session, submit, world } = yield* opened()
      yield* submit("t", shell("c1", "touch a"))
      const own = yield* request("c1")
      yield* world.die
      const writing = yield* Scope.make()
      const lease = yield* Effect.orDie(Scope.extend(world.store.open({ session }), writing))
      const foreign = new ApprovalRequested(
        { request: { ...own, id: "approval_w", callId: "w1", workerPath: ["root", "W1"] }, ahead: 1 },
        trusted
      )
      const place = { task: "t", iteration: 1, worker: ["root", "W1"] }
      yield* Effect.orDie(
        world.store.append(lease, [
          { version: schemaVersion, seq: lease.head + 1, time: 0, session, ...place, event: foreign }
        ])
      )
      yield* Scope.close(writing, Exit.void)
      yield* world.restart
      yield* send(new ResumeSession({ session }))
      const gone = yield* world.awaitEvent(session, (event) => event._tag === "ApprovalResolved")
      assert.deepInclude(gone.event, { approvalId: "approval_w", outcome: "withdrawn", by: "restart" })
      const pending = world.awaitEvent(session, (event) => event._tag === "ApprovalMoved" && event.callId === "c1")
      assert.strictEqual((yield* pending).event._tag, "ApprovalMoved")
    })
  )

  it.scoped("does not run a call again whose decision was taken before the runtime died (A5, R9)", () =>
    Effect.gen(function* () {
      const { answer, end, request, send, session, submit, taskEnd, world } = yield* opened()
      yield* submit("t", shell("c1", "touch a"))
      world.hold.started = true
      const asked = yield* request("c1")
      yield* answer(asked, "approve")
      while (!(yield* world.isResolved(session, asked.id))) yield* Effect.yieldNow()
      yield* world.restart
      yield* send(new ResumeSession({ session }))
      yield* end("c1")
      yield* world.release
      assert.strictEqual((yield* taskEnd("t"))._tag, "TaskFailed")
      assert.deepStrictEqual(world.machine.executed, [])
    })
  )

  it.scoped("waits again as a person has edited it, and runs as it was approved (A5, A12, U5)", () =>
    Effect.gen(function* () {
      const opening = yield* died
      const { answer, end, first, request, send, session, taskEnd, world } = opening
      yield* resumedBy(opening, 2)
      const { digest, id: approvalId } = first
      const parameters = { path: "a", old: "1", new: "3" }
      yield* send(new DecideApproval({ session, approvalId, digest, decision: "approve", parameters }))
      const edited = yield* request("c1", 2)
      assert.isTrue(edited.edited)
      for (const epoch of [3, 4]) {
        yield* world.restart
        assert.deepStrictEqual(yield* resumedBy(opening, epoch), [{ digest: edited.digest, id: edited.id }])
        yield* world.awaitEvent(session, (event) => event._tag === "ApprovalMoved" && event.approvalId === edited.id)
      }
      yield* answer(edited, "approve")
      yield* end("c1")
      assert.strictEqual(world.machine.files.get("/w/a"), "3")
      yield* answer(yield* request("c2"), "deny")
      yield* end("c2")
      yield* Queue.offer(world.boot.turns, { say: "done" })
      yield* taskEnd("t")
      const envelopes = yield* world.recorded(session)
      assert.strictEqual(envelopes.filter(({ event }) => event._tag === "ApprovalRequested").length, 3)
      assert.deepStrictEqual(Timeline.violations(envelopes), [])
    })
  )

  it.scoped("waits as it was edited whatever is allowed of what it was (A5, A12, U5)", () =>
    Effect.gen(function* () {
      const { answer, end, request, send, session, submit, world } = yield* opened()
      yield* submit("t", edit("c1", "1", "2"))
      const { digest, id: approvalId } = yield* request("c1")
      const parameters = { path: "b", old: "1", new: "3" }
      yield* send(new DecideApproval({ session, approvalId, digest, decision: "approve", parameters }))
      const edited = yield* request("c1", 2)
      yield* world.restart
      const rule = { id: "r", decision: "allow", level: "user", tool: "edit_file", path: "/w/a" } as const
      yield* Effect.orDie(world.boot.rules.save("test", rule))
      yield* send(new ResumeSession({ session }))
      yield* world.awaitEvent(session, (event) => event._tag === "ApprovalMoved" && event.approvalId === edited.id)
      yield* answer(edited, "approve")
      yield* end("c1")
      assert.deepStrictEqual(
        ["a", "b"].map((name) => world.machine.files.get(`/w/${name}`)),
        ["1", "3"]
      )
    })
  )

  it.scoped("ends with its runtime where its parameters hold a secret, which is not kept (A12, S5)", () =>
    Effect.gen(function* () {
      for (const stop of ["death", "shutdown"] as const) {
        const { request, send, session, submit, taskEnd, world } = yield* opened()
        yield* submit("t", shell("c1", `echo ${secret}`))
        const { id } = yield* request("c1")
        if (stop === "shutdown") yield* world.shutdown
        yield* world.restart
        yield* send(new ResumeSession({ session }))
        const over = yield* world.awaitEvent(session, (event) => event._tag === "ApprovalResolved")
        assert.deepInclude(over.event, { approvalId: id, outcome: "withdrawn" })
        const ended = yield* taskEnd("t")
        if (stop === "death") {
          assert.include(ended._tag === "TaskFailed" ? ended.message : "", "a secret, which is not kept")
          assert.include(over.event._tag === "ApprovalResolved" ? over.event.reason : "", "a secret, which is not kept")
        }
        assert.deepStrictEqual(world.machine.executed, [])
        assert.deepStrictEqual(Timeline.violations(yield* world.recorded(session)), [])
      }
    })
  )

  it.scoped("lets no call behind it run with what stands for a secret (A12, S5)", () =>
    Effect.gen(function* () {
      const { answer, end, request, send, session, submit, taskEnd, world } = yield* opened({ policy: "ask" })
      yield* submit("t", edit("c1", "1", "2"), shell("c2", `echo ${secret}`), shell("c3", "touch c"))
      const first = yield* request("c1")
      yield* world.restart
      yield* send(new ResumeSession({ session }))
      const lost = yield* end("c2")
      assert.include(
        lost._tag === "ToolCallInterrupted" ? JSON.stringify(lost.message) : "",
        "a secret, which is not kept"
      )
      yield* answer(first, "approve")
      yield* end("c1")
      yield* answer(yield* request("c3"), "approve")
      yield* end("c3")
      yield* Queue.offer(world.boot.turns, { say: "done" })
      assert.strictEqual((yield* taskEnd("t"))._tag, "TaskCompleted")
      assert.deepStrictEqual(world.machine.executed, ["c1", "c3"])
      assert.deepStrictEqual(Timeline.violations(yield* world.recorded(session)), [])
    })
  )
})
