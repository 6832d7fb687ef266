import { assert, describe, it } from "@effect/vitest"
import { Chunk, Context, Effect, Exit, FastCheck as fc, Fiber, Layer, Schema, Scope, Stream } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import { Audit } from "../../src/audit/Audit.ts"
import { RuleStore } from "../../src/approval/RuleStore.ts"
import { Database } from "../../src/database/Database.ts"
import * as Command from "../../src/runtime/Command.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import * as MemorySessionStore from "../../src/runtime/MemorySessionStore.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { SessionFenced, SessionStore } from "../../src/runtime/SessionStore.ts"
import * as SqlSessionStore from "../../src/runtime/SqlSessionStore.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const sessions = ["a", "b"] as const

/** Each number is one command under one id, so that a number that comes again is a repetition. */
const commandOf = (n: number): Command.Command & { readonly commandId: string } => {
  const commandId = `c${n}`
  const session = sessions[n % 2 === 0 ? 0 : 1]
  const at = { commandId, session, by: "ada" }
  const make = [
    () => new Command.CreateSession({ ...at, project: "p" }),
    () => new Command.SubmitPrompt({ ...at, task: `t${n}`, prompt: "go" }),
    () => new Command.SubmitPrompt({ ...at, task: "again", prompt: "go" }),
    () => new Command.SwitchModel({ ...at, profile: n % 3 === 0 ? "none" : "scripted" }),
    () => new Command.SetApprovalPolicy({ ...at, policy: n % 3 === 0 ? "allow" : "deny" }),
    () => new Command.CancelTask({ ...at, task: "again" }),
    () => new Command.Interrupt(at),
    () => new Command.ClearSession(at),
    () => new Command.CompactSession({ ...at, task: `t${n}` }),
    () => new Command.DeclareClientTools({ ...at, tools: [] }),
    () => new Command.AnswerClientCall({ ...at, requestId: "none" }),
    () => new Command.RevokeApproval({ ...at, grantId: "none" }),
    () => new Command.DecideApproval({ ...at, approvalId: "none", digest: "", decision: "deny" }),
    () => new Command.ResumeSession(at),
    () => new Command.ResumeLastSession({ commandId, project: "p" }),
    () => new Command.EndSession(at),
    () => new Command.Shutdown({ commandId })
  ] as const
  return make[n % make.length]!() as never
}

type Step =
  | { readonly _tag: "request"; readonly n: number }
  | { readonly _tag: "send"; readonly n: number }
  | { readonly _tag: "pause" }
  | { readonly _tag: "restart" }

// Openings come up often enough for the others to find a session.
const number = fc.oneof(fc.nat({ max: 50 }), fc.constantFrom(0, 17, 1, 18, 34))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ _tag: fc.constant("request" as const), n: number }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("send" as const), n: number }) },
  { weight: 2, arbitrary: fc.constant({ _tag: "pause" } as const) },
  { weight: 1, arbitrary: fc.constant({ _tag: "restart" } as const) }
)

const idOf = ({ event }: Envelope): string | undefined =>
  "commandId" in event && typeof event.commandId === "string" ? event.commandId : undefined

/** The answers of a log by the ids of their commands; none has two. */
const answersOf = (envelopes: ReadonlyArray<Envelope>): ReadonlyMap<string, Envelope> => {
  const found = new Map<string, Envelope>()
  for (const envelope of envelopes) {
    const id = idOf(envelope)
    if (id === undefined) continue
    assert.isUndefined(found.get(id), `${id} was answered twice: ${JSON.stringify([found.get(id), envelope])}`)
    found.set(id, envelope)
  }
  return found
}

/** Plays one life of a runtime; gives what each request was told and what was seen meanwhile. */
const life = (store: Layer.Layer<SessionStore>, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const model = Array.from({ length: 60 }, () => "Done")
    const context = yield* Layer.build(Testing.layer({ model, store, policy: "ask", randomIds: true })).pipe(
      Scope.extend(scope)
    )
    const runtime = Context.get(context, Runtime)
    const events = yield* runtime.events
    const watching = yield* Effect.fork(Stream.runCollect(events))
    const asked = []
    for (const one of steps) {
      if (one._tag === "request") {
        const command = commandOf(one.n)
        asked.push({ command, told: yield* Effect.fork(Effect.either(runtime.request(command))) })
      } else if (one._tag === "send") yield* Effect.ignore(runtime.send(commandOf(one.n)))
      else yield* Effect.yieldNow()
    }
    if (steps.length % 2 === 0) yield* Effect.forEach(asked, ({ told }) => Fiber.await(told), { discard: true })
    yield* Scope.close(scope, Exit.void)
    const told = yield* Effect.forEach(asked, ({ command, told }) =>
      Effect.map(Fiber.join(told), (told) => ({ command, told }))
    )
    return { told, seen: Chunk.toReadonlyArray(yield* Fiber.join(watching)) }
  })

