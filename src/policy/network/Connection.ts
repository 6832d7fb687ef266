import * as Effect from "effect/Effect"
import { FetchFailed, FetchRefused, shown } from "./FetchError.ts"
import type { NetworkRules } from "./NetworkRules.ts"
import type { RequestHeaders } from "./RequestHeaders.ts"
import { Resolver } from "./Resolver.ts"
import { judgeAddress, type Target } from "./UrlPolicy.ts"
import { Wire } from "./Wire.ts"
import { duration } from "../../text/duration.ts"

/** How many addresses of a host are tried. */
const attempts = 3

/** Looks a host up once and judges every answer, since any of them could be connected to. */
const addresses = Effect.fnUntraced(function* ({ host, literal, port, url }: Target, rules: NetworkRules) {
  if (literal !== undefined) return [literal] as const
  const [first, ...others] = yield* Effect.flatMap(Resolver, (_) => _.lookup(host))
  if (first === undefined) {
    return yield* new FetchRefused({
      url: shown(url.href),
      rule: "network/no-address",
      reason: `${host} has no address; check its spelling`
    })
  }
  const denied = [first, ...others].map((_) => judgeAddress(_, host, port, rules)).find((_) => _.decision === "deny")
  return denied ? yield* FetchRefused.from(url.href, denied) : ([first, ...others] as const)
})

const unreachable = (_: FetchFailed) => _.stage === "connect"

/** Gets the headers of an answer from the first judged address that can be reached. */
export const connect = Effect.fnUntraced(function* (target: Target, headers: RequestHeaders, rules: NetworkRules) {
  const { headersMs, maxHeaderBytes } = rules.limits
  const [first, ...others] = yield* addresses(target, rules)
  const wire = yield* Wire
  const exchange = (address: string) => wire.exchange({ target, address, headers, maxHeaderBytes })
  return yield* others
    .slice(0, attempts - 1)
    .reduce((before, address) => Effect.catchIf(before, unreachable, () => exchange(address)), exchange(first))
    .pipe(
      Effect.timeoutFail({
        duration: headersMs,
        onTimeout: () =>
          new FetchFailed({
            url: shown(target.url.href),
            stage: "headers",
            reason: `no complete headers within ${duration(headersMs)} (limits.headersMs)`
          })
      })
    )
})
