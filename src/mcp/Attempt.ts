import type { Client, ResourceUpdatedNotification } from "@modelcontextprotocol/client"
import type * as Library from "@modelcontextprotocol/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { legible } from "../text/legible.ts"
import { version } from "../version.ts"
import type { Askers } from "./Askers.ts"
import { noResultChecks } from "./checked.ts"
import type { Given } from "./Given.ts"
import * as Inquiry from "./Inquiry.ts"
import { isProgram, type KnownServer } from "./KnownServer.ts"
import * as Link from "./Link.ts"
import { isLoginNeeded } from "./login/LoginError.ts"
import { ServerUnavailable } from "./McpError.ts"
import { NoMessage } from "./ProgramTransport.ts"
import { broken, misshapen, unwelcome } from "./refusal.ts"
import * as Sieve from "./Sieve.ts"
import type { Surroundings } from "./Surroundings.ts"
import type { Veil } from "./Veil.ts"

/** A client that a server has answered. */
export interface Attempt {
  readonly client: Client
  readonly isBrokenOff: Link.Link["isBrokenOff"]
  readonly sieve: Sieve.Sieve
  /** Why the server cannot be asked any more. */
  readonly gone: () => string | undefined
}

/** Pages of a list. */
const mostPages = 64

/** The newest revision that a server may insist on. */
const modern = "2026-07-28"

const patience = Duration.seconds(10)

const isNoMessage = Schema.is(NoMessage)

/** What an error of the library says. */
export const words = (error: unknown, veil: Veil): string => {
  if (isLoginNeeded(error)) return error.message
  return legible(
    veil(
      broken(error) ?? misshapen(error) ?? unwelcome(error) ?? (error instanceof Error ? error.message : String(error))
    ),
    300
  )
}

/** What a connection is made of. */
export interface AttemptOptions {
  readonly known: KnownServer
  readonly given: Given
  readonly surroundings: Surroundings
  readonly askers: Askers
  readonly library: typeof Library
  /** Over what the server says by itself. */
  readonly veil: Veil
}

/** Greets a server once. */
const attempted = (
  { askers, given, known, library, surroundings, veil }: AttemptOptions,
  mode: "legacy" | "auto" | { readonly pin: string }
): Effect.Effect<Attempt, ServerUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { name, server } = known
    const { changed, updated } = surroundings
    const { passes = [], timeouts: { connect: limit = patience } = {} } = server
    const unavailable = (reason: string) =>
      new ServerUnavailable({ server: name, operation: "connect", reason: veil(reason) })
    const { isBrokenOff, transport, why } = yield* Link.make(known, given, surroundings, library)
    const sieve = Sieve.make(transport, library)
    const client = new library.Client(
      { name: "tollgate", version },
      {
        capabilities: Inquiry.passed(known, {
          elicitation: { form: { applyDefaults: true }, url: {} },
          sampling: {},
          roots: {}
        }),
        versionNegotiation: { mode: typeof mode === "string" ? mode : { ...mode } },
        listMaxPages: mostPages,
        jsonSchemaValidator: noResultChecks,
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed("tools") },
          prompts: { autoRefresh: false, debounceMs: 0, onChanged: () => changed("prompts") },
          resources: { autoRefresh: false, debounceMs: 0, onChanged: () => changed("resources") }
        }
      }
    )
    client.setRequestHandler(
      "elicitation/create",
      (asked, { mcpReq }) => askers.answer(veil(asked), mcpReq.signal) as never
    )
    if (passes.includes("sampling"))
      client.setRequestHandler(
        "sampling/createMessage",
        (asked, { mcpReq }) => askers.answer(veil(asked), mcpReq.signal) as never
      )
    if (passes.includes("roots"))
      client.setRequestHandler("roots/list", (asked, { mcpReq }) => askers.answer(veil(asked), mcpReq.signal) as never)
    client.setNotificationHandler("notifications/message", ({ params }) => askers.log(veil(params)))
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }: Pick<ResourceUpdatedNotification, "params">) => updated(veil(params.uri))
    )
    let gone: string | undefined
    Object.assign(client, {
      onerror: (error: unknown) => {
        if (isNoMessage(error)) askers.log(veil({ level: "warning", logger: name, data: legible(error.message, 300) }))
      },
      onclose: () => {
        // What is asked for then fails by the library.
        gone ??= why() ?? "the connection was closed"
      }
    })
    const close = Effect.ignore(Effect.tryPromise(() => client.close()))
    yield* Effect.addFinalizer(() => close)
    const connected = Effect.tryPromise({
      try: () => client.connect(transport, { timeout: Duration.toMillis(limit) }),
      catch: (error) => unavailable(why() ?? words(error, veil))
    })
    yield* Effect.timeoutFail(connected, {
      duration: limit,
      onTimeout: () => unavailable(`no answer within ${Duration.format(limit)}`)
    }).pipe(Effect.tapError(() => close))
    return { client, isBrokenOff, sieve, gone: () => gone }
  })

/** Greets a server in the way that it is likely to know, and in the other one where it says that it does not. */
export const make = (options: AttemptOptions): Effect.Effect<Attempt, ServerUnavailable, Scope.Scope> =>
  isProgram(options.known.server)
    ? Effect.catchAll(attempted(options, "legacy"), (first) =>
        // A server of the newest revision alone refuses the older greeting.
        /protocol version|not found|-320(?:20|21|22)|-32601/i.test(first.reason)
          ? Effect.catchAll(attempted(options, { pin: modern }), () => first)
          : first
      )
    : attempted(options, "auto")
