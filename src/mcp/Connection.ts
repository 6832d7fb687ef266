import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Askers from "./Askers.ts"
import type { Asking, Requesting, Round } from "./Asking.ts"
import * as Attempt from "./Attempt.ts"
import { type Audience, nobody } from "./Audience.ts"
import { givenTo } from "./Given.ts"
import * as Inquiry from "./Inquiry.ts"
import type { KnownServer } from "./KnownServer.ts"
import { listed } from "./listed.ts"
import type * as Manifest from "./Manifest.ts"
import { ServerFailed, type ServerUnavailable } from "./McpError.ts"
import { refusalOf } from "./refusal.ts"
import type { Surroundings } from "./Surroundings.ts"
import * as Veil from "./Veil.ts"

/** A started server. */
export interface Connection {
  /** What it offers now. */
  readonly list: Effect.Effect<Manifest.Manifest, ServerUnavailable>
  /** Asks something of it, and answers what it needs for that; interrupting it cancels the request there. */
  readonly request: Requesting
  /** Why it cannot be asked any more. */
  readonly gone: () => string | undefined
}

/** Times that a server may ask before it answers one request. */
const mostRounds = 10

/** The longest that a timer takes; our own stack ends requests, not the library. */
const forever = 2 ** 31 - 1

/** How long a list may take. */
const listing = Duration.seconds(10)

/** Connects to a server until the scope closes. */
export const open = (
  known: KnownServer,
  surroundings: Surroundings
): Effect.Effect<Connection, ServerUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { name, server } = known
    const library = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
    const given = yield* givenTo(known, surroundings.variable)
    const askers = yield* Askers.make(known)
    const veil = Veil.make(known, given, surroundings)
    const options = { known, given, surroundings, askers, library, veil: veil.last }
    const { client, gone, isBrokenOff, sieve } = yield* Attempt.make(options)

    const request: Requesting = <A>(operation: string, ask: Asking<A>, audience: Audience = nobody) =>
      Effect.suspend(() => {
        const failed = (reason: string, unknown: boolean) =>
          new ServerFailed({ server: name, operation, reason: veil.last(reason), unknown })
        const isModern = client.getProtocolEra() === "modern"
        const told = {
          ...(isModern && { [library.CLIENT_CAPABILITIES_META_KEY]: Inquiry.passed(known, audience.capabilities) }),
          ...(isModern && audience.logLevel !== undefined && { [library.LOG_LEVEL_META_KEY]: audience.logLevel })
        }
        const round = (given: Round, left: number): Effect.Effect<A, ServerFailed> =>
          Effect.suspend(() => {
            const before = gone()
            if (before !== undefined) return failed(before, false)
            const asked = Effect.tryPromise({
              try: (signal) =>
                ask(
                  client,
                  {
                    signal,
                    timeout: forever,
                    onprogress: (progress) => audience.hear(veil.last(progress)),
                    resetTimeoutOnProgress: true,
                    allowInputRequired: true
                  },
                  { ...given, ...(isModern && { _meta: told }) }
                ),
              catch: (error) => {
                const since = gone()
                if (since !== undefined) return failed(since, true)
                if (!(error instanceof library.ProtocolError)) {
                  const refusal = refusalOf(library, error)
                  if (refusal === undefined) return failed(Attempt.words(error, veil.last), true)
                  if (refusal.isOver) surroundings.doubted()
                  return failed(refusal.reason, false)
                }
                const { code, data, message } = error
                if (isBrokenOff(data)) return failed(message, true)
                audience.refused(
                  Inquiry.refusalShown(known, veil.last({ code, message, ...(data === undefined ? {} : { data }) }))
                )
                return failed(Attempt.words(error, veil.last), false)
              }
            })
            return Effect.flatMap(asked, (result) => {
              if (!library.isInputRequiredResult(result)) return Effect.succeed(result)
              if (left === 0) return failed(`it has asked ${mostRounds} times`, true)
              const { inputRequests = {}, requestState } = result
              return Effect.flatMap(askers.put(audience, veil.last(inputRequests)), (answers) =>
                round(
                  { inputResponses: { ...answers }, ...(requestState === undefined ? {} : { requestState }) },
                  left - 1
                )
              )
            })
          })
        return askers.while(audience, Effect.zipRight(veil.refresh, Effect.map(round({}, mostRounds), veil.last)))
      })

    const patience = server.timeouts?.list ?? listing
    return { list: listed({ known, client, request, sieve, patience }), request, gone }
  })
