import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, FastCheck, Schema } from "effect"
import * as NamedWorker from "../../src/agent/NamedWorker.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { NeedInput } from "../../src/tools/NeedInput.ts"
import { delegate, playing, results, sentTo, told, turn } from "./Delegating.ts"

const common = { description: "d", parameters: Schema.Struct({}), success: Schema.String }
const plain = (name: string) => Tool.make(name, { ...common, readOnly: true, handler: () => Effect.succeed(name) })
const tools = [Delegate, NeedInput, plain("look"), plain("list"), plain("count")] as const

const play = playing(tools)

const start = (worker: string, task: string) => ({ call: { name: "delegate", arguments: { task, worker } } })

/** The names of the functions that the worker with this task was shown. */
const shownTo = (model: Testing.Scripted.ScriptedModel, task: string) =>
  Effect.map(sentTo(model, task), ([first]) => first?.functions.map(({ name }) => name))

describe("a named worker", () => {
  it.effect("is offered with its description, and has its instructions, tools and name (U3)", () =>
    Effect.gen(function* () {
      const workers = {
        reader: { description: "reads files", instructions: "Be terse.", tools: ["look"] },
        writer: {}
      }
      const { events, model } = yield* play(
        [
          turn("go", start("reader", "read")),
          turn("read", { call: { name: "list" } }),
          turn("read", { say: "ok" }),
          turn("go", start("stranger", "x")),
          turn("go", { say: "Done" })
        ],
        { settings: { workers } }
      )
      const [root] = yield* sentTo(model, "go")
      const offered = JSON.stringify(root?.functions.find(({ name }) => name === "delegate")?.parameters)
      assert.include(offered, '"enum":["reader","writer"]')
      assert.include(offered, "reader: reads files; writer")
      const [first] = yield* sentTo(model, "read")
      assert.match(first?.messages[0]?.message.content ?? "", /Be terse\.$/)
      assert.deepStrictEqual(yield* shownTo(model, "read"), ["need_input", "look"])
      assert.deepStrictEqual(told(events, "WorkerStarted"), ["WorkerStarted reader"])
      const [refused, , unknown] = results(events).map(([, , content]) => content)
      assert.include(refused, 'Unknown tool \\"list\\". Available: need_input, look.')
      assert.include(unknown, 'no worker \\"stranger\\" is configured. Configured: reader, writer.')
    })
  )

  it.effect("is not offered where none is configured, nor a way to ask where nobody is above (U3, U4)", () =>
    Effect.gen(function* () {
      const { events, model } = yield* play([
        turn("go", { call: { name: "need_input", arguments: { question: "Which?" } } }),
        turn("go", { say: "Done" })
      ])
      const [root] = yield* sentTo(model, "go")
      assert.deepStrictEqual(
        root?.functions.map(({ name }) => name),
        ["delegate", "look", "list", "count"]
      )
      assert.notInclude(JSON.stringify(root?.functions[0]?.parameters), "worker to start")
      assert.include(results(events)[0]?.[2], "Unknown tool")
    })
  )

  it.effect("ends at its own requests and tokens, what those below it use included (U3)", () =>
    Effect.gen(function* () {
      const used = (tokens: number) => ({ usage: { inputTokens: tokens } })
      const workers = { brief: { maxIterations: 2 }, poor: { maxTokens: 100 }, gone: { profile: "nowhere" } }
      const { events, model } = yield* play(
        [
          turn("go", start("brief", "brief"), start("poor", "poor"), start("gone", "gone")),
          { ...turn("brief", { call: { name: "look" } }), repeat: true },
          turn("poor", used(60), delegate("below")),
          turn("below", used(60), { call: { name: "look" } }),
          turn("go", { say: "Done" })
        ],
        { settings: { workers } }
      )
      assert.strictEqual((yield* sentTo(model, "brief")).length, 2)
      const ended = results(events).flatMap(([path, tool, content]) => (tool === "delegate" ? [[path, content]] : []))
      const of = (path: string, text: string) =>
        ended.some(([at, content = ""]) => at === path && content.includes(text))
      assert.isTrue(of("root", "after 2 model requests"))
      assert.isTrue(of("root/poor", "Worker root/poor/W1 ended without a result: It used its 100 tokens."))
      assert.isTrue(of("root", "Worker root/poor ended without a result: It used its 100 tokens."))
      assert.isTrue(of("root", "nowhere"))
    })
  )

  const names = ["look", "list", "count", "delegate"] as const
  const subset = FastCheck.option(FastCheck.subarray([...names]), { nil: undefined })
  it.effect.prop(
    "sees nothing of its parent's conversation and no tool that one above it lacks, at any depth (U3)",
    [FastCheck.array(subset, { minLength: 1, maxLength: 4 })],
    ([chain]) =>
      Effect.gen(function* () {
        const workers = Object.fromEntries(
          chain.map((own, depth) => [`w${depth}`, own === undefined ? {} : { tools: own }])
        )
        const secret = "only the root knows this"
        const turns = chain.flatMap((_, depth) => [
          turn(depth === 0 ? "go" : `t${depth - 1}`, { say: secret }, start(`w${depth}`, `t${depth}`)),
          turn(depth === 0 ? "go" : `t${depth - 1}`, { say: "back" })
        ])
        const { model } = yield* play([...turns, turn(`t${chain.length - 1}`, { say: "leaf" })], {
          settings: { workers }
        })
        let allowed: ReadonlyArray<string> = ["delegate", "look", "list", "count"]
        for (const [depth, own] of chain.entries()) {
          const mayStart = allowed.includes("delegate")
          allowed = own === undefined ? allowed : allowed.filter((name) => own.some((one) => one === name))
          const sent = yield* sentTo(model, `t${depth}`)
          assert.strictEqual(sent.length > 0, mayStart)
          if (!mayStart) return
          const [first] = sent
          const seen = first?.functions.map(({ name }) => name).filter((name) => name !== "need_input") ?? []
          assert.deepStrictEqual(seen.toSorted(), allowed.filter((name) => name !== "delegate" || depth < 3).toSorted())
          assert.notInclude(JSON.stringify(first?.messages), secret)
          assert.notInclude(JSON.stringify(first?.messages), '"go"')
        }
      }),
    { fastCheck: { numRuns: 40 } }
  )

  it("is refused with a message where its name, a tool or a profile is unknown (U3)", () => {
    const known = { tools: ["look"], profiles: ["main"] }
    const problem = (workers: NamedWorker.NamedWorkers) => NamedWorker.invalid(workers, known)?.message
    assert.isUndefined(problem({ ok: { tools: ["look"], profile: "main" } }))
    assert.strictEqual(
      problem({ bad: { tools: ["looks"] } }),
      'Worker bad in the configuration: unknown tool "looks". Known: look.'
    )
    assert.strictEqual(
      problem({ bad: { profile: "fast" } }),
      'Worker bad in the configuration: unknown profile "fast". Known: main.'
    )
    const decode = Schema.decodeUnknownEither(NamedWorker.NamedWorkers, { onExcessProperty: "error" })
    for (const wrong of [{ "a/b": {} }, { a: { tool: [] } }, { a: { maxTokens: 0 } }, { a: { maxDepth: -1 } }]) {
      assert.isTrue(Either.isLeft(decode(wrong)), JSON.stringify(wrong))
    }
  })
})

