// @effect-diagnostics newPromise:off - a client of a real server
import { WebSocket } from "@effect/platform-node/Undici"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Mailbox, Redacted, Scope } from "effect"
import { TokenStore } from "../../src/server/TokenStore.ts"
import { asking, models } from "../host/Directed.ts"
import { type Served, served } from "./served.ts"

const write = asking([["write_file", { path: "a.txt", content: "hello" }]])
const prompt = (task: string, text: string) => ({ _tag: "SubmitPrompt", task, prompt: text })

// oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it waits for
type Message = any

interface Line {
  readonly say: (message: object | string) => Effect.Effect<void>
  /** The next of the messages that is looked for; those before it are gone. */
  readonly until: (wanted: (message: Message) => boolean) => Effect.Effect<Message>
  /** What has come and was not looked at. */
  readonly rest: Effect.Effect<ReadonlyArray<Message>>
  readonly closed: Effect.Effect<{ readonly code: number; readonly reason: string }>
}

/** A WebSocket of a client, which is open, or was refused and is closed. */
const connect = ({ port, token }: Pick<Served, "port" | "token">, headers: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const received = yield* Mailbox.make<unknown>()
    const closed = yield* Deferred.make<{ readonly code: number; readonly reason: string }>()
    const socket = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new WebSocket(`ws://127.0.0.1:${port}/v1/socket`, {
            headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers }
          })
      ),
      (socket) => Effect.sync(() => socket.close())
    )
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Message
      // Sent every few seconds, between any two messages; nobody waits for it.
      if (message.event !== "ping") received.unsafeOffer(message)
    })
    socket.addEventListener("close", ({ code, reason }) => Deferred.unsafeDone(closed, Exit.succeed({ code, reason })))
    yield* Effect.async<void>((resume) => {
      for (const name of ["open", "close"] as const) socket.addEventListener(name, () => resume(Effect.void))
    })
    const line: Line = {
      say: (message) => Effect.sync(() => socket.send(typeof message === "string" ? message : JSON.stringify(message))),
      until: (wanted) => Effect.repeat(Effect.orDie(received.take) as Effect.Effect<Message>, { until: wanted }),
      rest: Effect.map(received.clear, (messages) => [...messages] as ReadonlyArray<Message>),
      closed: Deferred.await(closed)
    }
    return line
  })

const refused = { code: 1006, reason: "" }
const answers = (id: string) => (one: Message) => one.event === "answer" && one.id === id

