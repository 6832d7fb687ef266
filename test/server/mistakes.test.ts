// @effect-diagnostics asyncFunction:off newPromise:off - a client of a real server
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as net from "node:net"
import { node } from "../../src/server/NodeListener.ts"
import { asking, models } from "../host/Directed.ts"
import { served } from "./served.ts"

/** What a server answers to bytes that are no request. */
const raw = (port: number, bytes: string) =>
  Effect.async<string>((resume) => {
    let text = ""
    const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("data", (chunk) => (text += chunk.toString()))
    socket.on("close", () => resume(Effect.succeed(text)))
  })

describe("a request that is wrong", () => {
  it.scopedLive("is refused before anything begins where it names what there is not (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      const unknown = yield* ask("/v1/sessions", { body: { id: "s1", profile: "none" } })
      assert.deepStrictEqual([unknown.status, unknown.json.error], [404, "ProfileNotFound"])
      assert.strictEqual((yield* ask("/v1/sessions/s1")).status, 404)
      assert.strictEqual((yield* ask("/v1/sessions", { body: { id: "s1" } })).status, 201)
      for (const tool of ["none", "ask_user"]) {
        const run = yield* ask(`/v1/sessions/s1/tools/${tool}`, { body: { parameters: {} } })
        assert.deepStrictEqual([run.status, run.json.error], [404, "ToolNotFound"], tool)
        const command = { _tag: "InvokeTool", task: "t1", tool, parameters: {} }
        assert.strictEqual((yield* ask("/v1/sessions/s1/commands", { body: command })).status, 404, tool)
      }
      assert.deepStrictEqual((yield* ask("/v1/sessions/s1")).json.tasks, [])
    })
  )

  it.scopedLive("says which field is wrong and what it takes, in no words of a schema (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const said = (path: string, body: unknown) =>
        Effect.map(ask(path, { body }), ({ json, status }) => [status, json.message])
      assert.deepStrictEqual(yield* said("/v1/sessions", []), [400, "the request: expected an object, is a list"])
      assert.deepStrictEqual(yield* said("/v1/sessions", { id: 5 }), [400, "id: expected text, is 5"])
      const commands = "/v1/sessions/s1/commands"
      assert.deepStrictEqual(yield* said(commands, { _tag: "SubmitPrompt" }), [400, "prompt: it is missing"])
      const [status, message] = yield* said(commands, { _tag: "Nonsense" })
      assert.strictEqual(status, 400)
      assert.match(message, /^_tag: expected "SubmitPrompt", "InvokeTool", .* or "EndSession", is "Nonsense"/)
    })
  )

  it.scopedLive("decides nothing where it changes parameters to what the tool does not take (A5, X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const prompt = asking([["write_file", { path: "a.txt", content: "hello" }]])
      yield* ask("/v1/sessions/s1/commands", { body: { _tag: "SubmitPrompt", task: "t1", prompt } })
      const waiting = yield* Effect.repeat(ask("/v1/approvals"), { until: ({ json }) => json.approvals.length > 0 })
      const [{ request }] = waiting.json.approvals
      const answer = { decision: "approve", digest: request.digest, parameters: { path: "a.txt", content: 5 } }
      const command = { _tag: "DecideApproval", approvalId: request.id, ...answer }
      for (const [path, body] of [
        [`/v1/approvals/${request.id}`, answer],
        ["/v1/sessions/s1/commands", command]
      ] as const) {
        const { json, status } = yield* ask(path, { body })
        const message = "parameters.content: expected text, is 5. Nothing was decided."
        assert.deepStrictEqual([status, json.error, json.message], [422, "ParametersInvalid", message], path)
      }
      assert.strictEqual((yield* ask(`/v1/approvals/${request.id}`)).status, 200)
      const parameters = { path: "b.txt", content: "x" }
      const edited = yield* ask(`/v1/approvals/${request.id}`, { body: { ...answer, parameters } })
      assert.strictEqual(edited.status, 200)
    })
  )

  it.scopedLive("is told the methods of its path where it has another one (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      for (const [method, path, allow] of [
        ["PUT", "/v1/sessions", "GET, POST"],
        ["GET", "/v1/sessions/s1/commands", "POST"],
        ["DELETE", "/v1/approvals/a1", "GET, POST"],
        ["GET", "/v1/chat/completions", "POST"],
        ["POST", "/v1/socket", "GET"],
        ["OPTIONS", "/", "GET"],
        ["PUT", "/assets/main.js", "GET"]
      ] as const) {
        const { headers, status } = yield* ask(path, { method })
        assert.deepStrictEqual([status, headers.allow], [405, allow], `${method} ${path}`)
      }
      assert.strictEqual((yield* ask("/v1/nothing", { method: "PUT" })).status, 404)
    })
  )

  it.scopedLive("is told a parameter of its query that there is not, and gets nothing by it (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const { json, status } = yield* ask("/v1/sessions/s1/log?fom=5")
      assert.deepStrictEqual([status, json.message], [400, "fom: unknown key; known keys: from, limit"])
      for (const path of [
        "/v1/events?from=5",
        "/v1/sessions/s1/events?after=5",
        "/v1/sessions?limt=1",
        "/v1/cost?b=day"
      ])
        assert.strictEqual((yield* ask(path)).status, 400, path)
      assert.strictEqual((yield* ask("/v1/sessions/s1/log?from=1&limit=1")).json.events.length, 1)
    })
  )

  it.scopedLive("is refused where its body is not UTF-8, whatever is in the place of its bytes (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const title = (bytes: Buffer) =>
        ask("/v1/sessions/s1/commands", {
          raw: Buffer.concat([Buffer.from('{"_tag":"RenameSession","title":"'), bytes, Buffer.from('"}')])
        })
      for (const bytes of [[0xe4], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80]]) {
        const { json, status } = yield* title(Buffer.from(bytes))
        assert.deepStrictEqual([status, json.message], [400, "The body cannot be used: it is not UTF-8."])
      }
      assert.strictEqual((yield* ask("/v1/sessions/s1")).json.title, "")
      assert.strictEqual((yield* title(Buffer.from("a \u{fffd} \u{1f600}"))).status, 202)
      assert.strictEqual((yield* ask("/v1/sessions/s1")).json.title, "a \u{fffd} \u{1f600}")
    })
  )

  it.scopedLive(
    "reaches a session by the longest id that it may have, and says what is wrong with a longer one (X4)",
    () =>
      Effect.gen(function* () {
        const { ask } = yield* served({ models })
        for (const id of ["s".repeat(200), "\u65e5".repeat(200)]) {
          assert.strictEqual((yield* ask("/v1/sessions", { body: { id } })).status, 201)
          const path = `/v1/sessions/${encodeURIComponent(id)}`
          assert.strictEqual((yield* ask(path)).json.id, id)
          assert.strictEqual((yield* ask(`${path}/commands`, { body: { _tag: "Interrupt" } })).status, 202)
          assert.strictEqual((yield* ask(path, { method: "DELETE" })).status, 204)
        }
        const { json, status } = yield* ask(`/v1/sessions/${"s".repeat(300)}`)
        assert.strictEqual(status, 400)
        assert.match(json.message, /^session: expected text at most 256 character/)
      })
  )

  it.scopedLive("is told that its path cannot be decoded, and no methods that it has used (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      for (const path of ["/v1/sessions/50%", "/v1/approvals/%E0%A4%A"]) {
        const { json, status } = yield* ask(path)
        assert.strictEqual(status, 400, path)
        assert.match(json.message, /^The path cannot be decoded: write % as %25/, path)
      }
      const model = yield* ask("/v1/models/%zz")
      assert.deepStrictEqual([model.status, model.json.error.type], [400, "invalid_request_error"])
    })
  )

  it.scopedLive("is answered with a body also where it is no HTTP (X4)", () =>
    Effect.gen(function* () {
      const { port } = yield* served({ models })
      const answer = (bytes: string) =>
        Effect.map(raw(port, bytes), (text) => [text.split("\r\n", 1)[0], JSON.parse(text.split("\r\n\r\n")[1] ?? "")])
      const told = (message: string) => ({ _tag: "HttpApiDecodeError", issues: [], message })
      assert.deepStrictEqual(yield* answer("nonsense\r\n\r\n"), [
        "HTTP/1.1 400 Bad Request",
        told("The request is not HTTP.")
      ])
      assert.deepStrictEqual(yield* answer(`GET / HTTP/1.1\r\nHost: x\r\nx: ${"x".repeat(20_000)}\r\n\r\n`), [
        "HTTP/1.1 431 Request Header Fields Too Large",
        told("The headers are too large.")
      ])
    })
  )

  it.scopedLive("is told what is wrong with its host also where it names none (X4)", () =>
    Effect.gen(function* () {
      const { port, token } = yield* served({ models })
      const request = `GET /v1/me HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
      const text = yield* raw(port, request)
      assert.strictEqual(text.split("\r\n", 1)[0], "HTTP/1.1 403 Forbidden")
      const { _tag, message } = JSON.parse(text.split("\r\n\r\n")[1] ?? "")
      assert.strictEqual(_tag, "Forbidden")
      assert.match(message, /^The host "" is not one of this server\. Use its address/)
    })
  )

  it.scopedLive("names an address that is none of this machine as what is wrong (X4)", () =>
    Effect.gen(function* () {
      const listen = { host: "192.0.2.1", port: 0 }
      const { message } = yield* Effect.flip(Effect.scoped(Layer.build(node(listen))))
      assert.match(message, /^192\.0\.2\.1:0 cannot be listened on: .* Name an address of this machine, e\.g\. 127/)
    })
  )
})
