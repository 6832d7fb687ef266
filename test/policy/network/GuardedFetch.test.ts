import * as http from "node:http"
import * as tls from "node:tls"
import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type FetchRequest, GuardedFetch } from "../../../src/policy/network/GuardedFetch.ts"
import { NetworkRules } from "../../../src/policy/network/NetworkRules.ts"
import { Resolver } from "../../../src/policy/network/Resolver.ts"
import { Wire } from "../../../src/policy/network/Wire.ts"
import { scriptedNetwork, type ScriptedReply } from "../../corpus/ScriptedNetwork.ts"
import { answer } from "../../corpus/Reply.ts"
import { serve } from "../../corpus/Loopback.ts"
import { selfSigned } from "../../corpus/selfSigned.ts"

type Rules = typeof NetworkRules.Encoded

const guard = (rules: Rules) => GuardedFetch.layerGuard(Schema.decodeSync(NetworkRules)(rules))

const fetch = (request: FetchRequest) => Effect.flatMap(GuardedFetch, (_) => _.fetch(request))

const dns = {
  "example.com": [["93.184.216.34"]],
  "other.example": [["93.184.216.35"]],
  "two.example": [["93.184.216.34", "93.184.216.35"]]
}

const onFake = (
  replies: Readonly<Record<string, ScriptedReply>>,
  request: FetchRequest,
  unreachable?: ReadonlyArray<string>
) => {
  const network = scriptedNetwork(dns, replies, unreachable)
  return { network, result: fetch(request).pipe(Effect.provide(guard({})), Effect.provide(network.layer)) }
}

/** A server that is opened to the guard as `page.example`. */
const open = Effect.fnUntraced(function* (listener: http.RequestListener) {
  const server = yield* serve(http.createServer(listener))
  return { ...server, url: `http://page.example:${server.port}/`, host: `page.example:${server.port}` }
})

const onWire = (
  request: FetchRequest,
  rules: Rules,
  addresses: ReadonlyArray<ReadonlyArray<string>> = [["127.0.0.1"]]
) => {
  const network = scriptedNetwork({ "page.example": addresses })
  const resolver = Layer.effect(Resolver, Resolver).pipe(Layer.provide(network.layer))
  return fetch(request).pipe(
    Effect.provide(guard(rules)),
    Effect.provide(Layer.merge(resolver, Wire.layer)),
    Effect.map((page) => ({ page, lookups: network.lookups }))
  )
}

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [`https://example.com/${n}`, { status: 302, location: `/${n + 1}` }])
  )

/** What comes of a page whose server answers by `listener`; the connection has ended by then. */
const limited = (limits: NonNullable<Rules["limits"]>, listener: http.RequestListener) =>
  Effect.gen(function* () {
    const server = yield* open(listener)
    const result = yield* Effect.either(
      onWire(
        { url: server.url },
        { optIn: [server.host], limits: { headersMs: 2000, idleMs: 2000, totalMs: 4000, ...limits } }
      )
    )
    yield* server.closed
    return result
  })

describe("redirects", () => {
  it.effect("keeps headers that identify the caller from another origin, also on the way back (S4)", () =>
    Effect.gen(function* () {
      const { network, result } = onFake(
        {
          "https://example.com/": { status: 302, location: "/b" },
          "https://example.com/b": { status: 307, location: "https://other.example/" },
          "https://other.example/": { status: 308, location: "https://example.com/end" }
        },
        {
          url: "https://example.com/",
          headers: { Authorization: "Bearer x", Cookie: "a=b", "X-Api-Key": "k", Accept: "text/plain" }
        }
      )
      yield* result
      const sent = network.requests.map((_) => [
        _.headers["authorization"],
        _.headers["cookie"],
        _.headers["x-api-key"]
      ])
      assert.deepStrictEqual(sent, [
        ["Bearer x", "a=b", "k"],
        ["Bearer x", "a=b", "k"],
        [undefined, undefined, undefined],
        [undefined, undefined, undefined]
      ])
      assert.isTrue(network.requests.every((_) => _.headers["accept"] === "text/plain"))
    })
  )

  it.effect("takes another port or scheme of a host for another origin (S4)", () =>
    Effect.gen(function* () {
      const { network, result } = onFake(
        { "http://example.com/": { status: 302, location: "https://example.com/" } },
        { url: "http://example.com/", headers: { authorization: "Basic x" } }
      )
      yield* result
      assert.deepStrictEqual(
        network.requests.map((_) => _.headers["authorization"]),
        ["Basic x", undefined]
      )
    })
  )

  it.effect("follows five and refuses the sixth (S4)", () =>
    Effect.gen(function* () {
      const page = yield* onFake(chain(5), { url: "https://example.com/0" }).result
      assert.strictEqual(page.url, "https://example.com/5")
      const refused = yield* Effect.flip(onFake(chain(6), { url: "https://example.com/0" }).result)
      assert.include(refused.message, "network/redirect-limit")
    })
  )

  it.effect("returns a redirect without a location as the page that it is (S4)", () =>
    Effect.gen(function* () {
      const page = yield* onFake(
        { "https://example.com/": { status: 302, body: "hm" } },
        { url: "https://example.com/" }
      ).result
      assert.strictEqual(page.status, 302)
    })
  )

  it.scopedLive("refuses a redirect to a loopback port that is not opened, and never connects to it (S4)", () =>
    Effect.gen(function* () {
      const inside = yield* open((_, response) => response.end("inside"))
      const outside = yield* open((_, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end()
      })
      const refused = yield* Effect.flip(onWire({ url: outside.url }, { optIn: [outside.host] }))
      assert.strictEqual(refused._tag === "FetchRefused" && refused.rule, "network/private-address")
      assert.strictEqual(inside.connections(), 0)
    })
  )
})

