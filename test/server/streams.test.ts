import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Fiber, Option, Stream } from "effect"
import * as net from "node:net"
import { asking, models } from "../host/Directed.ts"
import { type Received, served } from "./served.ts"

const list = asking([["list_dir", { path: "." }]])

const ends = (task: string) => (one: Received) =>
  one.data.task === task && /^Task(?:Completed|Failed|Interrupted)$/.test(one.data.event?._tag)

const ids = (frames: Iterable<Received>): ReadonlyArray<number> =>
  Array.from(frames).flatMap(({ event, id }) => (event === "message" ? [Number(id)] : []))

const from = (first: number, last: number): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe("streams", () => {
  it.scopedLive("give every event of a session once and in order, however often its reader comes again (R5)", () =>
    Effect.gen(function* () {
      const { ask, frames } = yield* served({ models })
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const submit = (task: string) =>
        ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task, prompt: list } })
      yield* Stream.runDrain(Stream.takeUntil(frames("/v1/sessions/s1/events"), ends("t1"))).pipe(
        Effect.zipLeft(submit("t1"), { concurrent: true })
      )
      const cuts = fc.sample(fc.integer({ min: 1, max: 8 }), 40)
      const working = yield* Effect.fork(Effect.forEach(["t2", "t3", "t4", "t5"], submit))
      let seen: ReadonlyArray<Received> = []
      const last = () => ids(seen).at(-1)
      const read = (count: number) =>
        Stream.runCollect(
          Stream.take(
            frames("/v1/sessions/s1/events", {
              headers: last() === undefined ? {} : { "last-event-id": String(last()) }
            }).pipe(
              Stream.takeUntil(ends("t5")),
              Stream.filter(({ event }) => event === "message")
            ),
            count
          )
        )
      for (const cut of cuts) seen = [...seen, ...(yield* read(seen.some(ends("t5")) ? 0 : cut))]
      if (!seen.some(ends("t5"))) seen = [...seen, ...(yield* read(Infinity))]
      yield* Fiber.join(working)
      assert.deepStrictEqual(ids(seen), from(1, ids(seen).length))
      assert.isTrue(seen.some(ends("t5")))
    })
  )

  it.scopedLive("are closed where their reader takes nothing, who then resumes where it was (R5)", () =>
    Effect.gen(function* () {
      const limits = { streams: 1, stall: Duration.seconds(2) }
      const { ask, frames, port, token } = yield* served({ models, limits })
      const content = "x".repeat(128 * 1024)
      const history = from(1, 48).map((index) => ({ role: "user", content: `${index} ${content}` }))
      const imported = yield* ask("/v1/sessions/import", { body: { text: JSON.stringify(history) } })
      const { head } = (yield* ask(`/v1/sessions/${imported.json.session}`)).json
      const events = `/v1/sessions/${imported.json.session}/events`
      const stalled = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const socket = net.connect(port, "127.0.0.1").pause()
          socket.write(`GET ${events} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`)
          return socket
        }),
        (socket) => Effect.sync(() => void socket.destroy())
      )
      yield* Effect.async<void>((resume) => void stalled.once("readable", () => resume(Effect.void)))
      yield* Effect.repeat(Stream.runHead(frames(events)), { until: Option.isSome })
      const messages = Stream.filter(frames(events), ({ event }) => event === "message")
      assert.deepStrictEqual(ids(yield* Stream.runCollect(Stream.take(messages, head))), from(1, head))
    })
  )

  it.scopedLive("refuse a number beyond the end, and begin in the middle with what is open (X4)", () =>
    Effect.gen(function* () {
      const { ask, frames } = yield* served({ models })
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const { head } = (yield* ask("/v1/sessions/s1")).json
      const beyond = yield* ask(`/v1/sessions/s1/events?from=${head + 2}`)
      assert.strictEqual(beyond.status, 410)
      assert.strictEqual(beyond.json.head, head)
      const prompt = asking([["write_file", { path: "a.txt", content: "x" }]])
      yield* ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t1", prompt } })
      yield* Effect.repeat(ask("/v1/approvals"), { until: ({ json }) => json.approvals.length > 0 })
      const now = (yield* ask("/v1/sessions/s1")).json
      const first = yield* Stream.runHead(frames(`/v1/sessions/s1/events?from=${now.head + 1}`))
      assert.strictEqual(first._tag, "Some")
      if (first._tag !== "Some") return
      assert.strictEqual(first.value.event, "snapshot")
      assert.strictEqual(first.value.data.approvals[0].request.tool, "write_file")
      assert.deepStrictEqual(first.value.data.tasks, ["t1"])
    })
  )

  it.scopedLive("tell of all sessions and of all open requests, and resume without a gap (X4)", () =>
    Effect.gen(function* () {
      const { ask, frames } = yield* served({ models })
      const begin = yield* Effect.fork(Stream.runCollect(Stream.take(frames("/v1/events"), 1)))
      const [snapshot] = yield* Fiber.join(begin)
      const after = snapshot?.data.after as number
      for (const id of ["s1", "s2"]) {
        yield* ask("/v1/sessions", { body: { id } })
        yield* ask(`/v1/sessions/${id}/commands`, { body: { _tag: "SubmitPrompt", task: "t1", prompt: list } })
      }
      const ended = (all: ReadonlyArray<Received>) => all.filter(ends("t1")).length === 2
      let seen: ReadonlyArray<Received> = []
      while (!ended(seen)) {
        const at = ids(seen).at(-1) ?? after
        const more = frames("/v1/events", { headers: { "last-event-id": String(at) } })
        const some = [...(yield* Stream.runCollect(Stream.take(more, 4)))]
        assert.strictEqual(some[0]?.data.resumed, true)
        seen = [...seen, ...some.filter(({ event }) => event === "message")]
      }
      assert.deepStrictEqual(ids(seen), from(after + 1, ids(seen).at(-1) ?? 0))
      for (const id of ["s1", "s2"]) {
        const own = seen.filter(({ data }) => data.session === id).map(({ data }) => data.seq as number)
        assert.deepStrictEqual(own, from(1, own.length))
      }
      const prompt = asking([["write_file", { path: "a.txt", content: "x" }]])
      yield* ask("/v1/sessions/s2/commands", { body: { _tag: "SubmitPrompt", task: "t2", prompt } })
      const queue = (wanted: number) =>
        Stream.runHead(
          Stream.filter(
            frames("/v1/events"),
            ({ data, event }) => (event === "approvals" ? data : data.approvals)?.length === wanted
          )
        )
      yield* queue(1)
      yield* ask("/v1/sessions/s2/commands", { body: { _tag: "Interrupt" } })
      yield* queue(0)
      const lost = yield* Stream.runHead(frames("/v1/events", { headers: { "last-event-id": "7" } }))
      assert.strictEqual(lost._tag === "Some" && lost.value.data.resumed, false)
      const none = yield* Stream.runHead(frames(`/v1/events?after=${after}`, { headers: { "last-event-id": "" } }))
      assert.strictEqual(none._tag === "Some" && none.value.data.resumed, true)
    })
  )
})
