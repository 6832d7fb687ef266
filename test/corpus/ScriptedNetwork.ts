import { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FetchFailed } from "../../src/policy/network/FetchError.ts"
import { Resolver } from "../../src/policy/network/Resolver.ts"
import { Wire, type WireRequest } from "../../src/policy/network/Wire.ts"

export interface ScriptedReply {
  readonly status?: number
  readonly location?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * A network that never leaves the process, and what was asked of it. `dns` has what the first lookup of a host answers, the
 * second …; a URL without a reply answers 200.
 */
export const scriptedNetwork = (
  dns: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {},
  replies: Readonly<Record<string, ScriptedReply>> = {},
  unreachable: ReadonlyArray<string> = []
) => {
  const lookups: Array<string> = []
  const requests: Array<WireRequest> = []
  const resolver = Layer.succeed(Resolver, {
    lookup: (host) =>
      Effect.suspend(() => {
        const answers = Object.hasOwn(dns, host) ? dns[host] : undefined
        const nth = lookups.filter((_) => _ === host).length
        lookups.push(host)
        const found = answers?.[Math.min(nth, answers.length - 1)]
        return found
          ? Effect.succeed(found)
          : Effect.fail(new FetchFailed({ url: host, stage: "resolve", reason: "no such name" }))
      })
  })
  const wire = Layer.succeed(Wire, {
    exchange: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        if (unreachable.includes(request.address)) {
          return Effect.fail(new FetchFailed({ url: request.target.url.href, stage: "connect", reason: "refused" }))
        }
        const { href } = request.target.url
        const reply = (Object.hasOwn(replies, href) ? replies[href] : undefined) ?? {}
        return Effect.succeed({
          status: reply.status ?? 200,
          headers: { ...reply.headers, ...(reply.location !== undefined && { location: reply.location }) },
          body: Readable.from([Buffer.from(reply.body ?? "ok")])
        })
      })
  })
  return { lookups, requests, layer: Layer.merge(resolver, wire) }
}
