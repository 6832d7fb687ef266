import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { AuthInfo, Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import { Failed, Forbidden, NotFound } from "../../server/ApiError.ts"
import { answerOf } from "../../server/answerOf.ts"
import { allowed } from "../../server/Authorization.ts"
import { foreign, protect } from "../../server/Guard.ts"
import type { Address } from "../../server/Address.ts"
import { Listening } from "../../server/Listening.ts"
import { Logins } from "../../server/Logins.ts"
import { listening, node } from "../../server/NodeListener.ts"
import { Rates } from "../../server/Rates.ts"
import { tokenStore } from "../../server/tokenFiles.ts"
import { Tokens } from "../../server/Tokens.ts"
import type * as Downstream from "./Downstream.ts"

/** Bytes of a request. */
const largest = 16 * 1024 * 1024

/** Connections of the earlier revisions that are open at a time; the one that was used least lately gives way. */
const mostSessions = 128

/** Subscriptions that are open at a time. */
const mostSubscriptions = 256

type Serving = Effect.Effect.Success<ReturnType<typeof Downstream.make>>

interface Session {
  readonly by: string
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
}

/** Answers HTTP requests of clients of both eras. */
const make = ({
  factory,
  follow,
  keep,
  library
}: Serving): Effect.Effect<(request: Request, authInfo: AuthInfo) => Promise<Response>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sessions = new Map<string, Session>()
    const modern = library.createMcpHandler(factory, {
      legacy: "reject",
      maxRequestBodySize: largest,
      maxSubscriptions: mostSubscriptions
    })
    const unfollow = follow(modern.notify)
    yield* Effect.addFinalizer(() => {
      unfollow()
      const closing = [...sessions.values()].map(({ server }) => server.close())
      return Effect.ignore(Effect.tryPromise(() => Promise.all([modern.close(), ...closing])))
    })
    /** The session that a request belongs to, with the newest use last. */
    const used = (id: string, by: string): Session | undefined => {
      const found = sessions.get(id)
      if (found?.by !== by) return undefined
      sessions.delete(id)
      sessions.set(id, found)
      return found
    }
    const opened = (authInfo: AuthInfo): Promise<Session> => {
      const server = factory({ era: "legacy", authInfo })
      const forgotten = keep(server)
      const transport = new library.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        maxRequestBodySize: largest,
        onsessioninitialized: (id) => {
          for (const [other, { server }] of sessions) {
            if (sessions.size < mostSessions) break
            sessions.delete(other)
            server.close().catch(() => {})
          }
          sessions.set(id, session)
        },
        onsessionclosed: (id) => void sessions.delete(id)
      })
      const session: Session = { by: authInfo.clientId, server, transport }
      Object.assign(server, { onclose: forgotten })
      return server.connect(transport).then(() => session)
    }
    const legacy = (request: Request, authInfo: AuthInfo): Promise<Response> => {
      const id = request.headers.get("mcp-session-id")
      if (id !== null) {
        const known = used(id, authInfo.clientId)
        return known === undefined
          ? Promise.resolve(
              Response.json(
                { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } },
                { status: 404 }
              )
            )
          : known.transport.handleRequest(request, { authInfo })
      }
      return opened(authInfo).then(({ server, transport }) =>
        transport.handleRequest(request, { authInfo }).finally(() => {
          // One that did not begin a session has none to end.
          if (transport.sessionId === undefined) server.close().catch(() => {})
        })
      )
    }
    return (request, authInfo) =>
      library
        .isLegacyRequest(request, undefined, { maxRequestBodySize: largest })
        .then((isLegacy) => (isLegacy ? legacy(request, authInfo) : modern.fetch(request, { authInfo })))
  })

/** Judges a request as every one to a server of Tollgate, and answers those of clients with a token to operate. */
const app = (serving: Serving) =>
  Effect.map(make(serving), (handle) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const reason = foreign(request.method, request.headers, yield* Listening)
      if (reason !== undefined) return answerOf(new Forbidden({ message: reason }))
      const [path] = request.url.split("?", 1)
      if (path !== "/mcp") return answerOf(new NotFound({ message: "MCP clients are served at /mcp." }))
      const caller = yield* Effect.either(allowed("operate"))
      if (Either.isLeft(caller)) return answerOf(caller.left)
      const { name, scopes } = caller.right
      const runtime = yield* Effect.runtime<never>()
      return yield* Effect.tryPromise((signal) =>
        handle(Either.getOrThrow(HttpServerRequest.toWebEither(request, { signal, runtime })), {
          token: "",
          clientId: name,
          scopes: [...scopes]
        })
      ).pipe(
        Effect.map(HttpServerResponse.fromWeb),
        Effect.catchAll((error) =>
          Effect.as(
            Effect.logError("A request of an MCP client failed", error),
            answerOf(new Failed({ message: "The request could not be served." }))
          )
        )
      )
    })
  )

/** Serves MCP clients over HTTP until the scope ends. */
export const layer = (
  serving: Serving,
  {
    listen,
    names,
    token
  }: { readonly listen: Address; readonly names: ReadonlyArray<string>; readonly token: Redacted.Redacted }
) =>
  Layer.unwrapScoped(Effect.map(app(serving), (served) => HttpServer.serve(protect(served)))).pipe(
    Layer.provide(Logins.layer),
    Layer.provideMerge(Tokens.layer(token)),
    Layer.provideMerge(tokenStore),
    Layer.provide(Rates.layer),
    Layer.provideMerge(listening(names, listen)),
    Layer.provide(node(listen))
  )
