// @effect-diagnostics processEnv:off - a row sets the variables that must be ignored
import * as http from "node:http"
import * as https from "node:https"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { GuardedFetch } from "../../../src/policy/network/GuardedFetch.ts"
import { NetworkRules } from "../../../src/policy/network/NetworkRules.ts"
import { judgeUrl } from "../../../src/policy/network/UrlPolicy.ts"
import { Wire } from "../../../src/policy/network/Wire.ts"
import { corpus, kept, type Row } from "../../support/corpora.ts"
import { scriptedNetwork, type ScriptedReply } from "../../../src/policy/network/ScriptedNetwork.ts"
import { answer, type Reply } from "../../../src/policy/cases/Reply.ts"
import { serve } from "../../../src/policy/cases/Loopback.ts"
import { selfSigned } from "../../../src/policy/cases/selfSigned.ts"

interface Input {
  readonly url: string
  readonly dns?: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>
  readonly redirects?: Readonly<Record<string, ScriptedReply>>
  readonly policy?: {
    readonly allow?: ReadonlyArray<string>
    readonly deny?: ReadonlyArray<string>
    readonly allowPrivate?: ReadonlyArray<string>
  }
  readonly response?: Reply
  readonly limits?: Readonly<Record<string, number>>
  readonly env?: Readonly<Record<string, string>>
}

type SsrfRow = Row<Input> & { readonly maxLookups?: number; readonly connectsTo?: string }

const rows: ReadonlyArray<SsrfRow> = corpus<Input>("a_ssrf")

const rulesOf = ({ policy = {} }: Input) =>
  Schema.decodeSync(NetworkRules)({
    ...(policy.allow && { allowHosts: policy.allow }),
    denyHosts: policy.deny ?? [],
    optIn: policy.allowPrivate ?? []
  })

/** The waiting of a row is scaled down: what counts is that it ends. */
const limitsOf = ({ limits = {} }: Input) =>
  Object.fromEntries(
    Object.entries(limits).map(([key, value]) => [key, key.endsWith("Ms") ? Math.min(value, 500) : value])
  )

describe("URLs, addresses and redirects", () => {
  for (const row of rows.filter((_) => _.stage !== "response")) {
    it.effect(`${row.id} ${row.expected}: ${row.why} (S4)`, () =>
      Effect.gen(function* () {
        const rules = rulesOf(row.input)
        const network = scriptedNetwork(row.input.dns, row.input.redirects)
        const guard = Layer.provide(GuardedFetch.layerGuard(rules), network.layer)
        const result = yield* Effect.either(
          Effect.provide(
            Effect.flatMap(GuardedFetch, (_) => _.fetch({ url: row.input.url })),
            guard
          )
        )
        const verdict = Either.isRight(result) ? "allow" : "deny"
        assert.include(row.accept ?? [row.expected], verdict, `${result}`)
        if (row.stage === "parse" || row.stage === "url") {
          assert.isTrue(
            Either.isLeft(judgeUrl(row.input.url, rules)) === (verdict === "deny"),
            "judged by the URL alone"
          )
        }
        if (verdict === "deny" && row.stage !== "redirect") assert.deepStrictEqual(network.requests, [])
        if (row.maxLookups !== undefined) assert.isAtMost(network.lookups.length, row.maxLookups)
        if (row.connectsTo !== undefined)
          assert.deepStrictEqual(
            network.requests.map((_) => _.address),
            [row.connectsTo]
          )
      })
    )
  }
})

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]

/** Sets variables until the scope ends. */
const withEnvironment = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = Object.keys(variables).map((key) => [key, process.env[key]] as const)
      Object.assign(process.env, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const [key, value] of before) {
          if (value === undefined) delete process.env[key]
          else process.env[key] = value
        }
      })
  )

/** What a row of an answer has led to. */
interface Seen {
  readonly page: { readonly text: string; readonly truncated: boolean } | undefined
  readonly maxBytes: number
  /** Bytes of memory. */
  readonly growth: number
  readonly sent: ReadonlyArray<http.IncomingHttpHeaders>
  readonly proxied: number
}

/** What a row demands beyond its verdict, by its own words; one that nobody knows here demands nothing. */
const invariants: Readonly<Record<string, (seen: Seen) => void>> = {
  "returned<=maxBytes": ({ maxBytes, page }) => assert.isAtMost(Buffer.byteLength(page?.text ?? ""), maxBytes),
  "truncated=true": ({ page }) => assert.isTrue(page?.truncated),
  "rssGrowth<=64MiB": ({ growth }) => assert.isAtMost(growth, 64 * 1024 * 1024),
  "noAuthorizationSent=true": ({ sent }) =>
    assert.isTrue(sent.every((_) => !_.authorization && !_["proxy-authorization"])),
  "proxyUsed=false": ({ proxied }) => assert.strictEqual(proxied, 0)
}

describe("answers", () => {
  it("have no invariant in the rows kept here that is not checked (S4)", () => {
    for (const row of kept<Input>("a_ssrf").filter((_) => _.stage === "response")) {
      for (const words of row.invariants ?? []) assert.property(invariants, words, row.id)
    }
  })

  for (const row of rows.filter((_) => _.stage === "response")) {
    it.scopedLive(`${row.id} ${row.expected}: ${row.why} (S4)`, () =>
      Effect.gen(function* () {
        const sent: Array<http.IncomingHttpHeaders> = []
        const handler: http.RequestListener = (request, response) => {
          sent.push(request.headers)
          answer(row.input.response ?? {}, response)
        }
        const secure = row.input.response?.tls !== undefined
        const server = yield* serve(
          secure ? https.createServer(selfSigned("example.com"), handler) : http.createServer(handler)
        )
        const proxy = yield* serve(http.createServer((_, response) => response.end("by proxy")))
        if (row.input.env) {
          const address = `http://127.0.0.1:${proxy.port}`
          yield* withEnvironment({
            NODE_USE_ENV_PROXY: "1",
            ...Object.fromEntries(proxyVariables.map((key) => [key, address]))
          })
        }
        const rules = Schema.decodeUnknownSync(NetworkRules)({
          optIn: [`example.com:${server.port}`],
          limits: { headersMs: 1000, idleMs: 500, totalMs: 3000, ...limitsOf(row.input) }
        })
        const resolver = scriptedNetwork({ "example.com": [["127.0.0.1"]] }).layer
        const guard = GuardedFetch.layerGuard(rules).pipe(Layer.provide(Layer.merge(resolver, Wire.layer)))
        const memory = process.memoryUsage().rss
        const url = `${secure ? "https" : "http"}://example.com:${server.port}/x`
        const result = yield* Effect.either(
          Effect.provide(
            Effect.flatMap(GuardedFetch, (_) => _.fetch({ url })),
            guard
          )
        )
        assert.include(row.accept ?? [row.expected], Either.isRight(result) ? "allow" : "deny", `${result}`)
        const seen: Seen = {
          page: Either.getOrUndefined(result),
          maxBytes: rules.limits.maxBytes,
          growth: process.memoryUsage().rss - memory,
          sent,
          proxied: proxy.connections()
        }
        for (const words of row.invariants ?? []) invariants[words]?.(seen)
        assert.strictEqual(server.connections(), 1)
      })
    )
  }
})
