import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type AccessScope, Approving, type Caller, cookieName, Known, Operating, Viewing } from "./Access.ts"
import { Forbidden, TooManyRequests, Unauthorized } from "./ApiError.ts"
import { Limits } from "./Limits.ts"
import { Listening } from "./Listening.ts"
import { Logins } from "./Logins.ts"
import { Rates } from "./Rates.ts"
import { Tokens } from "./Tokens.ts"

/** The cookie of this server: cookies of one name are shared by all ports of a machine. */
export const ownCookie = (port: number): string => `${cookieName}-${port}`

const unauthorized = new Unauthorized({
  message: "A token is needed: send Authorization: Bearer TOKEN, or log in by POST /v1/login."
})

const invalid = new Unauthorized({
  message:
    "This token does not count: it is wrong, has expired or was revoked. tollgate tokens list shows those that do."
})

/** The caller that a token or a cookie belongs to; who guesses is told to stop, and never others of the same address. */
export const recognised = (find: Effect.Effect<Option.Option<Caller["Type"]>>, refused = invalid) =>
  Effect.gen(function* () {
    const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
    const { failuresPerMinute } = yield* Limits
    const { take } = yield* Rates
    const key = `failure ${Option.getOrElse(remoteAddress, () => "")}`
    const found = yield* find
    if (Option.isSome(found)) return found.value
    if (yield* take(key, { perSecond: failuresPerMinute / 60, burst: failuresPerMinute })) return yield* refused
    return yield* new TooManyRequests({
      message: `More than ${failuresPerMinute} tokens a minute were wrong; look for the program that sends an old one.`,
      retryAfter: 1
    })
  })

/** Looks whose the header of a request is now, or its cookie if it has none; nothing where it has neither. */
const claim = Effect.gen(function* () {
  const { cookies, headers } = yield* HttpServerRequest.HttpServerRequest
  const header = headers["authorization"]
  if (header !== undefined) {
    const [, token] = /^Bearer +([\w-]{1,200})$/i.exec(header) ?? []
    const { find } = yield* Tokens
    return token === undefined ? Effect.succeedNone : find(token)
  }
  const cookie = cookies[ownCookie((yield* Listening).port)]
  return cookie === undefined ? undefined : (yield* Logins).find(cookie)
})

/** Who sends a request. */
export const callerOf = Effect.flatMap(claim, (find) => (find === undefined ? unauthorized : recognised(find)))

/** How often a stream looks whether it may go on. */
const glance = "500 millis"

/** Whether the token of a request still counts, and the moment when it no longer does, for what lasts longer than an answer. */
export const standing = Effect.map(claim, (find = Effect.succeedNone) => {
  const counts = Effect.map(find, Option.isSome)
  return { counts, ended: Effect.asVoid(Effect.repeat(Effect.delay(counts, glance), { while: (still) => still })) }
})

/** Fails where a caller asks too often. */
export const inTime = (name: string) =>
  Effect.gen(function* () {
    const { requestsPerSecond } = yield* Limits
    const { take } = yield* Rates
    if (yield* take(`caller ${name}`, { perSecond: requestsPerSecond, burst: 2 * requestsPerSecond })) return
    return yield* new TooManyRequests({
      message: `More than ${requestsPerSecond} requests a second; send them more slowly.`,
      retryAfter: 1
    })
  })

/** Who sends a request, if they may do what it asks, and as often. */
export const allowed = (scope: AccessScope | undefined) =>
  Effect.gen(function* () {
    const caller = yield* callerOf
    yield* inTime(caller.name)
    if (scope === undefined || caller.scopes.includes(scope)) return caller
    return yield* new Forbidden({ message: `This needs a token with the scope ${scope}.` })
  })

/** Why a request is refused. */
export type Denied = Unauthorized | Forbidden | TooManyRequests

/** What requests are judged with. */
export type Judging = Tokens | Logins | Listening | Rates

/** What the middleware of the groups wants of a request. */
export const layer: Layer.Layer<Viewing | Operating | Approving | Known, never, Judging> = Layer.effectContext(
  Effect.map(Effect.context<Judging>(), (context) => {
    const judge = (scope: AccessScope | undefined) => {
      // Both ways of showing a token are looked at in one step, which is taken once for each request.
      const known = new WeakMap<HttpServerRequest.HttpServerRequest, Exit.Exit<Caller["Type"], Denied>>()
      const one = () =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const found = known.get(request)
          return (
            found ??
            Effect.flatten(
              Effect.tap(Effect.exit(Effect.provide(allowed(scope), context)), (exit) =>
                Effect.sync(() => known.set(request, exit))
              )
            )
          )
        })
      return { bearer: one, cookie: one }
    }
    return Context.empty().pipe(
      Context.add(Viewing, judge("view")),
      Context.add(Operating, judge("operate")),
      Context.add(Approving, judge("approve")),
      Context.add(Known, judge(undefined))
    )
  })
)
