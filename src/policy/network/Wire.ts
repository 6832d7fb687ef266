import * as http from "node:http"
import * as https from "node:https"
import type { Readable } from "node:stream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { FetchFailed, shown } from "./FetchError.ts"
import type { Target } from "./UrlPolicy.ts"

export interface WireRequest {
  readonly target: Target
  /** The judged address; nothing else is connected to. */
  readonly address: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly maxHeaderBytes: number
}

export interface WireReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** As sent, not decoded; dies with the scope. */
  readonly body: Readable
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  HPE_HEADER_OVERFLOW: "the headers are larger than limits.maxHeaderBytes"
}

const unreachable = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "ETIMEDOUT"])

const failed = (request: WireRequest, cause: NodeJS.ErrnoException): FetchFailed =>
  new FetchFailed({
    url: shown(request.target.url.href),
    stage: cause.code !== undefined && unreachable.has(cause.code) ? "connect" : "headers",
    reason: (cause.code && reasons[cause.code]) ?? `the exchange failed (${cause.code ?? cause.message})`,
    cause
  })

/** A connection of its own, to the address alone: no second lookup, no proxy, no kept socket, no lowered TLS checks. */
const options = ({ address, headers, maxHeaderBytes, target }: WireRequest): https.RequestOptions => ({
  host: address,
  port: target.port,
  path: `${target.url.pathname}${target.url.search}`,
  headers: { ...headers, host: target.url.host },
  agent: false,
  insecureHTTPParser: false,
  maxHeaderSize: maxHeaderBytes,
  rejectUnauthorized: true,
  ...(target.literal === undefined && { servername: target.host })
})

/** One HTTP exchange with one address: no redirects, no retries. Closing the scope cuts the connection. */
export class Wire extends Context.Tag("tollgate/policy/network/Wire")<
  Wire,
  { readonly exchange: (request: WireRequest) => Effect.Effect<WireReply, FetchFailed, Scope.Scope> }
>() {
  static readonly layer = Layer.succeed(Wire, {
    exchange: Effect.fn("Wire.exchange")(function* (request: WireRequest) {
      const client = request.target.url.protocol === "https:" ? https : http
      const call = yield* Effect.acquireRelease(
        Effect.try({
          try: () => client.request(options(request)).on("error", () => {}),
          catch: (cause) => failed(request, cause as NodeJS.ErrnoException)
        }),
        (_) => Effect.sync(() => _.destroy())
      )
      return yield* Effect.async<WireReply, FetchFailed>((resume) => {
        call.once("error", (cause) => resume(Effect.fail(failed(request, cause))))
        call.once("response", (body) =>
          resume(Effect.succeed({ status: body.statusCode ?? 0, headers: body.headers, body }))
        )
        call.end()
      })
    })
  })
}
