import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Timeline from "../../src/harness/Timeline.ts"
import { EndSession, Interrupt, RevokeApproval, SetApprovalPolicy, Shutdown } from "../../src/runtime/Command.ts"
import * as Stage from "./Stage.ts"
import { edit, opened, shell, talk } from "./Talk.ts"
import * as World from "./World.ts"

describe("Approvals", () => {
  it.scoped("asks again when the file changed after the diff was shown (A5)", () =>
    Effect.gen(function* () {
      const { answer, end, request, submit, world } = yield* opened()
      yield* submit("t", edit("c1", "1", "2"))
      const first = yield* request("c1")
      world.machine.files.set("/w/a", "1 and more")
      yield* answer(first, "approve")
      const second = yield* request("c1", 2)
      assert.notStrictEqual(second.digest, first.digest)
      assert.deepStrictEqual(world.machine.executed, [])
      yield* answer(second, "approve")
      yield* end("c1")
      assert.strictEqual(world.machine.files.get("/w/a"), "2 and more")
    })
  )

  it.scoped("gives up after three answers that no longer fitted (A5)", () =>
    Effect.gen(function* () {
      const { answer, end, request, submit, world } = yield* opened()
      yield* submit("t", edit("c1", "1", "2"))
      for (const round of [1, 2, 3]) {
        const asked = yield* request("c1", round)
        world.machine.files.set("/w/a", "1".repeat(round + 1))
        yield* answer(asked, "approve")
      }
      const failed = yield* end("c1")
      assert.strictEqual(failed._tag === "ToolCallFailed" && failed.error._tag, "ApprovalStale")
      assert.deepStrictEqual(world.machine.executed, [])
    })
  )

  it.scoped("shows one at a time and tells the others their position as it changes (A8)", () =>
    Effect.gen(function* () {
      const { answer, end, request, submit, world } = yield* opened()
      const [second, third] = [talk(world, "s2"), talk(world, "s3")]
      yield* second.open
      yield* third.open
      yield* submit("t", shell("c1", "touch a"))
      const first = yield* request("c1")
      yield* second.submit("u", shell("c2", "touch b"))
      yield* second.request("c2")
      yield* third.submit("v", shell("c3", "touch c"))
      const asked = yield* world.awaitEvent("s3", (event) => event._tag === "ApprovalRequested")
      assert.strictEqual(asked.event._tag === "ApprovalRequested" && asked.event.ahead, 2)
      yield* answer(first, "approve")
      yield* end("c1")
      const moved = yield* world.awaitEvent("s3", (event) => event._tag === "ApprovalMoved")
      assert.strictEqual(moved.event._tag === "ApprovalMoved" && moved.event.ahead, 1)
      const shown = yield* world.awaitEvent("s2", (event) => event._tag === "ApprovalMoved" && event.ahead === 0)
      assert.strictEqual(shown.event._tag === "ApprovalMoved" && shown.event.callId, "c2")
    })
  )

  it.scoped("lets the time run from when a request is shown, not from when it came (A8)", () =>
    Effect.gen(function* () {
      const { end, request, submit, world } = yield* opened()
      const other = talk(world, "s2")
      yield* other.open
      yield* submit("t", shell("c1", "touch a"))
      yield* request("c1")
      yield* other.submit("u", shell("c2", "touch b"))
      yield* other.request("c2")
      yield* TestClock.adjust("30 seconds")
      const first = yield* end("c1")
      assert.strictEqual(first._tag === "ToolCallFailed" && first.error._tag, "ApprovalExpired")
      yield* world.awaitEvent("s2", (event) => event._tag === "ApprovalMoved" && event.callId === "c2")
      assert.deepStrictEqual(
        (yield* world.boot.approvals.state()).pending.map(({ callId }) => callId),
        ["c2"]
      )
      yield* TestClock.adjust("30 seconds")
      const second = yield* other.end("c2")
      assert.include(second._tag === "ToolCallFailed" ? second.error.message : "", "You may try again")
    })
  )

  it.scoped("withdraws what is interrupted, once, and leaves waiting what a shutdown finds so (A8, A12)", () =>
    Effect.gen(function* () {
      const { answer, end, fence, request, send, session, submit, world } = yield* opened()
      yield* submit("t", shell("c1", "touch a"))
      const first = yield* request("c1")
      yield* send(new Interrupt({ session }))
      yield* end("c1")
      yield* submit("u", shell("c2", "touch b"))
      const second = yield* request("c2")
      yield* fence
      yield* send(new Shutdown({}))
      yield* world.shutdown
      const envelopes = yield* Effect.orDie(world.store.read(session, 1, 1000))
      const resolved = envelopes.flatMap(({ event }) =>
        event._tag === "ApprovalResolved" ? [[event.approvalId, event.outcome, event.by]] : []
      )
      assert.deepStrictEqual(resolved, [[first.id, "withdrawn", "interruption"]])
      assert.deepStrictEqual(Timeline.violations(envelopes), [])
      yield* world.restart
      yield* answer(second, "approve")
      yield* end("c2")
      assert.deepStrictEqual(world.machine.executed, ["c2"])
    })
  )

  it.scoped("gives the reason of a denial to the model, and goes on or stops as told (A11)", () =>
    Effect.gen(function* () {
      const { answer, end, finish, request, submit, taskEnd, turn } = yield* opened()
      yield* submit("t", shell("c1", "touch a"))
      yield* answer(yield* request("c1"), "deny", { reason: "use touch b" })
      const failed = yield* end("c1")
      const said = failed._tag === "ToolCallFailed" ? failed.message.message.content : ""
      assert.deepStrictEqual(JSON.parse(said ?? ""), { error: "User denied approval for run_shell: use touch b" })
      yield* turn(shell("c2", "touch b"))
      yield* answer(yield* request("c2"), "deny")
      yield* end("c2")
      yield* finish
      assert.strictEqual((yield* taskEnd("t"))._tag, "TaskCompleted")
    })
  )

  it.scoped("ends the task where a denial says so (A11)", () =>
    Effect.gen(function* () {
      const { answer, request, submit, taskEnd } = yield* opened()
      yield* submit("t", shell("c1", "touch a"))
      yield* answer(yield* request("c1"), "deny", { stop: true })
      const end = yield* taskEnd("t")
      assert.strictEqual(end._tag === "TaskFailed" && end.kind, "denied")
    })
  )

  it.scoped("answers what waits when a grant comes that covers it (A6)", () =>
    Effect.gen(function* () {
      const world = yield* World.make()
      const stage = Stage.make(world)
      yield* stage.enter("s1")
      const calls = [shell("c1", "touch a"), shell("c2", "touch  a"), shell("c3", "touch b")]
      yield* stage.ask(calls.map((call) => stage.called({ step: "tool_call", ...call })))
      assert.strictEqual((yield* world.boot.approvals.state()).pending.length, 3)
      yield* stage.decide({ step: "decision", approval: "A1", decision: "approve", scope: "session" })
      yield* stage.drain
      assert.sameMembers(world.machine.executed, ["c1", "c2"])
      assert.deepStrictEqual(
        (yield* world.boot.approvals.state()).pending.map(({ callId }) => callId),
        ["c3"]
      )
    })
  )

  it.scoped("forgets a grant that was revoked, that is too old, and all with the session (A6)", () =>
    Effect.gen(function* () {
      const { answer, end, fence, request, send, session, submit, turn, world } = yield* opened()
      yield* submit("t", shell("c1", "touch a"))
      yield* answer(yield* request("c1"), "approve", { scope: "session" })
      yield* end("c1")
      yield* turn(shell("c2", "touch a"))
      yield* end("c2")
      const [grant] = (yield* world.boot.approvals.state(session)).grants
      yield* send(new RevokeApproval({ session, grantId: grant?.id ?? "" }))
      yield* fence
      yield* turn(shell("c3", "touch a"))
      yield* answer(yield* request("c3"), "approve", { scope: "session" })
      yield* end("c3")
      yield* TestClock.adjust("9 hours")
      yield* turn(shell("c4", "touch a"))
      yield* answer(yield* request("c4"), "approve", { scope: "session" })
      yield* end("c4")
      yield* send(new EndSession({ session }))
      yield* world.awaitEvent(session, (event) => event._tag === "SessionEnded")
      assert.deepStrictEqual((yield* world.boot.approvals.state()).grants, [])
    })
  )

  it.scoped("saves a rule for always, which the next start still has, and revokes it (A6)", () =>
    Effect.gen(function* () {
      const { answer, end, fence, request, send, session, submit, turn, world } = yield* opened({ always: true })
      yield* submit("t", shell("c1", "touch a"))
      const asked = yield* request("c1")
      assert.strictEqual(asked.rule, "allow run_shell: touch a")
      yield* answer(asked, "approve", { scope: "always" })
      yield* end("c1")
      yield* world.shutdown
      yield* world.restart
      yield* submit("u", shell("c2", "touch a"))
      yield* end("c2")
      assert.deepStrictEqual(world.machine.executed, ["c1", "c2"])
      const [rule] = yield* world.boot.rules.list("test")
      yield* send(new RevokeApproval({ session, grantId: rule?.id ?? "" }))
      yield* fence
      yield* turn(shell("c3", "touch a"))
      yield* request("c3")
    })
  )

  it.scoped("voids an answer about a command once the file changed that says what it does (A5, A6)", () =>
    Effect.gen(function* () {
      const { answer, end, request, submit, turn, world } = yield* opened({ always: true })
      yield* submit("t", shell("c1", "npm test"))
      const asked = yield* request("c1")
      assert.include(asked.rule ?? "", "until /w/package.json changes")
      yield* answer(asked, "approve", { scope: "always" })
      yield* end("c1")
      yield* turn(shell("c2", "npm test"))
      yield* end("c2")
      world.machine.files.set("/w/package.json", "other")
      yield* turn(shell("c3", "npm test"))
      yield* request("c3")
      assert.deepStrictEqual(world.machine.executed, ["c1", "c2"])
    })
  )

  it.scoped("carries what led to the request, at most ten messages, redacted (A2, A9)", () =>
    Effect.gen(function* () {
      const { request, submit } = yield* opened()
      yield* submit("t", shell("c1", `curl -H "Authorization: Bearer ${"a1".repeat(20)}" http://x`))
      const asked = yield* request("c1")
      assert.isAtMost(asked.context?.length ?? 0, 10)
      assert.strictEqual(asked.context?.[0]?.role, "user")
      assert.notInclude(JSON.stringify(asked), "a1a1")
    })
  )

  it.scoped("decides by its mode where nobody can be asked, failing closed (A7)", () =>
    Effect.gen(function* () {
      const { end, fence, send, session, submit, turn, world } = yield* opened({ danger: true })
      const read = (id: string) => ({ id, name: "read_file", args: { path: "/elsewhere/a" } })
      const outcome = (id: string) =>
        Effect.map(end(id), (event) => (event._tag === "ToolCallFailed" ? event.error._tag : event._tag))
      const set = (policy: "deny" | "allow-read-only" | "edits" | "allow" | "fail") =>
        Effect.zipRight(send(new SetApprovalPolicy({ session, policy })), fence)
      yield* set("deny")
      yield* submit("t", shell("d1", "touch a"), read("d2"))
      assert.deepStrictEqual(yield* Effect.all([outcome("d1"), outcome("d2")]), ["ApprovalDenied", "ApprovalDenied"])
      yield* set("allow-read-only")
      yield* turn(shell("r1", "touch a"), read("r2"))
      assert.deepStrictEqual(yield* Effect.all([outcome("r1"), outcome("r2")]), ["ApprovalDenied", "ApprovalDenied"])
      yield* set("edits")
      yield* turn(edit("e1", "1", "2"))
      assert.strictEqual(yield* outcome("e1"), "ToolCallCompleted")
      yield* set("allow")
      yield* turn(shell("a1", "touch a"), shell("a2", "git push"))
      assert.deepStrictEqual(yield* Effect.all([outcome("a1"), outcome("a2")]), ["ToolCallCompleted", "CommandDenied"])
      yield* set("fail")
      yield* turn(shell("f1", "touch a"))
      assert.strictEqual(yield* outcome("f1"), "ApprovalUnavailable")
      const rows = yield* world.auditRows
      assert.strictEqual(rows.filter(({ kind }) => kind === "policy_set").length, 5)
    })
  )

  it.scoped("lets nobody set the mode that allows everything later on (A7)", () =>
    Effect.gen(function* () {
      const { fence, send, session, world } = yield* opened()
      yield* send(new SetApprovalPolicy({ session, policy: "allow" }))
      yield* fence
      assert.strictEqual((yield* world.boot.approvals.state(session)).policy, "ask")
    })
  )

  it.scoped("takes back with a rule all that the answer always gave (A6)", () =>
    Effect.gen(function* () {
      const { answer, end, fence, request, send, session, submit, turn, world } = yield* opened({ always: true })
      yield* submit("t", shell("c1", "touch a"))
      yield* answer(yield* request("c1"), "approve", { scope: "always" })
      yield* end("c1")
      const [rule] = yield* world.boot.rules.list("test")
      yield* send(new RevokeApproval({ session, grantId: rule?.id ?? "" }))
      yield* fence
      yield* turn(shell("c2", "touch a"))
      yield* request("c2")
    })
  )
})
