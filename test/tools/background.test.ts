import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Host } from "../../src/host/Host.ts"
import type { ModelRequest } from "../../src/model/Model.ts"
import { Models } from "../../src/model/Models.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import { TextRing } from "../../src/process/TextRing.ts"
import { DetachCall } from "../../src/runtime/Command.ts"
import { Runtime } from "../../src/runtime/Runtime.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

type Call = readonly [name: string, parameters: object]

/** The id of the last background command that a model was told of. */
const idIn = ({ messages }: ModelRequest): string =>
  /shell_[0-9a-f]{8}/.exec(JSON.stringify(messages.map(({ message }) => message.content).toReversed()))?.[0] ?? "none"

/** A host that allows everything, whose model makes one call after the other and then says `done`. */
const world = (turns: ReadonlyArray<(request: ModelRequest) => Call | undefined>) =>
  Effect.gen(function* () {
    const base = fs.realpathSync(yield* temporaryDirectory)
    const directory = path.join(base, "work")
    fs.mkdirSync(directory)
    const requests: Array<ModelRequest> = []
    const model = {
      name: "calling",
      stream: (request: ModelRequest) => {
        const call = turns[requests.length]?.(request)
        requests.push(request)
        const finished = { _tag: "Finished", usage: noUsage } as const
        if (call === undefined) {
          return Stream.make({ _tag: "TextDelta", text: "done" } as const, { ...finished, reason: "stop" } as const)
        }
        const [name, parameters] = call
        const made = { _tag: "FunctionCalled", id: `call_${requests.length}`, name } as const
        return Stream.make({ ...made, arguments: JSON.stringify(parameters) }, {
          ...finished,
          reason: "tool_calls"
        } as const)
      }
    }
    const env = { PATH: "/usr/bin:/bin", HOME: base, TOLLGATE_HOME: path.join(base, "state") }
    const live = Host.layer({ directory, env, models: Models.layerOf({ calling: model }), policy: "allow" })
    return { directory, requests, live }
  })

const results = (events: ReadonlyArray<{ readonly event: { readonly _tag: string } }>) =>
  events.flatMap(({ event }) =>
    event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed" ? [JSON.stringify(event)] : []
  )

const run = (prompts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const { directory } = yield* Host
    const session = yield* runtime.session({ create: { project: directory } })
    for (const prompt of prompts) yield* session.prompt(prompt)
    return session
  })

const all = (session: string) =>
  Effect.flatMap(Runtime, (runtime) =>
    Effect.map(Stream.runCollect(runtime.subscribe(session, { from: 1, follow: false })), Chunk.toReadonlyArray)
  )

const isGone = (directory: string) => !fs.existsSync(path.join(directory, "alive"))

