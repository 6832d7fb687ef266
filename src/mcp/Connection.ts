import type {
  CallToolResult,
  InputRequest,
  InputResponse,
  ResourceUpdatedNotification,
  Transport
} from "@modelcontextprotocol/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { ProcessCommand } from "../process/ProcessCommand.ts"
import type { Processes } from "../process/Processes.ts"
import type { NetworkRules } from "../policy/network/NetworkRules.ts"
import { legible } from "../text/legible.ts"
import { version } from "../version.ts"
import type { Asking, Requesting, Round } from "./Asking.ts"
import { boundedFetch } from "./boundedFetch.ts"
import { failing } from "./brokenOff.ts"
import { type Answers, type Audience, declined, type Inquiries, nobody } from "./Audience.ts"
import * as Inquiry from "./Inquiry.ts"
import { isProgram, type KnownServer, sandboxOf } from "./KnownServer.ts"
import * as Bearer from "./login/Bearer.ts"
import type { Login } from "./login/Login.ts"
import { LoginNeeded } from "./login/LoginError.ts"
import { listed } from "./listed.ts"
import type * as Manifest from "./Manifest.ts"
import { ServerFailed, ServerUnavailable } from "./McpError.ts"
import * as ProgramTransport from "./ProgramTransport.ts"
import type { StateFile } from "./StateFile.ts"
import { veiling } from "./veiled.ts"

/** A started server. */
export interface Connection {
  /** What it offers now. */
  readonly list: Effect.Effect<Manifest.Manifest, ServerUnavailable>
  /** Asks something of it, and answers what it needs for that; interrupting it cancels the request there. */
  readonly request: Requesting
  /** Why it cannot be asked any more. */
  readonly gone: () => string | undefined
}

/** A list of a server that is asked for anew once it has changed. */
export type ListKind = "tools" | "prompts"

/** Puts the program of a server into the sandbox, or says why there is none. */
export type Confine = (
  command: ProcessCommand,
  allowed: { readonly network: boolean; readonly write: boolean }
) => Effect.Effect<ProcessCommand, { readonly message: string }>

/** What a connection needs besides its server. */
export interface Surroundings {
  /** Where programs run. */
  readonly directory: string
  /** The whole environment that every program gets. */
  readonly environment: Readonly<Record<string, string>>
  /** The value of a variable of the user. */
  readonly variable: (name: string) => Option.Option<Redacted.Redacted>
  readonly processes: Processes["Type"]
  /** The command as the sandbox runs it. */
  readonly confine: Confine
  /** The user's login at a server that is reached by a URL. */
  readonly login: StateFile<Login>
  /** What addresses may be asked for a login. */
  readonly network: NetworkRules
  /** The lists of the server have changed. */
  readonly changed: (kind: ListKind) => void
  /** A resource that is watched has changed, or the list of them. */
  readonly updated: (uri: string | undefined) => void
}

/** Times that a server may ask before it answers one request. */
const mostRounds = 10

