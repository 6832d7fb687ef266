import type { CallToolResult, Client, Transport } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Processes } from "../process/Processes.ts"
import type { NetworkRules } from "../policy/network/NetworkRules.ts"
import { legible } from "../text/legible.ts"
import { version } from "../version.ts"
import { identityOf, isProgram, type KnownServer } from "./KnownServer.ts"
import * as Bearer from "./login/Bearer.ts"
import type { Login } from "./login/Login.ts"
import { LoginNeeded } from "./login/LoginError.ts"
import * as Manifest from "./Manifest.ts"
import { ServerFailed, ServerUnavailable } from "./McpError.ts"
import * as ProgramTransport from "./ProgramTransport.ts"
import type { StateFile } from "./StateFile.ts"
import { veiling } from "./veiled.ts"

/** How far a call is, by the server's word. */
export interface ServerProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A started server. */
export interface Connection {
  /** What it offers now. */
  readonly list: Effect.Effect<Manifest.Manifest, ServerUnavailable>
  /** Asks something of it; interrupting it cancels the request there. */
  readonly request: <A>(
    operation: string,
    ask: (client: Client, options: RequestOptions) => Promise<A>,
    hear?: (progress: ServerProgress) => void
  ) => Effect.Effect<A, ServerFailed>
  /** Why it cannot be asked any more. */
  readonly gone: () => string | undefined
}

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly timeout: number
  readonly onprogress: (progress: ServerProgress) => void
  readonly resetTimeoutOnProgress: true
}

/** What a connection needs besides its server. */
export interface Surroundings {
  /** Where programs run. */
  readonly directory: string
  /** The whole environment that every program gets. */
  readonly environment: Readonly<Record<string, string>>
  /** The value of a variable of the user. */
  readonly variable: (name: string) => Option.Option<Redacted.Redacted>
  readonly processes: Processes["Type"]
  /** The user's login at a server that is reached by a URL. */
  readonly login: StateFile<Login>
  /** What addresses may be asked for a login. */
  readonly network: NetworkRules
  /** The lists of the server have changed. */
  readonly changed: () => void
}

/** The longest that a timer takes; our own stack ends requests, not the library. */
const forever = 2 ** 31 - 1

const defaults = { connect: Duration.seconds(10), list: Duration.seconds(10) }

/** Pages of a list. */
const mostPages = 64

const isLoginNeeded = Schema.is(LoginNeeded)

const words = (error: unknown): string => {
  if (isLoginNeeded(error)) return error.message
  const text = error instanceof Error ? error.message : String(error)
  return legible(text, 300)
}

/** The values that a record of references stands for. */
const resolved = (
  name: string,
  references: Readonly<Record<string, string>>,
  variable: Surroundings["variable"]
): Effect.Effect<Record<string, string>, ServerUnavailable> =>
  Effect.gen(function* () {
    const values: Record<string, string> = {}
    for (const [key, reference] of Object.entries(references)) {
      const [, before = "", wanted = ""] = /^(.*?)env:(.*)$/s.exec(reference) ?? []
      const value = variable(wanted)
      if (Option.isNone(value)) {
        const reason = `${key} is ${wanted} of your environment, which is not set`
        return yield* new ServerUnavailable({ server: name, operation: "start", reason })
      }
      values[key] = `${before}${Redacted.value(value.value)}`
    }
    return values
  })

/** The newest revision that a server may insist on. */
const modern = "2026-07-28"