describe("a command in the background", () => {
  it.scopedLive("takes the one that a call waits for, without its limit of time, and the call ends (U12, T17)", () =>
    Effect.gen(function* () {
      const command = 'trap "rm -f alive; exit" TERM; touch alive; echo one; sleep 3.5; echo two; sleep 1000 & wait'
      const { directory, live, requests } = yield* world([
        () => ["run_shell", { command, timeout: 3 }],
        (request) => ["read_output", { id: idIn(request), wait: 30 }],
        (request) => ["stop_command", { id: idIn(request) }]
      ])
      yield* Effect.gen(function* () {
        const runtime = yield* Runtime
        const { id, prompt } = yield* runtime.session({ create: { project: (yield* Host).directory } })
        const detach = new DetachCall({ session: id })
        const none = yield* Effect.flip(runtime.request(detach))
        assert.strictEqual(none.message, "No command runs in the foreground.")
        const running = yield* Effect.fork(prompt("go"))
        yield* Stream.runDrain(
          Stream.takeUntil(runtime.subscribe(id, { from: 1 }), ({ event }) => event._tag === "ToolOutput")
        )
        yield* runtime.request(detach)
        yield* Fiber.join(running)
        const [moved = "", read = "", stopped = ""] = results(yield* all(id))
        assert.match(moved, /the user moved it to the background, where it keeps running as shell_\w+;[^]*\\none\\n/)
        assert.include(read, "two")
        assert.notInclude(read, "one")
        assert.include(stopped, "stopped")
        assert.isTrue(isGone(directory))
        assert.strictEqual(requests.length, 4)
      }).pipe(Effect.provide(live))
    })
  )

  it.scopedLive("answers at once, is read as it goes and stopped with all that it started (U12, T17)", () =>
    Effect.gen(function* () {
      const command =
        'trap "rm -f alive; exit" TERM; touch alive; (while :; do sleep 0.1; done) & echo "on port 80"; wait'
      const { directory, live, requests } = yield* world([
        () => ["run_shell", { command, background: true }],
        (request) => ["read_output", { id: idIn(request), wait: 30 }],
        (request) => ["stop_command", { id: idIn(request) }],
        (request) => ["read_output", { id: idIn(request) }],
        () => ["read_output", { id: "shell_00000000" }]
      ])
      yield* Effect.gen(function* () {
        const session = yield* run(["serve"])
        const events = yield* all(session.id)
        const [started = "", read = "", stopped = "", after = "", unknown = ""] = results(events)
        assert.match(started, /running in the background as shell_/)
        assert.match(read, /has been running for .*on port 80/s)
        assert.match(stopped, /has ended/)
        assert.match(after, /no new output/)
        assert.match(unknown, /BackgroundUnknown.*Known: shell_/)
        assert.isTrue(isGone(directory))
        const told = events.flatMap(({ event }) =>
          event._tag === "BackgroundStarted" || event._tag === "BackgroundEnded" ? [event] : []
        )
        assert.deepStrictEqual(
          told.map((event) => [event._tag, event._tag === "BackgroundEnded" && event.stopped]),
          [
            ["BackgroundStarted", false],
            ["BackgroundEnded", true]
          ]
        )
      }).pipe(Effect.scoped, Effect.provide(live))
      assert.notInclude(
        JSON.stringify(requests.at(-1)?.messages),
        "has ended: stopped; its processes were ended. read_output"
      )
    })
  )

  it.scopedLive(
    "that ends by itself is told to the model at its next turn, and each goes with its session (U12, R5)",
    () =>
      Effect.gen(function* () {
        const loop = 'trap "rm -f alive; exit" TERM; touch alive; while :; do sleep 0.1; done'
        const { directory, live, requests } = yield* world([
          () => ["run_shell", { command: "echo over; exit 3", background: true }],
          // Until it has ended: the wait returns with the output, then with the end.
          (request) => ["read_output", { id: idIn(request), wait: 30 }],
          (request) => ["read_output", { id: idIn(request), wait: 30 }],
          () => ["run_shell", { command: loop, background: true }],
          (request) => ["read_output", { id: idIn(request), wait: 1 }],
          () => undefined
        ])
        const session = yield* Effect.gen(function* () {
          const { id } = yield* run(["go"])
          const said = requests.flatMap(({ messages }) => messages.map(({ message }) => message.content ?? ""))
          assert.isTrue(said.some((text) => /background command shell_\w+ has ended: exit code 3/.test(text)))
          const last = requests
            .at(-1)
            ?.messages.filter(({ message }) => message.content?.includes("has ended: exit code 3. read"))
          assert.strictEqual(last?.length, 1)
          assert.isFalse(isGone(directory))
          return id
        }).pipe(Effect.scoped, Effect.provide(live))
        assert.isTrue(isGone(directory))
        const ended = yield* Effect.provide(all(session), live)
        const tags = ended.map(({ event }) => event._tag)
        assert.isBelow(tags.lastIndexOf("BackgroundEnded"), tags.indexOf("SessionSuspended"))
        assert.isAbove(tags.lastIndexOf("BackgroundEnded"), tags.lastIndexOf("TaskCompleted"))
        const goOn = Effect.flatMap(Runtime, (runtime) => runtime.session({ id: session, resume: true }))
        yield* Effect.provide(Effect.scoped(Effect.flatMap(goOn, ({ prompt }) => prompt("is it up?"))), live)
        const said = requests.at(-1)?.messages.map(({ message }) => message.content ?? "") ?? []
        const news = said.filter((text) => text.startsWith("The background command"))
        assert.strictEqual(news.length, 2)
        assert.match(news[1] ?? "", /has ended: stopped; its processes were ended\. Its output is no longer kept\.$/)
      })
  )

  it.scopedLive("is one of eight at most", () =>
    Effect.gen(function* () {
      const { live } = yield* world(
        Array.from({ length: 9 }, () => () => ["run_shell", { command: "sleep 600", background: true }] as const)
      )
      yield* Effect.gen(function* () {
        const session = yield* run(["go"])
        const found = results(yield* all(session.id))
        assert.strictEqual(found.filter((text) => text.includes("ToolCallCompleted")).length, 8)
        assert.include(found.at(-1), "the limit. Stop one first.")
      }).pipe(Effect.scoped, Effect.provide(live))
    })
  )
})

describe("the end of a growing text", () => {
  it("is what was appended last, from any position on", () => {
    const ring = new TextRing(10)
    let whole = ""
    for (let index = 0; index < 200; index++) {
      const more = "😀ab".repeat(index % 4)
      ring.append(more)
      whole += more
      for (const position of [0, Math.max(0, whole.length - 5), whole.length]) {
        const { dropped, next, text } = ring.from(position)
        assert.strictEqual(text, whole.slice(position + dropped))
        assert.strictEqual(next, whole.length)
        assert.isAtMost(text.length, 10)
        assert.notMatch(text, /^[\udc00-\udfff]/)
      }
    }
  })
})
