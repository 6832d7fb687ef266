// @effect-diagnostics processEnv:off - a case sets the variables that a fetch must not heed
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import * as https from "node:https"
import { GuardedFetch } from "../../src/policy/network/GuardedFetch.ts"
import { NetworkLimits, NetworkRules } from "../../src/policy/network/NetworkRules.ts"
import { HostPattern } from "../../src/policy/network/HostPattern.ts"
import { Resolver } from "../../src/policy/network/Resolver.ts"
import { judgeUrl } from "../../src/policy/network/UrlPolicy.ts"
import { Wire } from "../../src/policy/network/Wire.ts"
import * as Loopback from "./Loopback.ts"
import { answer } from "./Reply.ts"
import { selfSigned } from "./selfSigned.ts"
import { rulesOf, verdictOf, type UrlInput } from "./UrlCase.ts"

/** Milliseconds; that a wait ends is what counts. */
const longest = 1000

const limitsOf = ({ limits = {} }: UrlInput): NetworkRules["limits"] => {
  const most = NetworkLimits.make({ headersMs: longest, idleMs: longest, totalMs: 3 * longest })
  const given = (name: keyof typeof most): number => Math.max(1, Math.min(limits[name] ?? most[name], most[name]))
  return NetworkLimits.make({
    maxBytes: given("maxBytes"),
    maxHeaderBytes: given("maxHeaderBytes"),
    headersMs: given("headersMs"),
    idleMs: given("idleMs"),
    totalMs: given("totalMs")
  })
}

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]

/** Names a proxy to whatever heeds the environment, until the scope ends. */
const withProxy = (address: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const variables = { NODE_USE_ENV_PROXY: "1", ...Object.fromEntries(proxyVariables.map((key) => [key, address])) }
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

/** What a fetch has led to. */
interface Seen {
  readonly page: { readonly text: string; readonly truncated: boolean } | undefined
  readonly maxBytes: number
  /** Bytes of memory. */
  readonly growth: number
  readonly sent: ReadonlyArray<http.IncomingHttpHeaders>
  readonly proxied: number
}

const invariants: Readonly<Record<string, (seen: Seen) => boolean>> = {
  "returned<=maxBytes": ({ maxBytes, page }) => Buffer.byteLength(page?.text ?? "") <= maxBytes,
  "truncated=true": ({ page }) => page?.truncated === true,
  "rssGrowth<=64MiB": ({ growth }) => growth <= 64 * 1024 * 1024,
  "noAuthorizationSent=true": ({ sent }) =>
    sent.every((headers) => headers.authorization === undefined && headers["proxy-authorization"] === undefined),
  "proxyUsed=false": ({ proxied }) => proxied === 0
}

/** Whether it is checked, by the words of a case. */
export const isKnown = (words: string): boolean => Object.hasOwn(invariants, words)

/**
 * Fetches from a server on the loopback that the rules open under the name in the URL, on a port of its own, by HTTPS only
 * where the case is about a certificate. Waits last a second at most.
 */
export const judgeAnswered = (input: UrlInput, demanded: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const judged = judgeUrl(input.url, rulesOf(input))
    if (Either.isLeft(judged)) return { verdict: judged.left, violated: [] }
    const { host, url: named } = judged.right
    const sent: Array<http.IncomingHttpHeaders> = []
    const handler: http.RequestListener = (request, response) => {
      sent.push(request.headers)
      answer(input.response ?? {}, response)
    }
    const secure = input.response?.tls !== undefined
    const server = yield* Loopback.serve(
      secure ? https.createServer(selfSigned(host), handler) : http.createServer(handler)
    )
    const proxy = yield* Loopback.serve(http.createServer((_, response) => response.end("by proxy")))
    if (input.env !== undefined) yield* withProxy(`http://127.0.0.1:${proxy.port}`)
    const rules = NetworkRules.make({
      ...rulesOf(input),
      optIn: [HostPattern.make({ host, below: false, port: server.port })],
      limits: limitsOf(input)
    })
    const resolver = Layer.succeed(Resolver, { lookup: () => Effect.succeed(["127.0.0.1"]) })
    const guard = Layer.provide(GuardedFetch.layerGuard(rules), Layer.merge(resolver, Wire.layer))
    const memory = process.memoryUsage().rss
    const url = `${secure ? "https" : "http"}://${host}:${server.port}${named.pathname}${named.search}`
    const result = yield* Effect.flatMap(GuardedFetch, ({ fetch }) => fetch({ url })).pipe(
      Effect.either,
      Effect.provide(guard)
    )
    const seen: Seen = {
      page: Either.getOrUndefined(result),
      maxBytes: rules.limits.maxBytes,
      growth: process.memoryUsage().rss - memory,
      sent,
      proxied: proxy.connections()
    }
    const violated = demanded.filter((words) => invariants[words]?.(seen) === false)
    return { verdict: verdictOf(result), violated }
  }).pipe(Effect.scoped)