describe("the socket", () => {
  it.scopedLive("takes commands and carries every event of what it watches, once and in order (X4, R5)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const { ask } = server
      const { say, until } = yield* connect(server)
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      yield* say({ type: "watch", session: "s1", id: "w" })
      const snapshot = yield* until(() => true)
      assert.strictEqual(snapshot.event, "snapshot")
      assert.strictEqual(snapshot.watch, "s1")
      yield* say({ type: "command", id: "c1", session: "s1", command: prompt("t1", write) })
      const seqs: Array<number> = []
      const replies: Array<readonly [string, number]> = []
      const seen = (wanted: (one: Message) => boolean) =>
        until((one) => {
          if (one.event === "message") seqs.push(one.id)
          if (one.event === "answer") replies.push([one.id, one.data.status])
          return wanted(one)
        })
      const asked = yield* seen(({ data }) => data.event?._tag === "ApprovalRequested")
      const { digest, id: approvalId } = asked.data.event.request
      const decision = { _tag: "DecideApproval", approvalId, digest, decision: "approve" }
      yield* say({ type: "command", id: "c2", session: "s1", command: decision })
      yield* say({ type: "command", id: "c3", session: "s1", command: decision })
      let hasEnded = false
      yield* seen((one) => {
        hasEnded ||= one.data.task === "t1" && one.data.event?._tag === "TaskCompleted"
        return hasEnded && replies.length === 3
      })
      assert.deepStrictEqual(replies, [
        ["c1", 202],
        ["c2", 202],
        ["c3", 410]
      ])
      assert.deepStrictEqual(
        seqs,
        seqs.map((_, index) => index + 1)
      )
      yield* say("no JSON")
      assert.strictEqual((yield* until(({ event }) => event === "answer")).data.status, 400)
      yield* say({ type: "watch", id: "none", session: "none" })
      assert.strictEqual((yield* until(answers("none"))).data.status, 404)
      yield* say({ type: "watch-all" })
      assert.strictEqual((yield* until(({ watch }) => watch === "*")).event, "snapshot")
      yield* say({ type: "command", id: "c4", session: "s1", command: prompt("t2", asking([])) })
      yield* until(({ data, watch }) => watch === "*" && data.event?._tag === "TaskCompleted")
    })
  )

  it.scopedLive("answers what is no message with its id and what is wrong with it (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const { say, until } = yield* connect(server)
      const told = (wanted: (one: Message) => boolean) =>
        Effect.map(until(wanted), ({ data, id }) => [id, data.status, data._tag, data.message])
      const isAnswer = ({ event }: Message) => event === "answer"
      const wrong = [400, "HttpApiDecodeError"] as const
      yield* say({ id: "a", type: "watch" })
      assert.deepStrictEqual(yield* told(isAnswer), ["a", ...wrong, "session: it is missing"])
      yield* say({ id: "b", type: "nonsense" })
      const types = 'type: expected "watch", "watch-all", "unwatch" or "command", is "nonsense"'
      assert.deepStrictEqual(yield* told(isAnswer), ["b", ...wrong, types])
      yield* say({ id: "c", type: "command", session: "s1", command: { _tag: "SubmitPrompt", prompt: 5 } })
      assert.deepStrictEqual(yield* told(isAnswer), ["c", ...wrong, "command.prompt: expected text, is 5"])
      yield* say({ id: 5, type: "watch", session: "s1" })
      assert.deepStrictEqual(yield* told(isAnswer), [undefined, ...wrong, "id: expected text, is 5"])
      yield* say("{")
      assert.deepStrictEqual(yield* told(isAnswer), [
        undefined,
        ...wrong,
        "The message cannot be used: it is not JSON."
      ])
    })
  )

  it.scopedLive("is refused without a token and to other sites, and a broken handshake takes nobody's place (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, limits: { streams: 2 } })
      const { ask, port } = server
      assert.deepStrictEqual(yield* Effect.flatMap(connect({ port, token: "" }), ({ closed }) => closed), refused)
      assert.deepStrictEqual(yield* Effect.flatMap(connect({ port, token: "tg_x" }), ({ closed }) => closed), refused)
      const foreign = yield* connect(server, { origin: "https://evil.example" })
      assert.deepStrictEqual(yield* foreign.closed, refused)
      const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }
      for (const key of ["", "short", "x".repeat(200)]) {
        const broken = yield* ask("/v1/socket", { headers: { ...upgrade, "sec-websocket-key": key } })
        assert.strictEqual(broken.status, 400)
      }
      assert.strictEqual((yield* ask("/v1/socket")).status, 426)
      const one = yield* connect(server, { origin: `http://127.0.0.1:${port}` })
      yield* connect(server)
      assert.deepStrictEqual(yield* Effect.flatMap(connect(server), ({ closed }) => closed), refused)
      yield* one.say({ type: "unwatch", id: "u" })
      yield* one.say({ type: "watch", id: "none", session: "none" })
      assert.strictEqual((yield* one.until(answers("none"))).data.status, 404)
    })
  )

  it.scopedLive("reaches as far as its token, and ends with it, as every stream does (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const { ask, open } = server
      const store = Context.get(server.context, TokenStore)
      const token = Redacted.value(yield* store.add({ name: "viewer", scopes: ["view"] }))
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const { closed, rest, say, until } = yield* connect({ ...server, token })
      yield* say({ type: "watch", id: "w", session: "s1" })
      yield* until(({ event }) => event === "snapshot")
      yield* say({ type: "command", id: "c1", session: "s1", command: prompt("t1", write) })
      assert.strictEqual((yield* until(answers("c1"))).data.status, 403)
      const stream = yield* open("/v1/sessions/s1/events", { headers: { authorization: `Bearer ${token}` } })
      const ended = Effect.async<void>((resume) => {
        stream.on("error", () => {}).once("close", () => resume(Effect.void))
        stream.resume()
        if (stream.closed) resume(Effect.void)
      })
      yield* store.revoke("viewer")
      yield* say({ type: "watch", id: "late", session: "s1" })
      assert.strictEqual((yield* closed).code, 1008)
      // It is closed before it is heard, or told why not.
      for (const { data, event, id } of yield* rest)
        assert.deepStrictEqual([event, id, data.status], ["answer", "late", 401])
      yield* ended
    })
  )

  it.scopedLive("keeps no server from ending, and takes no message larger than a body (X4)", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = yield* Scope.extend(served({ models, limits: { body: 100_000 } }), scope)
      const large = yield* connect(server)
      yield* large.say("x".repeat(200_000))
      assert.strictEqual((yield* large.closed).code, 1006)
      const { closed } = yield* connect(server)
      yield* Scope.close(scope, Exit.void)
      yield* closed
    })
  )
})