describe("addresses", () => {
  it.scopedLive("connects to the address it judged although a second lookup would answer another (S4)", () =>
    Effect.gen(function* () {
      const server = yield* open((request, response) => response.end(request.headers.host))
      const { lookups, page } = yield* onWire({ url: server.url }, { optIn: [server.host] }, [
        ["127.0.0.1"],
        ["192.0.2.1"]
      ])
      assert.strictEqual(page.text, server.host)
      assert.deepStrictEqual(lookups, ["page.example"])
    })
  )

  it.effect("judges a host again after a redirect, by a lookup of its own (S4)", () =>
    Effect.gen(function* () {
      const network = scriptedNetwork(
        { "example.com": [["93.184.216.34"], ["127.0.0.1"]] },
        {
          "https://example.com/": { status: 302, location: "/again" }
        }
      )
      const refused = yield* fetch({ url: "https://example.com/" }).pipe(
        Effect.provide(guard({})),
        Effect.provide(network.layer),
        Effect.flip
      )
      assert.include(refused.message, "network/private-address")
      assert.strictEqual(network.requests.length, 1)
    })
  )

  it.effect("tries the next judged address where the first cannot be reached (S4)", () =>
    Effect.gen(function* () {
      const { network, result } = onFake({}, { url: "https://two.example/" }, ["93.184.216.34"])
      yield* result
      assert.deepStrictEqual(
        network.requests.map((_) => _.address),
        ["93.184.216.34", "93.184.216.35"]
      )
    })
  )

  it.scopedLive("checks the certificate against the name, not against the address it connects to (S4)", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<string>()
      const secret = selfSigned("page.example")
      const server = yield* serve(
        tls.createServer({
          ...secret,
          SNICallback: (name, done) => {
            Deferred.unsafeDone(asked, Effect.succeed(name))
            done(null, tls.createSecureContext(secret))
          }
        })
      )
      const host = `page.example:${server.port}`
      const failed = yield* Effect.flip(onWire({ url: `https://${host}/` }, { optIn: [host] }))
      assert.strictEqual(yield* Deferred.await(asked), "page.example")
      assert.match(failed.message, /self.signed/i)
    })
  )

  it.effect("does not let a caller set the headers that name the host or the connection (S4)", () =>
    Effect.gen(function* () {
      for (const headers of [{ Host: "a" }, { "proxy-authorization": "x" }, { "X-A": "a\r\nb: c" }, { "a b": "c" }]) {
        const { network, result } = onFake(
          {},
          { url: "https://example.com/", headers: headers as Record<string, string> }
        )
        assert.include((yield* Effect.flip(result)).message, "network/request-header")
        assert.deepStrictEqual(network.requests, [])
      }
    })
  )
})

