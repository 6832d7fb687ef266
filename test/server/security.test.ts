import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, FastCheck as fc, Option, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { AccessScope } from "../../src/server/Access.ts"
import { TokenStore } from "../../src/server/TokenStore.ts"
import { foreign } from "../../src/server/Guard.ts"
import { asking, models } from "../host/Directed.ts"
import { type Answer, type Asked, served } from "./served.ts"

const routes: ReadonlyArray<readonly [string, string]> = [
  ["GET", "/v1/sessions"],
  ["POST", "/v1/sessions"],
  ["POST", "/v1/sessions/s1/commands"],
  ["GET", "/v1/sessions/s1/events"],
  ["GET", "/v1/events"],
  ["POST", "/v1/approvals/x"],
  ["GET", "/v1/audit"],
  ["GET", "/v1/socket"],
  ["POST", "/v1/rules"],
  ["GET", "/openapi.json"],
  ["POST", "/v1/login"],
  ["GET", "/healthz"]
]

const cookieOf = ({ headers }: Answer): string => headers["set-cookie"]?.[0] ?? ""

describe("the guard", () => {
  it.scopedLive("lets no page of another site and no name of somebody else's DNS in, on any route (X4)", () =>
    Effect.gen(function* () {
      const { ask, port } = yield* served({ models, names: ["box.example"] })
      const own = `http://127.0.0.1:${port}`
      const refused: ReadonlyArray<Readonly<Record<string, string>>> = [
        { host: `rebound.example:${port}` },
        { host: `127.0.0.1.evil.example:${port}` },
        { host: `10.0.0.7:${port}` },
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: `http://127.0.0.1:${port + 1}` },
        { origin: `http://localhost:${port}` },
        { origin: own, host: `rebound.example:${port}` },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }
      ]
      for (const [method, target] of routes) {
        for (const headers of refused) {
          const answer = yield* ask(target, { method, headers })
          assert.strictEqual(answer.status, 403, `${method} ${target} ${JSON.stringify(headers)}`)
          assert.strictEqual(answer.json._tag, "Forbidden")
          assert.isUndefined(answer.headers["access-control-allow-origin"])
        }
      }
      for (const headers of [{ origin: own }, { host: `box.example:${port}`, origin: `http://box.example:${port}` }]) {
        assert.strictEqual((yield* ask("/v1/sessions", { headers })).status, 200)
      }
      const upgrade = {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA=="
      }
      const socket = yield* ask("/v1/socket", { headers: { ...upgrade, origin: "https://evil.example" } })
      assert.strictEqual(socket.status, 403)
    })
  )

  it("takes a host for ours only by its address or one of its names (X4)", () => {
    const at = { host: "127.0.0.1", names: [] }
    assert.isString(foreign("GET", {}, at))
    fc.assert(
      fc.property(fc.domain(), fc.nat({ max: 65_535 }), (name, port) => {
        assert.isString(foreign("GET", { host: `${name}:${port}` }, at))
        assert.isString(foreign("GET", { host: `127.0.0.1:${port}`, origin: `http://${name}` }, at))
        assert.isUndefined(foreign("GET", { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }, at))
      })
    )
  })

  it.scopedLive("wants a token on every route but health, and stops who guesses (X4)", () =>
    Effect.gen(function* () {
      const { ask, token } = yield* served({ models, limits: { failuresPerMinute: 400 } })
      const wrong: ReadonlyArray<Asked> = [
        { bare: true },
        { headers: { authorization: "Bearer tg_wrong" } },
        { headers: { authorization: `Basic ${token}` } },
        { headers: { authorization: `Bearer ${token}x` } },
        { bare: true, headers: { cookie: `tollgate=${token}` } }
      ]
      for (const [method, target] of routes) {
        if (target === "/healthz" || target === "/v1/login") continue
        for (const asked of wrong) {
          const answer = yield* ask(target, { method, ...asked })
          assert.deepStrictEqual(
            [answer.status, answer.headers["www-authenticate"]],
            [401, "Bearer"],
            `${method} ${target}`
          )
        }
      }
      for (const target of ["/healthz", "/readyz"]) {
        const { json, status } = yield* ask(target, { bare: true })
        assert.deepStrictEqual([status, json.status], [200, "ok"])
      }
      // What they send is not looked at: neither that it is too large nor that it is none.
      for (const asked of wrong) {
        for (const [type, raw] of [
          ["application/json", "x".repeat(2_000_000)],
          ["text/plain", "x"],
          ["application/json", "{"]
        ] as const) {
          const headers = { ...asked.headers, "content-type": type }
          assert.strictEqual((yield* ask("/v1/sessions", { ...asked, headers, raw })).status, 401)
        }
      }
      assert.strictEqual((yield* ask("/v1/login", { bare: true, body: { token: "x".repeat(2000) } })).status, 413)
      const one = yield* served({ models, limits: { failuresPerMinute: 3 } })
      const guess = one.ask("/v1/sessions", { headers: { authorization: "Bearer tg_guess" } })
      const answers = yield* Effect.all([guess, guess, guess, guess])
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [401, 401, 401, 429]
      )
      assert.strictEqual(answers[3]?.headers["retry-after"], "1")
      assert.include(answers[3]?.json, { _tag: "TooManyRequests", retryAfter: 1 })
      assert.strictEqual((yield* one.ask("/v1/sessions")).status, 200, "a right one of the same address")
      const few = yield* served({ models, limits: { requestsPerSecond: 0.01 } })
      assert.strictEqual((yield* few.ask("/v1/sessions")).status, 429)
    })
  )

  it.scopedLive("makes no session whose name no path holds or nobody sees (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      for (const id of ["", ".", "..", "a\u202eb", "a\u200b", "a\nb", "a\0", "x".repeat(201)])
        assert.strictEqual(
          (yield* ask("/v1/sessions", { body: { id, commandId: "c" } })).status,
          400,
          JSON.stringify(id)
        )
      assert.strictEqual((yield* ask("/v1/sessions", { body: { id: "a/b c:日本 👩‍💻" } })).status, 201)
      assert.strictEqual((yield* ask(`/v1/sessions/${encodeURIComponent("a/b c:日本 👩‍💻")}`)).status, 200)
    })
  )

  it.scopedLive("refuses forms, bodies that are too large or say two things, and paths that lead elsewhere (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models, limits: { body: 1000 } })
      const post = (raw: string, type = "application/json") =>
        Effect.map(ask("/v1/sessions", { raw, headers: { "content-type": type } }), ({ status }) => status)
      assert.strictEqual(yield* post("id=s1", "application/x-www-form-urlencoded"), 415)
      assert.strictEqual(yield* post("{}", "text/plain"), 415)
      assert.strictEqual(yield* post("--x", "multipart/form-data; boundary=x"), 415)
      assert.strictEqual(yield* post(JSON.stringify({ id: "x".repeat(2000) })), 413)
      assert.strictEqual(yield* post('{"id":"a","id":"b"}'), 400)
      assert.strictEqual(yield* post("[".repeat(200) + "]".repeat(200)), 400)
      assert.strictEqual(yield* post("{"), 400)
      assert.strictEqual(yield* post(""), 400)
      const chunked = yield* ask("/v1/sessions", {
        raw: JSON.stringify({ id: "x".repeat(2000) }),
        headers: { "transfer-encoding": "chunked", "content-length": "" }
      })
      assert.include([400, 413], chunked.status)
      for (const target of [
        "/../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/%00"
      ]) {
        const answer = yield* ask(target)
        assert.strictEqual(answer.status, 404, target)
        assert.notInclude(answer.text, "root:")
      }
    })
  )
})