describe("workers of one answer", () => {
  it.effect("run side by side, at most as many as configured, with results in the model's order (R14, U9)", () =>
    Effect.gen(function* () {
      const running = { now: 0, most: 0 }
      const Work = Tool.make("work", {
        ...common,
        handler: () =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              running.now += 1
              running.most = Math.max(running.most, running.now)
            }),
            () => Effect.as(Effect.repeatN(Effect.yieldNow(), 100), "worked"),
            () => Effect.sync(() => (running.now -= 1))
          )
      })
      const tasks = ["a", "b", "c", "d", "e", "f"]
      const model = yield* Testing.Scripted.make([
        turn("go", ...tasks.map((task) => delegate(task))),
        ...tasks.flatMap((task, index) => [
          ...Array.from({ length: tasks.length - index }, () => turn(task, { call: { name: "work" } })),
          turn(task, { say: `done ${task}` })
        ]),
        turn("go", { say: "Done" })
      ])
      const events = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        return yield* session.run("go")
      }).pipe(Effect.provide(Testing.layer({ tools: [Delegate, Work], model, settings: { parallelWorkers: 3 } })))
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      assert.strictEqual(running.most, 3)
      const [, last] = yield* sentTo(model, "go")
      const given = last?.messages.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))
      assert.deepStrictEqual(
        given,
        tasks.map((task) => `{"status":"done","text":"done ${task}"}`)
      )
      const ended = told(events, "WorkerCompleted")
      assert.notDeepEqual(ended, ended.toSorted())
    })
  )

  it.effect("end at once where a refusal in one of them is meant for the task (U5)", () =>
    Effect.gen(function* () {
      const Write = Tool.make("write", { ...common, approval: "always", handler: () => Effect.succeed("written") })
      const Hang = Tool.make("hang", { ...common, readOnly: true, handler: () => Effect.never })
      const model = yield* Testing.Scripted.make([
        turn("go", delegate("hangs"), delegate("writes")),
        turn("hangs", { call: { name: "hang" } }),
        turn("writes", { call: { name: "write" } })
      ])
      const decide = () => ({ decision: "deny", stop: true, reason: "no" }) as const
      const events = yield* Effect.flatMap(Testing.session(), (session) => session.run("go")).pipe(
        Effect.provide(Testing.layer({ tools: [Delegate, Write, Hang], model, decide }))
      )
      assert.deepStrictEqual(Testing.Timeline.violations(events), [])
      assert.deepInclude(events.at(-1)?.event, { _tag: "TaskFailed", kind: "denied" })
      assert.deepStrictEqual(told(events, "WorkerFailed", "WorkerInterrupted").toSorted(), [
        "WorkerFailed W2",
        "WorkerInterrupted W1"
      ])
    })
  )
})