describe("limits", () => {
  it.scopedLive("gives up on a server that never answers (S4)", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(yield* limited({ headersMs: 50 }, () => {}))
      assert.include(failed.message, "limits.headersMs")
    })
  )

  it.scopedLive("gives up on a body that falls silent (S4)", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(
        yield* limited({ idleMs: 50 }, (_, response) => {
          response.write("some")
        })
      )
      assert.include(failed.message, "limits.idleMs")
    })
  )

  it.scopedLive("gives up on a body that drips for ever (S4)", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(
        yield* limited({ totalMs: 100, maxBytes: 1 << 30 }, (_, response) => answer({ generator: "drip" }, response))
      )
      assert.include(failed.message, "limits.totalMs")
    })
  )

  it.scopedLive("refuses headers that are too large (S4)", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(
        yield* limited({ maxHeaderBytes: 1024 }, (_, response) => {
          response.writeHead(200, { "x-large": "a".repeat(4096) }).end()
        })
      )
      assert.include(failed.message, "limits.maxHeaderBytes")
    })
  )

  for (const generator of ["gzip", "deflate", "br"] as const) {
    it.scopedLive(`cuts a ${generator} bomb by its decoded size (S4)`, () =>
      Effect.gen(function* () {
        const { page } = yield* yield* limited({ maxBytes: 100_000 }, (_, response) => answer({ generator }, response))
        assert.isTrue(page.truncated)
        assert.strictEqual(page.text.length, 100_000)
      })
    )
  }

  it.scopedLive("refuses a chain of encodings, and one that it did not ask for (S4)", () =>
    Effect.gen(function* () {
      for (const encoding of ["gzip, gzip", "br, gzip", "zstd", "constructor"]) {
        const refused = yield* Effect.flip(
          yield* limited({}, (_, response) => {
            response.writeHead(200, { "content-encoding": encoding }).end("x")
          })
        )
        assert.include(refused.message, "network/content-encoding")
      }
    })
  )

  it.scopedLive("fails where the body breaks off or is not what its encoding says (S4)", () =>
    Effect.gen(function* () {
      const broken: ReadonlyArray<http.RequestListener> = [
        (_, response) => {
          response.writeHead(200, { "content-length": "10" })
          response.write("short", () => response.destroy())
        },
        (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip"),
        (_, response) =>
          void response
            .writeHead(200, { "content-encoding": "gzip" })
            .end(zlib.gzipSync("a".repeat(1000)).subarray(0, -10))
      ]
      for (const listener of broken) {
        const failed = yield* Effect.flip(yield* limited({}, listener))
        assert.strictEqual(failed._tag === "FetchFailed" && failed.stage, "body")
      }
    })
  )

  it.scopedLive("neither cuts nor counts inside a character (S4)", () =>
    Effect.gen(function* () {
      const { page } = yield* yield* limited({ maxBytes: 8 }, (_, response) => {
        response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("€€€€")
      })
      assert.deepStrictEqual([page.text, page.truncated], ["€€", true])
      const latin = yield* yield* limited({ maxBytes: 5 }, (_, response) => {
        response.writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" }).end(Buffer.from("éééé", "latin1"))
      })
      assert.deepStrictEqual([latin.page.text, latin.page.truncated], ["éé", true])
    })
  )

  it.scopedLive("closes the connection when it is interrupted (S4)", () =>
    Effect.gen(function* () {
      for (const begin of [false, true]) {
        const reached = yield* Deferred.make<void>()
        const server = yield* open((_, response) => {
          if (begin) response.write("some")
          Deferred.unsafeDone(reached, Effect.void)
        })
        const fiber = yield* Effect.fork(onWire({ url: server.url }, { optIn: [server.host] }))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        yield* server.closed
      }
    })
  )
})

describe("layer", () => {
  it.live("asks the operating system for addresses, and judges what it says (S4)", () =>
    Effect.gen(function* () {
      const rules = Schema.decodeSync(NetworkRules)({ optIn: ["elsewhere.example:1"] })
      const refused = yield* Effect.flip(Effect.provide(fetch({ url: "http://localhost/" }), GuardedFetch.layer(rules)))
      assert.include(refused.message, "network/local-name")
      const resolver = yield* Effect.provide(Resolver, Resolver.layer)
      assert.includeMembers(["127.0.0.1", "::1"], [...(yield* resolver.lookup("localhost"))])
      const failed = yield* Effect.flip(resolver.lookup("no-such-host.invalid"))
      assert.strictEqual(failed.stage, "resolve")
    })
  )
})

describe("errors", () => {
  it.effect("show neither user information nor query of the URL (S5)", () =>
    Effect.gen(function* () {
      for (const url of ["https://me:hunter2@example.com/", "https://nowhere.example/?token=hunter2#hunter2"]) {
        const failed = yield* Effect.flip(onFake({}, { url }).result)
        assert.notInclude(JSON.stringify(failed) + failed.message, "hunter2")
      }
    })
  )
})