/** Connects to a server until the scope closes. */
export const open = (
  known: KnownServer,
  { changed, directory, environment, login, network, processes, variable }: Surroundings
): Effect.Effect<Connection, ServerUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { name, server } = known
    const scope = yield* Effect.scope
    const library = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
    const unavailable = (operation: string, reason: string) =>
      new ServerUnavailable({ server: name, operation, reason })

    const references = isProgram(server) ? server.env : server.headers
    const values = { ...known.given, ...(yield* resolved(name, references ?? {}, variable)) }
    const { connect: patience = defaults.connect, list: listing = defaults.list } = server.timeouts ?? {}

    const made: Effect.Effect<{ readonly transport: Transport; readonly why: () => string | undefined }> = isProgram(
      server
    )
      ? Effect.map(
          ProgramTransport.make(
            processes,
            {
              file: server.command[0],
              args: server.command.slice(1),
              cwd: directory,
              env: { ...environment, ...values },
              grace: "1 second"
            },
            scope
          ),
          (transport) => ({
            transport,
            why: () => {
              const said = transport.said().trim()
              const gone = transport.gone()
              return gone === undefined ? undefined : said === "" ? gone : `${gone}; it said: ${legible(said, 300)}`
            }
          })
        )
      : Effect.map(Bearer.make({ known, server, login, rules: network, variable }), (bearer) => ({
          transport: new library.StreamableHTTPClientTransport(new URL(server.url), {
            // A redirect would take the headers to another place.
            requestInit: { headers: values, redirect: "error" },
            // What the user has configured counts before a login.
            ...(Object.keys(values).some((name) => name.toLowerCase() === "authorization")
              ? {}
              : { authProvider: bearer })
          }),
          why: () => undefined
        }))

    let gone: string | undefined
    const attempt = (mode: "legacy" | "auto" | { readonly pin: string }) =>
      Effect.gen(function* () {
        const { transport, why } = yield* made
        const client = new library.Client(
          { name: "tollgate", version },
          {
            capabilities: {},
            versionNegotiation: { mode: typeof mode === "string" ? mode : { ...mode } },
            listMaxPages: mostPages,
            listChanged: {
              tools: { autoRefresh: false, debounceMs: 0, onChanged: changed },
              prompts: { autoRefresh: false, debounceMs: 0, onChanged: changed }
            }
          }
        )
        const over = yield* Deferred.make<string>()
        Object.assign(client, {
          onerror: () => {},
          onclose: () => {
            gone ??= why() ?? "the connection was closed"
            Deferred.unsafeDone(over, Effect.succeed(gone))
          }
        })
        yield* Scope.addFinalizer(scope, Effect.ignore(Effect.tryPromise(() => client.close())))
        gone = undefined
        const connected = Effect.tryPromise({
          try: () => client.connect(transport, { timeout: Duration.toMillis(patience) }),
          catch: (error) => unavailable("connect", why() ?? words(error))
        })
        yield* Effect.timeoutFail(connected, {
          duration: patience,
          onTimeout: () => unavailable("connect", `no answer within ${Duration.format(patience)}`)
        }).pipe(Effect.tapError(() => Effect.ignore(Effect.tryPromise(() => client.close()))))
        return { client, over }
      })
    const { client, over } = yield* isProgram(server)
      ? Effect.catchAll(attempt("legacy"), (first) =>
          // A server of the newest revision alone refuses the older greeting.
          /protocol version|not found|-320(?:20|21|22)|-32601/i.test(first.reason)
            ? Effect.catchAll(attempt({ pin: modern }), () => first)
            : first
        )
      : attempt("auto")

    // What a server was given it may say again: to no model, and in no event.
    const own = [...Object.values(known.given), ...Object.values(values)]
    let veil = { token: "", of: veiling(own) }
    const veiled = Effect.map(
      Effect.orElseSucceed(login.read, () => undefined),
      (found) => {
        const { accessToken = "", refreshToken = "" } = isProgram(server) ? {} : (found ?? {})
        if (veil.token !== accessToken) veil = { token: accessToken, of: veiling([...own, accessToken, refreshToken]) }
        return veil.of
      }
    )

    const request: Connection["request"] = (operation, ask, hear = () => {}) =>
      Effect.suspend(() => {
        const failed = (reason: string, unknown: boolean) =>
          new ServerFailed({ server: name, operation, reason, unknown })
        if (gone !== undefined) return failed(gone, false)
        const given = Effect.tryPromise({
          try: (signal) => ask(client, { signal, timeout: forever, onprogress: hear, resetTimeoutOnProgress: true }),
          catch: (error) =>
            gone !== undefined ? failed(gone, true) : failed(words(error), !(error instanceof library.ProtocolError))
        })
        const asked = Effect.zipWith(given, veiled, (result, of) => of(result))
        const lost = Effect.flatMap(Deferred.await(over), (reason) => failed(reason, true))
        return Effect.raceFirst(asked, lost)
      })

    const list = Effect.gen(function* () {
      const capabilities = client.getServerCapabilities() ?? {}
      const problems: Array<string> = []
      const offers = new Map<string, Manifest.Offer>()
      const page = <A>(what: string, ask: (options: { signal: AbortSignal; timeout: number }) => Promise<A>) =>
        Effect.mapError(
          request(what, (_, { signal, timeout }) => ask({ signal, timeout })),
          ({ reason }) => unavailable("list", reason)
        )
      const take = (kind: Manifest.Offer["kind"], entries: ReadonlyArray<unknown>) => {
        for (const entry of entries) {
          const offer = Manifest.offerOf(kind, entry)
          if (typeof offer === "string") problems.push(`left out: ${offer}`)
          else if (offers.has(Manifest.keyOf(offer)))
            problems.push(`left out: a second ${kind} ${legible(offer.name, 80)}`)
          else if (offers.size >= Manifest.most.offers) {
            problems.push(`left out: all beyond the first ${Manifest.most.offers}`)
            return
          } else offers.set(Manifest.keyOf(offer), offer)
        }
      }
      const fresh = { cacheMode: "refresh" } as const
      if (capabilities.tools !== undefined)
        take(
          "tool",
          (yield* page("tools/list", (options) => client.listTools(undefined, { ...options, ...fresh }))).tools
        )
      if (capabilities.prompts !== undefined)
        take(
          "prompt",
          (yield* page("prompts/list", (options) => client.listPrompts(undefined, { ...options, ...fresh }))).prompts
        )
      if (capabilities.resources !== undefined) {
        const templates = yield* Effect.option(
          page("resources/templates/list", (options) =>
            client.listResourceTemplates(undefined, { ...options, ...fresh })
          )
        )
        if (Option.isSome(templates)) take("template", templates.value.resourceTemplates)
      }
      const said = client.getServerVersion()
      return Manifest.Manifest.make({
        version: 1,
        identity: identityOf(known),
        server: { name: legible(said?.name ?? name, 80), version: legible(said?.version ?? "", 40) },
        protocol: client.getNegotiatedProtocolVersion() ?? "",
        listedAt: yield* Clock.currentTimeMillis,
        offers: [...offers.values()],
        resources: capabilities.resources !== undefined,
        problems: problems.slice(0, 20)
      })
    }).pipe(
      Effect.timeoutFail({
        duration: listing,
        onTimeout: () => unavailable("list", `no list within ${Duration.format(listing)}`)
      })
    )
    return { list, request, gone: () => gone }
  })

/** What a tool of a server gave. */
export type CallResult = CallToolResult
