import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { deny, type Verdict } from "../Verdict.ts"
import { judgeEncoding, readBody } from "./Body.ts"
import { connect } from "./Connection.ts"
import { FetchFailed, FetchRefused, shown } from "./FetchError.ts"
import { type FetchedPage, page } from "./FetchedPage.ts"
import { defaultRules, type NetworkRules } from "./NetworkRules.ts"
import { judgeHeaders, type RequestHeaders, requestHeaders, withoutCredentials } from "./RequestHeaders.ts"
import { retryAfterMillis } from "./retryAfter.ts"
import { Resolver } from "./Resolver.ts"
import { judgeRedirect, judgeUrl, type Target } from "./UrlPolicy.ts"
import { Wire, type WireReply } from "./Wire.ts"
import { duration } from "../../text/duration.ts"

export interface FetchRequest {
  readonly url: string
  /** Those that could tell who is asking are not sent on to another origin. */
  readonly headers?: RequestHeaders
  /** Judges the target of a redirect, besides the rules; a target it does not allow is refused. */
  readonly judge?: (target: Target) => Verdict
}

interface Hop {
  readonly target: Target
  readonly headers: RequestHeaders
  readonly visited: ReadonlyArray<string>
}

const redirectStatus = new Set([301, 302, 303, 307, 308])

/** Node reads header bytes as Latin-1; a server that does not escape a location means UTF-8. */
const locationOf = ({ headers, status }: WireReply): string | undefined => {
  const { location } = headers
  return redirectStatus.has(status) && typeof location === "string"
    ? Buffer.from(location, "latin1").toString("utf8")
    : undefined
}

const nextHop = (
  hop: Hop,
  location: string,
  rules: NetworkRules,
  judge: FetchRequest["judge"]
): Either.Either<Hop, Verdict> =>
  Either.flatMap(judgeRedirect(hop.target, location, rules), (target) => {
    const visited = [...hop.visited, hop.target.url.href]
    if (visited.includes(target.url.href)) return Either.left(deny("network/redirect-loop", "it redirects in a loop"))
    if (visited.length > rules.maxRedirects) {
      return Either.left(deny("network/redirect-limit", `it redirects more than ${rules.maxRedirects} times`))
    }
    const judged = judge?.(target)
    if (judged !== undefined && judged.decision !== "allow") return Either.left(judged)
    const same = target.url.origin === hop.target.url.origin
    return Either.right({ target, visited, headers: same ? hop.headers : withoutCredentials(hop.headers) })
  })

/** One hop: the page, or where the server sends us; the connection is closed by then. */
const visit = Effect.fnUntraced(function* ({ headers, target }: Hop, rules: NetworkRules) {
  const reply = yield* connect(target, headers, rules)
  const location = locationOf(reply)
  if (location !== undefined) return { location }
  const refused = judgeEncoding(reply)
  if (refused) return yield* FetchRefused.from(target.url.href, refused)
  const body = yield* readBody(shown(target.url.href), reply, rules.limits)
  const contentType = [reply.headers["content-type"] ?? ""].flat()[0] ?? ""
  const { maxBytes } = rules.limits
  const found = page({ status: reply.status, url: target.url.href, contentType, maxBytes, ...body })
  const after = retryAfterMillis(reply.headers, yield* Clock.currentTimeMillis)
  return { page: after === undefined ? found : { ...found, retryAfterMillis: after } }
}, Effect.scoped)

const run = Effect.fnUntraced(function* (request: FetchRequest, rules: NetworkRules) {
  const headers = request.headers ?? {}
  const refused = judgeHeaders(headers)
  const start = refused ? Either.left(refused) : judgeUrl(request.url, rules)
  let next = Either.map(start, (target): Hop => ({ target, headers: requestHeaders(headers), visited: [] }))
  let url = request.url
  while (Either.isRight(next)) {
    const hop: Hop = next.right
    url = hop.target.url.href
    const seen = yield* visit(hop, rules)
    if (seen.page) return seen.page
    next = nextHop(hop, seen.location, rules, request.judge)
  }
  return yield* FetchRefused.from(url, next.left)
})

/**
 * Reads public pages and nothing else: every hop is judged by its URL and by all its addresses, and the connection goes
 * to a judged address. Ignores proxy settings, keeps no cookies, and holds no more of a body than `limits.maxBytes`.
 */
export class GuardedFetch extends Context.Tag("tollgate/policy/network/GuardedFetch")<
  GuardedFetch,
  { readonly fetch: (request: FetchRequest) => Effect.Effect<FetchedPage, FetchRefused | FetchFailed> }
>() {
  /** Leaves the lookup and the wire open, for tests that answer themselves. */
  static readonly layerGuard = (rules: NetworkRules) =>
    Layer.effect(
      GuardedFetch,
      Effect.map(Effect.all([Resolver, Wire]), ([resolver, wire]) => ({
        fetch: Effect.fn("GuardedFetch.fetch")((request: FetchRequest) =>
          run(request, rules).pipe(
            Effect.timeoutFail({
              duration: rules.limits.totalMs,
              onTimeout: () =>
                new FetchFailed({
                  url: shown(request.url),
                  stage: "body",
                  reason: `it took longer than ${duration(rules.limits.totalMs)} (limits.totalMs)`
                })
            }),
            Effect.provide(Context.make(Resolver, resolver).pipe(Context.add(Wire, wire)))
          )
        )
      }))
    )

  static readonly layer = (rules: NetworkRules = defaultRules) =>
    GuardedFetch.layerGuard(rules).pipe(Layer.provide([Resolver.layer, Wire.layer]))
}