describe("a browser", () => {
  it.scopedLive("logs in for a cookie that no script reads, and out again (X4)", () =>
    Effect.gen(function* () {
      const { ask, port, token } = yield* served({ models })
      const login = yield* ask("/v1/login", { bare: true, body: { token } })
      assert.strictEqual(login.status, 204)
      const set = cookieOf(login)
      assert.match(set, new RegExp(`^tollgate-${port}=`))
      assert.include(set, "HttpOnly")
      assert.include(set, "SameSite=Strict")
      assert.notInclude(set, token)
      const cookie = set.split(";", 1)[0] ?? ""
      const me = yield* ask("/v1/me", { bare: true, headers: { cookie } })
      assert.deepStrictEqual(me.json, { name: "local", scopes: ["view", "operate", "approve"] })
      assert.strictEqual((yield* ask("/v1/login", { method: "DELETE", bare: true, headers: { cookie } })).status, 204)
      assert.strictEqual((yield* ask("/v1/me", { bare: true, headers: { cookie } })).status, 401)
      assert.strictEqual((yield* ask("/v1/login", { bare: true, body: { token: "tg_wrong" } })).status, 401)
    })
  )
})

describe("tokens", () => {
  it.scopedLive("reach as far as their scopes, name who decides, and end at once where they are revoked (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models })
      const { ask, directory } = server
      const store = Context.get(server.context, TokenStore)
      const tokens = path.join(directory, "../state/approvals/tokens")
      const made = (name: string, scopes: readonly [AccessScope, ...Array<AccessScope>]) =>
        Effect.map(store.add({ name, scopes }), Redacted.value)
      const viewer = yield* made("viewer", ["view"])
      const worker = yield* made("worker", ["operate"])
      const judge = yield* made("judge", ["view", "approve"])
      assert.isTrue(
        fs.readdirSync(tokens).every((name) => (fs.statSync(path.join(tokens, name)).mode & 0o777) === 0o600)
      )
      assert.isTrue(
        fs.readdirSync(tokens).every((name) => !fs.readFileSync(path.join(tokens, name), "utf8").includes("tg_"))
      )
      const by = (token: string, target: string, asked: Asked = {}) =>
        ask(target, { ...asked, headers: { authorization: `Bearer ${token}` } })
      const prompt = asking([["write_file", { path: "a.txt", content: "x" }]])
      const submit = { _tag: "SubmitPrompt", task: "t1", prompt }
      yield* by(worker, "/v1/sessions", { body: { id: "s1" } })
      assert.strictEqual((yield* by(viewer, "/v1/sessions/s1/commands", { body: submit })).status, 403)
      assert.strictEqual((yield* by(judge, "/v1/sessions/s1/commands", { body: submit })).status, 403)
      assert.strictEqual((yield* by(worker, "/v1/sessions")).status, 403)
      assert.strictEqual((yield* by(worker, "/v1/sessions/s1/commands", { body: submit })).status, 202)
      const { json } = yield* Effect.repeat(by(viewer, "/v1/approvals"), {
        until: ({ json }) => json.approvals.length > 0
      })
      // Whoever may only give work learns nothing of a session by naming it.
      const again = yield* by(worker, "/v1/sessions", { body: { id: "s1" } })
      assert.deepInclude(again.json, { title: "", tasks: [], approvals: [] })
      const elsewhere = yield* by(worker, "/v1/sessions", { body: { id: "s1", project: "/" } })
      assert.strictEqual(elsewhere.status, 409, elsewhere.text)
      assert.notInclude(elsewhere.text, '"approvals"')
      // What a session reads of its project is not asked about: where the first one works is decided by who may decide.
      const project = path.join(directory, "..")
      const begin = (token: string) => by(token, "/v1/sessions", { body: { project } })
      const imported = { body: { project, text: "## User\n\nHello\n", format: "markdown" } }
      assert.strictEqual((yield* by(worker, "/v1/sessions/import", imported)).status, 403)
      const first = yield* begin(worker)
      assert.deepStrictEqual([first.status, /first one there needs/.test(first.text)], [403, true], first.text)
      assert.strictEqual((yield* begin(yield* made("lead", ["operate", "approve"]))).status, 201)
      assert.strictEqual((yield* begin(worker)).status, 201)
      const { digest, id } = json.approvals[0].request
      const answer = { body: { digest, decision: "deny" } }
      assert.strictEqual((yield* by(viewer, `/v1/approvals/${id}`, answer)).status, 403)
      assert.strictEqual((yield* by(worker, `/v1/approvals/${id}`, answer)).status, 403)
      const forged = { body: { _tag: "DecideApproval", approvalId: id, digest, decision: "approve" } }
      assert.strictEqual((yield* by(worker, "/v1/sessions/s1/commands", forged)).status, 403)
      const policy = { body: { _tag: "SetApprovalPolicy", policy: "edits" } }
      assert.strictEqual((yield* by(worker, "/v1/sessions/s1/commands", policy)).status, 403)
      assert.strictEqual((yield* by(judge, `/v1/approvals/${id}`, answer)).status, 200)
      const audit = yield* Effect.repeat(ask("/v1/audit?session=s1"), {
        until: ({ text }) => text.includes('"resolved"')
      })
      const resolved = audit.json.entries.find(({ kind }: { readonly kind: string }) => kind === "resolved")
      assert.strictEqual(resolved.decided_by, "user judge")
      assert.isTrue(yield* store.revoke("judge"))
      const revoked = yield* by(judge, "/v1/approvals")
      assert.deepStrictEqual([revoked.status, /was revoked/.test(revoked.text)], [401, true])
      const expired = Redacted.value(yield* store.add({ name: "old", scopes: ["view"], expiresAt: 1 }))
      assert.strictEqual((yield* by(expired, "/v1/approvals")).status, 401)
      assert.isTrue(Option.isNone(yield* Effect.option(store.add({ name: "viewer", scopes: ["approve"] }))))
    })
  )
})
