import type * as Client from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import type { NetworkRules } from "../../policy/network/NetworkRules.ts"
import { version } from "../../version.ts"
import { identityOf, type KnownServer } from "../KnownServer.ts"
import type { HttpServer } from "../McpServer.ts"
import { guardedFetch, isSafe, judged } from "./guardedFetch.ts"
import { Authority, isToken, type Login } from "./Login.ts"
import { AddressRefused, LoginFailed } from "./LoginError.ts"
import * as Redirect from "./Redirect.ts"

/** How long the person has in the browser. */
const patience = Duration.minutes(10)

export interface AuthorizeOptions {
  readonly known: KnownServer
  readonly server: HttpServer
  readonly rules: NetworkRules
  /** Of the user's environment. */
  readonly variable: (name: string) => Option.Option<Redacted.Redacted>
  /** Instead of what the server asks for. */
  readonly scope: Option.Option<string>
  /** Shows the person where to go on. */
  readonly open: (url: URL) => Effect.Effect<void, never, Scope.Scope>
}

type Library = typeof Client

const isRefused = Schema.is(AddressRefused)

/** Why a step failed, without anything of what was received: it may hold what is secret. */
const reasonOf = (library: Library, error: unknown): string => {
  if (isRefused(error)) return error.message
  if (error instanceof library.IssuerMismatchError) return "it answers in the name of another issuer"
  if (error instanceof library.RegistrationRejectedError)
    return `it does not register clients like this one (HTTP ${error.status}); name a registered one in login.clientId`
  if (error instanceof library.InsecureTokenEndpointError) return "its token endpoint is not encrypted"
  if (error instanceof library.OAuthError)
    return /^[a-z_]{1,40}$/.test(error.code) && error.code !== "server_error" ? error.code : "its answer cannot be used"
  return "its answer cannot be used"
}

const decodeAuthority = Schema.decodeUnknownOption(Authority)

/** The secret of a client that the user has registered. */
export const clientSecretOf = ({ login }: HttpServer, variable: AuthorizeOptions["variable"]): Option.Option<string> =>
  Option.map(
    Option.flatMap(Option.fromNullable(login?.clientSecret), (reference) => variable(reference.slice("env:".length))),
    Redacted.value
  )

/** Whether they can be sent again: what is not would show up in what reports it. */
export const areTokens = ({ access_token: access, refresh_token: refresh }: Client.OAuthTokens): boolean =>
  isToken(access) && (refresh === undefined || isToken(refresh))

/** The tokens as they are kept. */
export const kept = (
  tokens: Client.OAuthTokens,
  now: number
): Pick<Login, "accessToken" | "refreshToken" | "expiresAt" | "scope"> => ({
  accessToken: tokens.access_token,
  ...(tokens.refresh_token === undefined ? {} : { refreshToken: tokens.refresh_token }),
  ...(tokens.expires_in === undefined ? {} : { expiresAt: now + tokens.expires_in * 1000 }),
  ...(tokens.scope === undefined ? {} : { scope: tokens.scope })
})

/** The request that a server answers with what it wants of a client. */
const probe = {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tollgate", version } }
  })
}

