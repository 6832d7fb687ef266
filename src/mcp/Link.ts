import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type * as Library from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { flow } from "effect/Function"
import type * as Scope from "effect/Scope"
import type { ProcessCommand } from "../process/ProcessCommand.ts"
import { isDeepValue } from "../text/Json.ts"
import { legible } from "../text/legible.ts"
import { boundedFetch } from "./boundedFetch.ts"
import { failing, type Losing, losing } from "./brokenOff.ts"
import * as Digits from "./Digits.ts"
import type { Given } from "./Given.ts"
import { hearing } from "./hearing.ts"
import { deepest } from "./JsonRpc.ts"
import { isProgram, type KnownServer, sandboxOf } from "./KnownServer.ts"
import * as Bearer from "./login/Bearer.ts"
import { ServerUnavailable } from "./McpError.ts"
import type { HttpServer, ProgramServer } from "./McpServer.ts"
import { asSaid, ownProgram } from "./ownProgram.ts"
import * as ProgramTransport from "./ProgramTransport.ts"
import { disguised } from "./ProtoName.ts"
import * as Reconnecting from "./Reconnecting.ts"
import type { Surroundings } from "./Surroundings.ts"

/** The way to a server. */
export interface Link {
  readonly transport: Transport
  /** Why there is nothing at its other end any more; nothing where it does not know. */
  readonly why: () => string | undefined
  /** Whether a request failed because its answer cannot come any more. */
  readonly isBrokenOff: (data: unknown) => boolean
}

/** Bytes of a message of a server that is reached by HTTP. */
const longestMessage = 32 * 1024 * 1024

/** What is used of the messages of a server: answers that cannot be fail their requests, and nothing else of the kind is heard. */
const usable =
  (digits: Digits.Digits, { lost }: Losing) =>
  (message: JSONRPCMessage): JSONRPCMessage | undefined => {
    const why = isDeepValue(message, deepest)
      ? "its answer is nested too deep"
      : digits.isCrowded(message)
        ? "its answer has too many numbers that would be read as others"
        : undefined
    if (why === undefined) return digits.tell(message)
    return "method" in message || message.id === undefined ? undefined : lost(message.id, why)
  }

const toProgram = (
  known: KnownServer,
  { command }: ProgramServer,
  given: Given,
  { confine, directory, environment, processes }: Surroundings
): Effect.Effect<Link, ServerUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const unavailable = (reason: string) => new ServerUnavailable({ server: known.name, operation: "start", reason })
    // What a trusted project brings is its own.
    const program = yield* Either.mapLeft(
      known.origin === "project" ? Either.right(asSaid(command)) : ownProgram(command),
      unavailable
    )
    const plain: ProcessCommand = {
      cwd: directory,
      ...program,
      env: { ...environment, ...program.env, ...given },
      grace: "1 second"
    }
    const allowed = sandboxOf(known)
    const started =
      allowed === undefined
        ? plain
        : yield* Effect.mapError(confine(plain, allowed), ({ message }) => unavailable(message.replace(/\.$/, "")))
    const digits = Digits.make()
    const transport = yield* ProgramTransport.make(processes, started, scope, flow(disguised, digits.keep))
    hearing(transport, usable(digits, transport))
    return {
      transport,
      isBrokenOff: transport.isBrokenOff,
      why: () => {
        const said = transport.said().trim()
        const gone = transport.gone()
        return gone === undefined ? undefined : said === "" ? gone : `${gone}; it said: ${legible(said, 300)}`
      }
    }
  })

const toUrl = (
  known: KnownServer,
  server: HttpServer,
  given: Given,
  { login, network, variable }: Surroundings,
  { StreamableHTTPClientTransport }: typeof Library
): Effect.Effect<Link> =>
  Effect.gen(function* () {
    const bearer = yield* Bearer.make({ known, server, login, rules: network, variable })
    const { heard, reconnectionScheduler } = yield* Reconnecting.make
    const digits = Digits.make()
    const means = losing()
    const way = failing(
      new StreamableHTTPClientTransport(new URL(server.url), {
        fetch: boundedFetch(longestMessage, flow(disguised, digits.keep), means),
        requestInit: { headers: given },
        reconnectionScheduler,
        // What the user has configured counts before a login.
        ...(Object.keys(given).some((name) => name.toLowerCase() === "authorization") ? {} : { authProvider: bearer })
      }),
      means
    )
    const used = usable(digits, way)
    hearing(way.transport, (message) => {
      heard()
      return used(message)
    })
    return { ...way, why: () => undefined }
  })

/** Makes the way to a server, which ends with the scope. */
export const make = (
  known: KnownServer,
  given: Given,
  surroundings: Surroundings,
  library: typeof Library
): Effect.Effect<Link, ServerUnavailable, Scope.Scope> =>
  isProgram(known.server)
    ? toProgram(known, known.server, given, surroundings)
    : toUrl(known, known.server, given, surroundings, library)