const holds = (script: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const lives = [...script, { _tag: "restart" } as const].reduce<ReadonlyArray<ReadonlyArray<Step>>>(
      (all, one) => (one._tag === "restart" ? [...all, []] : [...all.slice(0, -1), [...(all.at(-1) ?? []), one]]),
      [[]]
    )
    let before: ReadonlyMap<string, Envelope> = new Map()
    for (const steps of lives) {
      const { seen, told } = yield* life(Layer.succeed(SessionStore, store), steps)
      const live = answersOf(seen)
      const stored = answersOf((yield* Effect.forEach(sessions, (session) => store.read(session, 1, 10_000))).flat())
      for (const { command, told: answer } of told) {
        const { commandId } = command
        // One end answers all who asked for it.
        const expected = command._tag === "Shutdown" ? seen.at(-1) : (before.get(commandId) ?? live.get(commandId))
        if (answer._tag === "Right") assert.deepStrictEqual<Envelope | undefined>(answer.right as Envelope, expected)
        else if (answer.left._tag === "RequestRejected") {
          assert.deepInclude(expected?.event, { _tag: "CommandRejected", reason: answer.left.reason })
        } else assert.notStrictEqual(answer.left._tag, "TooManyTasks")
        if (before.has(commandId)) assert.isUndefined(live.get(commandId), `${commandId} was carried out again`)
      }
      before = stored
    }
  })

const script = fc.array(step, { minLength: 1, maxLength: 40 })