describe("a worker that lacks information", () => {
  it.effect("ends with a question, which climbs until somebody knows (U4)", () =>
    Effect.gen(function* () {
      const need = (question: string) => ({ call: { name: "need_input", arguments: { question } } })
      const { end, events, model } = yield* play([
        turn("go", delegate("sessions")),
        turn("sessions", delegate("storage")),
        turn("storage", { say: "private thoughts" }, { call: { name: "look" } }, need("Redis or memory?")),
        turn("sessions", need("Which storage, Redis or memory?")),
        turn("go", { say: "Should I use Redis or memory?" })
      ])
      assert.deepInclude(end, { _tag: "TaskCompleted", text: "Should I use Redis or memory?" })
      const asked = events.flatMap(({ event, worker }) =>
        event._tag === "WorkerCompleted" ? [[worker?.length, event.status, event.question]] : []
      )
      assert.deepStrictEqual(asked, [
        [3, "question", "Redis or memory?"],
        [2, "question", "Which storage, Redis or memory?"]
      ])
      const [, last] = yield* sentTo(model, "go")
      assert.strictEqual(
        last?.messages.at(-1)?.message.content,
        '{"status":"question","text":"Which storage, Redis or memory?"}'
      )
      assert.notInclude(JSON.stringify(last?.messages), "private thoughts")
    })
  )
})

describe("a user who ends one worker", () => {
  it.effect("ends those below it as well; its parent learns what they did and goes on (U8, U9)", () =>
    Effect.gen(function* () {
      const hanging = yield* Deferred.make<void>()
      const Hang = Tool.make("hang", {
        ...common,
        readOnly: true,
        handler: () => Effect.zipRight(Deferred.succeed(hanging, undefined), Effect.never)
      })
      const model = yield* Testing.Scripted.make([
        turn("go", delegate("a", "a"), delegate("b", "b")),
        turn("a", { call: { name: "look" } }),
        turn("a", delegate("c", "c")),
        turn("c", { call: { name: "hang" } }),
        turn("b", { say: "b is done" }),
        turn("go", { say: "Done" })
      ])
      yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        yield* Deferred.await(hanging)
        yield* session.send(new Interrupt({ session: session.id, worker: ["root", "nobody"], commandId: "c1" }))
        yield* session.awaitEvent((event) => event._tag === "CommandRejected")
        yield* session.send(new Interrupt({ session: session.id, worker: ["root", "a"] }))
        const end = yield* session.awaitEnd("t")
        assert.strictEqual(end._tag, "TaskCompleted")
        const events = yield* session.recorded
        assert.deepStrictEqual(Testing.Timeline.violations(events), [])
        assert.deepStrictEqual(told(events, "WorkerInterrupted", "WorkerCompleted").toSorted(), [
          "WorkerCompleted b",
          "WorkerInterrupted a",
          "WorkerInterrupted a c"
        ])
        const [, last] = yield* sentTo(model, "go")
        const [a, b] = last?.messages.flatMap(({ message }) => (message.role === "tool" ? [message.content] : [])) ?? []
        assert.match(a ?? "", /Worker root\/a was interrupted: the user ended it\..*"calls":\["look \{\}","hang/)
        assert.include(b, "b is done")
      }).pipe(Effect.provide(Testing.layer({ tools: [...tools, Hang], model })))
    })
  )
})