/** Bytes of a message of a server that is reached by HTTP. */
const longestMessage = 32 * 1024 * 1024

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
  { changed, confine, directory, environment, login, network, processes, updated, variable }: Surroundings
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

    const started = (
      [file, ...args]: readonly [string, ...ReadonlyArray<string>],
      env: Readonly<Record<string, string>>
    ) => {
      const command: ProcessCommand = { file, args, cwd: directory, env, grace: "1 second" }
      const allowed = sandboxOf(known)
      return allowed === undefined
        ? Effect.succeed(command)
        : Effect.mapError(confine(command, allowed), ({ message }) => unavailable("start", message.replace(/\.$/, "")))
    }
    const made: Effect.Effect<
      {
        readonly transport: Transport
        readonly why: () => string | undefined
        readonly isBrokenOff: (data: unknown) => boolean
      },
      ServerUnavailable
    > = isProgram(server)
      ? Effect.map(
          Effect.flatMap(started(server.command, { ...environment, ...values }), (command) =>
            ProgramTransport.make(processes, command, scope)
          ),
          (transport) => ({
            transport,
            isBrokenOff: () => false,
            why: () => {
              const said = transport.said().trim()
              const gone = transport.gone()
              return gone === undefined ? undefined : said === "" ? gone : `${gone}; it said: ${legible(said, 300)}`
            }
          })
        )
      : Effect.map(Bearer.make({ known, server, login, rules: network, variable }), (bearer) => ({
          ...failing(
            new library.StreamableHTTPClientTransport(new URL(server.url), {
              fetch: boundedFetch(longestMessage),
              // A redirect would take the headers to another place.
              requestInit: { headers: values, redirect: "error" },
              // What the user has configured counts before a login.
              ...(Object.keys(values).some((name) => name.toLowerCase() === "authorization")
                ? {}
                : { authProvider: bearer })
            })
          ),
          why: () => undefined
        }))

    const run = Runtime.runPromise(yield* Effect.runtime())
    const inFlight = new Set<Audience>()
    /** Who is meant by what the server asks on its own: whoever waits for it, if that is one person. */
    const addressee = (): Audience | undefined => {
      const [first, ...others] = inFlight
      return others.every(({ key }) => key === first?.key) ? first : undefined
    }
    /** Asks what may be asked, and declines the rest. */
    const put = (audience: Audience, inquiries: Inquiries): Effect.Effect<Answers> => {
      const { fit, refused } = Inquiry.sorted(known, inquiries)
      const answers = Object.keys(fit).length === 0 ? Effect.succeed<Answers>({}) : audience.ask(fit)
      const forms = Object.keys(fit).filter((key) => fit[key]?.method === "elicitation/create")
      return Effect.map(answers, (given) => ({
        ...Object.fromEntries([...refused, ...forms].map((key) => [key, declined])),
        ...given
      }))
    }
    const answerTo = (inquiry: InputRequest, signal: AbortSignal): Promise<InputResponse> => {
      const audience = addressee()
      const answered = audience === undefined ? Effect.succeed<Answers>({}) : put(audience, { asked: inquiry })
      return run(
        Effect.flatMap(answered, ({ asked }) =>
          asked !== undefined
            ? Effect.succeed(asked)
            : inquiry.method === "elicitation/create"
              ? Effect.succeed(declined)
              : new ServerFailed({
                  server: name,
                  operation: inquiry.method,
                  reason: "nobody answers it",
                  unknown: false
                })
        ),
        { signal }
      )
    }

    let gone: string | undefined
    const attempt = (mode: "legacy" | "auto" | { readonly pin: string }) =>
      Effect.gen(function* () {
        const { isBrokenOff, transport, why } = yield* made
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
            listChanged: {
              tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed("tools") },
              prompts: { autoRefresh: false, debounceMs: 0, onChanged: () => changed("prompts") },
              resources: { autoRefresh: false, debounceMs: 0, onChanged: () => updated(undefined) }
            }
          }
        )
        const { passes = [] } = server
        client.setRequestHandler("elicitation/create", (asked, { mcpReq }) => answerTo(asked, mcpReq.signal) as never)
        if (passes.includes("sampling"))
          client.setRequestHandler(
            "sampling/createMessage",
            (asked, { mcpReq }) => answerTo(asked, mcpReq.signal) as never
          )
        if (passes.includes("roots"))
          client.setRequestHandler("roots/list", (asked, { mcpReq }) => answerTo(asked, mcpReq.signal) as never)
        client.setNotificationHandler("notifications/message", ({ params }) => {
          for (const { log } of inFlight) log(params)
        })
        client.setNotificationHandler(
          "notifications/resources/updated",
          ({ params }: Pick<ResourceUpdatedNotification, "params">) => updated(params.uri)
        )
        Object.assign(client, {
          onerror: () => {},
          onclose: () => {
            // What is asked for then fails by the library.
            gone ??= why() ?? "the connection was closed"
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
        return { client, isBrokenOff }
      })
    const { client, isBrokenOff } = yield* isProgram(server)
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
    const veiled = isProgram(server)
      ? Effect.succeed(veil.of)
      : Effect.map(
          Effect.orElseSucceed(login.read, () => undefined),
          (found) => {
            const { accessToken = "", refreshToken = "" } = found ?? {}
            if (veil.token !== accessToken)
              veil = { token: accessToken, of: veiling([...own, accessToken, refreshToken]) }
            return veil.of
          }
        )

    const request: Requesting = <A>(operation: string, ask: Asking<A>, audience: Audience = nobody) =>
      Effect.suspend(() => {
        const failed = (reason: string, unknown: boolean) =>
          new ServerFailed({ server: name, operation, reason, unknown })
        const isModern = client.getProtocolEra() === "modern"
        const told = {
          ...(isModern && { [library.CLIENT_CAPABILITIES_META_KEY]: Inquiry.passed(known, audience.capabilities) }),
          ...(isModern && audience.logLevel !== undefined && { [library.LOG_LEVEL_META_KEY]: audience.logLevel })
        }
        const round = (given: Round, left: number): Effect.Effect<A, ServerFailed> =>
          Effect.suspend(() => {
            if (gone !== undefined) return failed(gone, false)
            const asked = Effect.tryPromise({
              try: (signal) =>
                ask(
                  client,
                  {
                    signal,
                    timeout: forever,
                    onprogress: audience.hear,
                    resetTimeoutOnProgress: true,
                    allowInputRequired: true
                  },
                  { ...given, ...(isModern && { _meta: told }) }
                ),
              catch: (error) => {
                if (gone !== undefined) return failed(gone, true)
                if (!(error instanceof library.ProtocolError)) return failed(words(error), true)
                const { code, data, message } = error
                if (isBrokenOff(data)) return failed(message, true)
                audience.refused({ code, message, ...(data === undefined ? {} : { data }) })
                return failed(words(error), false)
              }
            })
            return Effect.flatMap(asked, (result) => {
              if (!library.isInputRequiredResult(result)) return Effect.succeed(result)
              if (left === 0) return failed(`it has asked ${mostRounds} times`, true)
              const { inputRequests = {}, requestState } = result
              return Effect.flatMap(put(audience, inputRequests), (answers) =>
                round(
                  { inputResponses: { ...answers }, ...(requestState === undefined ? {} : { requestState }) },
                  left - 1
                )
              )
            })
          })
        if (audience !== nobody) inFlight.add(audience)
        return Effect.zipWith(round({}, mostRounds), veiled, (result, of) => of(result)).pipe(
          Effect.ensuring(Effect.sync(() => inFlight.delete(audience)))
        )
      })

    return { list: listed({ known, client, request, patience: listing }), request, gone: () => gone }
  })

/** What a tool of a server gave. */
export type CallResult = CallToolResult