describe("a request", () => {
  it.effect.prop(
    "is answered exactly once under its id: repeated, cancelled, stopped, and after a restart (R1, R9)",
    { script },
    ({ script }) => Effect.provide(holds(script), MemorySessionStore.layer),
    { fastCheck: { numRuns: 80 } }
  )

  it.scoped.prop(
    "has its answer from the database after a restart (R1, R9)",
    { script },
    ({ script }) =>
      Effect.gen(function* () {
        const place = yield* temporaryDirectory
        yield* Effect.provide(holds(script), Layer.provide(SqlSessionStore.layer, Database.layer(`${place}/t.db`)))
      }),
    { fastCheck: { numRuns: 10 } }
  )

  it.effect("is typed by its command, and its rejection says why (R1)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const session = "a"
      const created = yield* runtime.request(new Command.CreateSession({ session, project: "p" }))
      assert.deepInclude(created, { session, seq: 1 })
      const { event } = yield* runtime.request(
        new Command.SwitchModel({ session, profile: "scripted", commandId: "s" })
      )
      const profile: string = event.profile
      assert.strictEqual(profile, "scripted")
      const refused = yield* Effect.flip(runtime.request(new Command.SwitchModel({ session, profile: "none" })))
      assert.deepInclude(refused, { _tag: "RequestRejected", command: "SwitchModel", error: "ProfileNotFound" })
      const taken = yield* Effect.flip(runtime.request(new Command.ClearSession({ session, commandId: "s" })))
      assert.deepInclude(taken, { _tag: "RequestRejected", error: "CommandIdTaken" })
      assert.include(taken.message, "The id s belongs to another command")
      yield* runtime.request(new Command.ResumeSession({ session }))
      yield* runtime.request(new Command.EndSession({ session }))
      yield* runtime.request(new Command.Shutdown({}))
      assert.strictEqual(
        (yield* Effect.flip(runtime.request(new Command.Interrupt({ session }))))._tag,
        "RuntimeHasStopped"
      )
    }).pipe(Effect.provide(Testing.layer({ model: [] })))
  )

  it.effect("is none of the repetitions of one about another session or with other words under its id (R1)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const store = yield* SessionStore
      for (const session of sessions) {
        const { event } = yield* runtime.request(
          new Command.CreateSession({ session, project: "p", commandId: `create ${session}` })
        )
        assert.strictEqual(event._tag, "SessionCreated")
      }
      const renaming = { session: "a", title: "one", commandId: "r" }
      const first = yield* runtime.request(new Command.RenameSession(renaming))
      assert.deepStrictEqual(yield* runtime.request(new Command.RenameSession({ ...renaming, by: "ada" })), first)
      const forking = { session: "a", fork: "c", commandId: "f" }
      const forked = yield* runtime.request(new Command.ForkSession(forking))
      assert.strictEqual(forked.session, "c")
      assert.deepStrictEqual(yield* runtime.request(new Command.ForkSession(forking)), forked)
      yield* runtime.request(new Command.Interrupt({ session: "a", commandId: "i" }))
      yield* runtime.request(new Command.SetApprovalPolicy({ session: "a", policy: "deny", commandId: "p" }))
      yield* Effect.flip(runtime.request(new Command.SwitchModel({ session: "a", profile: "none", commandId: "s" })))
      for (const other of [
        new Command.RenameSession({ ...renaming, session: "b" }),
        new Command.RenameSession({ ...renaming, title: "two" }),
        new Command.ForkSession({ ...forking, session: "b" }),
        new Command.ForkSession({ ...forking, fork: "d" }),
        new Command.CreateSession({ session: "d", project: "p", commandId: "create a" }),
        new Command.Interrupt({ session: "b", commandId: "i" }),
        new Command.SetApprovalPolicy({ session: "a", policy: "ask", commandId: "p" }),
        new Command.SwitchModel({ session: "b", profile: "none", commandId: "s" })
      ]) {
        const taken = yield* Effect.flip(runtime.request(other))
        assert.deepInclude(taken, { _tag: "RequestRejected", command: other._tag, error: "CommandIdTaken" })
      }
      assert.strictEqual((yield* store.get("b")).title, "")
      assert.strictEqual((yield* store.get("a")).title, "one")
      assert.strictEqual((yield* Effect.flip(store.get("d")))._tag, "SessionNotFound")
    }).pipe(Effect.provide(Testing.layer({ model: [] })))
  )

  it.effect("is none of the repetitions of one that started another task, also after a restart (R1, R9)", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const session = "a"
      const submit = (task: string) => new Command.SubmitPrompt({ session, task, prompt: "go", commandId: "1" })
      const open = new Command.CreateSession({ session, project: "p" })
      const others = [
        submit("two"),
        new Command.InvokeTool({ session, task: "two", tool: "none", parameters: {}, commandId: "1" }),
        new Command.CompactSession({ session, task: "two", commandId: "1" })
      ]
      yield* runtime.request(open)
      const first = yield* runtime.request(submit("one"))
      for (const isRestarted of [false, true]) {
        if (isRestarted) yield* Testing.restart()
        yield* runtime.request(open)
        assert.deepStrictEqual(yield* runtime.request(submit("one")), first)
        for (const other of others) {
          const taken = yield* Effect.flip(runtime.request(other))
          assert.deepInclude(taken, { _tag: "RequestRejected", command: other._tag, error: "CommandIdTaken" })
        }
      }
    }).pipe(Effect.provide(Testing.layer({ model: ["Done.", "Again."] })))
  )

  it.effect("is rejected where its answer is lost with the store, and the others go on (R1, K3)", () =>
    Effect.gen(function* () {
      const broken = Layer.map(MemorySessionStore.layer, (context) => {
        const store = Context.get(context, SessionStore)
        return Context.make(SessionStore, {
          ...store,
          append: (lease, events) =>
            lease.session === "a" && events.some(({ event }) => event._tag === "ModelSwitched")
              ? new SessionFenced({ session: "a", epoch: 1 })
              : store.append(lease, events)
        })
      })
      yield* Effect.gen(function* () {
        const runtime = yield* Runtime
        for (const session of sessions) yield* runtime.request(new Command.CreateSession({ session, project: "p" }))
        const lost = yield* Effect.forEach(
          ["1", "2", "2"],
          (commandId) =>
            Effect.flip(runtime.request(new Command.SwitchModel({ session: "a", profile: "scripted", commandId }))),
          { concurrency: "unbounded" }
        )
        for (const error of lost) assert.include(error.message, "taken over by another process")
        yield* runtime.request(new Command.SwitchModel({ session: "b", profile: "scripted" }))
      }).pipe(Effect.provide(Testing.layer({ model: [], store: broken })))
    })
  )

  it.effect("says who sent it, to the events and to the audit; no name passes for a rule (R1, A9)", () =>
    Effect.gen(function* () {
      const audit = yield* Effect.map(Layer.build(Audit.layerMemory), Context.get(Audit))
      const approvals = Approvals.layerAudited({ policy: "ask" }).pipe(
        Layer.provide([Layer.succeed(Audit, audit), RuleStore.layerMemory]),
        Layer.orDie
      )
      const act = Tool.make("act", {
        description: "Acts",
        parameters: Schema.Struct({}),
        success: Schema.String,
        approval: "always",
        handler: () => Effect.succeed("done")
      })
      const model = [[{ call: { name: "act", arguments: {} } }], "Done"] as const
      const recorded = yield* Effect.gen(function* () {
        const under = yield* Testing.session("a")
        const runtime = yield* Runtime
        const at = { session: "a", by: "grant 1" }
        const { event } = yield* runtime.request(new Command.SubmitPrompt({ ...at, task: "t", prompt: "go" }))
        assert.strictEqual(event.by, "grant 1")
        const asked = yield* under.awaitEvent((event) => event._tag === "ApprovalRequested")
        const { digest, id: approvalId } = asked.request
        yield* runtime.request(new Command.DecideApproval({ ...at, approvalId, digest, decision: "approve" }))
        yield* under.awaitEnd("t")
        yield* runtime.request(new Command.SetApprovalPolicy({ ...at, policy: "deny" }))
        return yield* under.recorded
      }).pipe(Effect.provide(Testing.layer({ model, tools: [act], approvals })), Effect.orDie)
      const resolved = recorded.flatMap(({ event }) => (event._tag === "ApprovalResolved" ? [event.by] : []))
      assert.deepStrictEqual(resolved, ["user grant 1"])
      const decided = Chunk.toReadonlyArray(yield* Stream.runCollect(audit.entries)).filter(
        ({ kind }) => kind === "resolved" || kind === "policy_set"
      )
      assert.deepStrictEqual(
        decided.map(({ decided_by }) => decided_by),
        ["user grant 1", "user grant 1"]
      )
    }).pipe(Effect.scoped)
  )
})
