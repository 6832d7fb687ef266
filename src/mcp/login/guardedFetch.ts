// @effect-diagnostics globalFetch:off - the library of the protocol takes a fetch
import type { FetchLike } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { NetworkRules } from "../../policy/network/NetworkRules.ts"
import { Resolver } from "../../policy/network/Resolver.ts"
import { judgeAddress, judgeUrl } from "../../policy/network/UrlPolicy.ts"
import { AddressRefused } from "./LoginError.ts"

/** Bytes of an answer of an authorization server. */
const mostBytes = 256 * 1024
const patience = "15 seconds"

const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)

/** Whether secrets may travel there: encrypted, or not beyond this machine. */
export const isSafe = (url: URL): boolean => url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))

/** Places that a server names are judged as those of a fetch; a server of this machine may name others of it. */
export const judged = (server: URL, url: URL, rules: NetworkRules): Effect.Effect<void, AddressRefused> =>
  Effect.gen(function* () {
    const refused = (reason: string) => new AddressRefused({ host: url.host, reason })
    if (!isSafe(url)) return yield* refused("it is not encrypted (https)")
    if (url.origin === server.origin || (isLoopback(server) && isLoopback(url))) return
    const found = judgeUrl(url.href, rules)
    if (Either.isLeft(found)) return yield* refused(found.left.reason)
    const { host, literal, port } = found.right
    if (literal !== undefined) return
    const resolver = yield* Resolver
    const addresses = yield* Effect.mapError(resolver.lookup(host), ({ reason }) => refused(reason))
    for (const address of addresses) {
      const { decision, reason } = judgeAddress(address, host, port, rules)
      if (decision !== "allow") return yield* refused(reason)
    }
  }).pipe(Effect.provide(Resolver.layer))

const whole = (url: URL, response: Response): Effect.Effect<Response, AddressRefused> =>
  Effect.gen(function* () {
    const refused = (reason: string) => new AddressRefused({ host: url.host, reason })
    const { body, headers, status } = response
    if (body === null) return new Response(null, { status, headers })
    const parts: Array<Uint8Array> = []
    let size = 0
    yield* Stream.fromReadableStream(
      () => body,
      () => refused("its answer broke off")
    ).pipe(
      Stream.runForEach((part) => {
        size += part.byteLength
        if (size > mostBytes) return refused(`its answer has more than ${mostBytes / 1024} KiB`)
        parts.push(part)
        return Effect.void
      })
    )
    return new Response(status === 204 || status === 304 ? null : Buffer.concat(parts), { status, headers })
  })

/**
 * A fetch for what belongs to a login at a server: to encrypted addresses that the rules of fetches let through, without
 * redirects, with bounded answers.
 */
export const guardedFetch =
  (server: URL, rules: NetworkRules): FetchLike =>
  (input, init) => {
    const url = new URL(String(input))
    const asked = Effect.zipRight(
      judged(server, url, rules),
      Effect.tryPromise({
        try: (signal) => fetch(url, { ...init, redirect: "manual", signal }),
        catch: () => new AddressRefused({ host: url.host, reason: "it cannot be reached" })
      })
    )
    return Effect.runPromise(
      asked.pipe(
        Effect.filterOrFail(
          ({ status }) => status < 300 || status >= 400,
          () => new AddressRefused({ host: url.host, reason: "it redirects elsewhere, which is not followed" })
        ),
        Effect.flatMap((response) => whole(url, response)),
        Effect.timeoutFail({
          duration: patience,
          onTimeout: () => new AddressRefused({ host: url.host, reason: `no answer within ${patience}` })
        }),
        Effect.either
      )
    ).then(Either.getOrThrowWith((refused) => refused))
  }