/** Logs the user in at a server by OAuth 2.1: in a browser, with PKCE, and back to a port of this machine. */
export const authorize = ({
  known,
  open,
  rules,
  scope,
  server,
  variable
}: AuthorizeOptions): Effect.Effect<Login, LoginFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const library = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
    const at = new URL(server.url)
    const fetchFn = guardedFetch(at, rules)
    const failed = (reason: string) => new LoginFailed({ server: known.name, reason })
    const step = <A>(what: string, run: () => Promise<A>) =>
      Effect.tryPromise({ try: run, catch: (error) => failed(`${what}: ${reasonOf(library, error)}`) })
    if (!isSafe(at)) return yield* failed("its URL is not encrypted (https)")

    const challenge = yield* step("asking it what it wants", () => fetchFn(at, probe))
    const wants = challenge.status === 401 ? library.extractWWWAuthenticateParams(challenge) : {}
    const { resourceMetadataUrl } = wants
    const found = yield* step("finding where to log in", () =>
      library.discoverOAuthServerInfo(at, {
        fetchFn,
        ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl })
      })
    )
    const { authorizationServerMetadata: metadata, resourceMetadata } = found
    const authority = decodeAuthority(metadata)
    if (metadata === undefined || Option.isNone(authority)) {
      return yield* failed(
        challenge.status === 401
          ? "it names no authorization server that can be used"
          : `it wants none (HTTP ${challenge.status} without one)`
      )
    }
    const endpoints = [authority.value.authorization_endpoint, authority.value.token_endpoint]
    if (!endpoints.every((endpoint) => isSafe(new URL(endpoint))))
      return yield* failed("its authorization server is not encrypted (https)")
    yield* Effect.mapError(judged(at, new URL(authority.value.authorization_endpoint), rules), ({ message }) =>
      failed(`where it sends the browser: ${message}`)
    )
    if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
      return yield* failed("its authorization server does not say that it takes PKCE (S256)")
    const resource = resourceMetadata?.resource
    if (resource !== undefined) {
      const expected = library.resourceUrlFromServerUrl(at)
      if (!library.checkResourceAllowed({ requestedResource: expected, configuredResource: resource }))
        return yield* failed("what it says about itself is about another resource")
    }

    const state = crypto.randomBytes(32).toString("base64url")
    const redirect = yield* Effect.mapError(Redirect.listen(server.login?.port ?? 0, state), ({ reason }) =>
      failed(`no port of this machine can be listened on (${reason})`)
    )
    const wanted = Option.getOrElse(
      scope,
      () => server.login?.scope ?? wants.scope ?? resourceMetadata?.scopes_supported?.join(" ")
    )
    const offline = metadata.scopes_supported?.includes("offline_access") === true
    const asked =
      wanted !== undefined && offline && !wanted.split(" ").includes("offline_access")
        ? `${wanted} offline_access`
        : wanted
    const scoped = asked === undefined || asked === "" ? {} : { scope: asked }
    const secret = clientSecretOf(server, variable)
    if (server.login?.clientSecret !== undefined && Option.isNone(secret))
      return yield* failed(`${server.login.clientSecret.slice("env:".length)} of your environment is not set`)
    const registered =
      server.login?.clientId === undefined
        ? yield* step("registering with its authorization server", () =>
            library.registerClient(found.authorizationServerUrl, {
              metadata,
              fetchFn,
              ...scoped,
              clientMetadata: {
                client_name: "Tollgate",
                redirect_uris: [redirect.url],
                grant_types: ["authorization_code", "refresh_token"],
                response_types: ["code"],
                token_endpoint_auth_method: "none",
                application_type: "native"
              }
            })
          )
        : undefined
    if (registered !== undefined && !registered.redirect_uris.includes(redirect.url))
      return yield* failed("its authorization server registered another address to come back to")
    const client: Login["client"] =
      registered === undefined
        ? { client_id: server.login?.clientId ?? "" }
        : {
            client_id: registered.client_id,
            ...(registered.client_secret === undefined ? {} : { client_secret: registered.client_secret }),
            ...(registered.token_endpoint_auth_method === undefined
              ? {}
              : { token_endpoint_auth_method: registered.token_endpoint_auth_method })
          }
    const clientInformation = { ...client, ...(Option.isSome(secret) ? { client_secret: secret.value } : {}) }
    const about = resource === undefined ? {} : { resource }
    const { authorizationUrl, codeVerifier } = yield* step("preparing the login", () =>
      library.startAuthorization(found.authorizationServerUrl, {
        metadata,
        clientInformation,
        redirectUrl: redirect.url,
        state,
        ...scoped,
        ...about
      })
    )

    yield* open(authorizationUrl)
    const callback = yield* Effect.timeoutFail(redirect.callback, {
      duration: patience,
      onTimeout: () => failed(`nobody finished it within ${Duration.format(patience)}`)
    })
    const issuer = callback.iss === undefined ? {} : { iss: callback.iss }
    if (callback._tag === "Refused") return yield* failed(callback.error)
    const tokens = yield* step("getting its tokens", () =>
      library.exchangeAuthorization(found.authorizationServerUrl, {
        metadata,
        clientInformation,
        authorizationCode: callback.code,
        codeVerifier,
        redirectUri: redirect.url,
        fetchFn,
        ...issuer,
        ...about
      })
    )
    if (tokens.token_type.toLowerCase() !== "bearer")
      return yield* failed("its tokens are of a kind that is not supported")
    if (!areTokens(tokens)) return yield* failed("its tokens are no text that a request can carry")
    return {
      version: 1 as const,
      identity: identityOf(known),
      authority: authority.value,
      client,
      ...about,
      ...kept(tokens, yield* Clock.currentTimeMillis)
    }
  })
