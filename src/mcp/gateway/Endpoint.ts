import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { AuthInfo, Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import { Failed, Forbidden, NotFound, Unauthorized } from "../../server/ApiError.ts"
import { answerOf } from "../../server/answerOf.ts"
import { allowed, type Judging, standing } from "../../server/Authorization.ts"
import { foreign, protect } from "../../server/Guard.ts"
import type { Address } from "../../server/Address.ts"
import { Listening } from "../../server/Listening.ts"
import { Logins } from "../../server/Logins.ts"
import { OpenStreams } from "../../server/OpenStreams.ts"
import { listening, node } from "../../server/NodeListener.ts"
import { Rates } from "../../server/Rates.ts"
import { tokenStore } from "../../server/tokenFiles.ts"
import { Tokens } from "../../server/Tokens.ts"
import { answerTo, bodyOf, idOf, largest, misread, refusal, textOf } from "./bodies.ts"
import type * as Downstream from "./Downstream.ts"
import * as OpenIds from "./OpenIds.ts"
import { unread } from "./unread.ts"

/** Connections of the earlier revisions that a token has at a time; the one without a call that was used least lately gives way. */
const mostSessions = 128

/** Subscriptions that are open at a time. */
const mostSubscriptions = 256

type Serving = Effect.Effect.Success<ReturnType<typeof Downstream.make>>

interface Session {
  readonly by: string
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Whether the token that it was used with last still counts. */
  counts: Effect.Effect<boolean>
  readonly ids: OpenIds.OpenIds
}

/** A request with what is known of it besides. */
interface Asked {
  /** Its signal tells that its answer is over, whole or cut off. */
  readonly request: Request
  readonly authInfo: AuthInfo
  /** Whether its token still counts. */
  readonly counts: Effect.Effect<boolean>
}

/** How often the sessions in which something goes on are looked at. */
const glance = "500 millis"

/** Answers HTTP requests of clients of both eras. */
const make = ({
  factory,
  follow,
  isBusy,
  keep,
  library
}: Serving): Effect.Effect<(asked: Asked) => Promise<Response>, never, Scope.Scope> =>
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
    const closed = (id: string, { server }: Session) => {
      sessions.delete(id)
      server.close().catch(() => {})
    }
    /** Ends sessions whose token no longer counts, with what goes on in them. */
    const swept = (which: (session: Session) => boolean) =>
      Effect.gen(function* () {
        for (const [id, session] of sessions) if (which(session) && !(yield* session.counts)) closed(id, session)
      })
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.delay(
          swept(({ server }) => isBusy(server)),
          glance
        )
      )
    )
    const ofToken = (by: string) => [...sessions].filter(([, session]) => session.by === by)
    const isFull = (by: string): boolean => {
      const own = ofToken(by)
      return own.length >= mostSessions && own.every(([, { server }]) => isBusy(server))
    }
    const opened = ({ authInfo, counts }: Asked): Promise<Session> => {
      const server = factory({ era: "legacy", authInfo })
      const forgotten = keep(server)
      const transport = new library.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        maxRequestBodySize: largest,
        onsessioninitialized: (id) => {
          const own = ofToken(session.by)
          const idle = own.find(([, { server }]) => !isBusy(server))
          if (own.length >= mostSessions && idle !== undefined) closed(...idle)
          sessions.set(id, session)
        },
        onsessionclosed: (id) => void sessions.delete(id)
      })
      const ids = OpenIds.make()
      const session: Session = { by: authInfo.clientId, server, transport, counts, ids }
      Object.assign(server, { onclose: forgotten })
      const send = transport.send.bind(transport)
      transport.send = (message, options) => {
        if (!("method" in message)) ids.close([message])
        return send(message, options)
      }
      return server.connect(transport).then(() => session)
    }
    const heard = ({ ids, transport }: Session, { authInfo, request }: Asked, body: unknown): Promise<Response> => {
      const messages: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
      const twice = ids.twice(messages)
      if (twice !== undefined) {
        const reason = `The request with the id ${JSON.stringify(twice)} is not answered yet`
        return Promise.resolve(refusal(400, -32600, reason))
      }
      // One whose connection is lost may be made again as it was.
      request.signal.addEventListener("abort", () => ids.close(messages), { once: true })
      return transport
        .handleRequest(request, { authInfo, ...(body !== undefined && { parsedBody: body }) })
        .then((response) => {
          if (!response.ok) ids.close(messages)
          return response
        })
    }
    const legacy = (asked: Asked, body: unknown): Promise<Response> => {
      const { authInfo, counts, request } = asked
      const id = request.headers.get("mcp-session-id")
      if (id !== null) {
        const known = used(id, authInfo.clientId)
        if (known === undefined) return Promise.resolve(refusal(404, -32001, "Session not found", idOf(body)))
        known.counts = counts
        return heard(known, asked, body)
      }
      return Effect.runPromise(swept(() => true)).then(() => {
        if (isFull(authInfo.clientId))
          return refusal(503, -32000, `${mostSessions} sessions of this token have open calls`, idOf(body))
        return opened(asked).then((session) =>
          heard(session, asked, body).finally(() => {
            // One that did not begin a session has none to end.
            if (session.transport.sessionId === undefined) session.server.close().catch(() => {})
          })
        )
      })
    }
    return (asked) =>
      textOf(asked.request).then((text) => {
        const body = bodyOf(text)
        return (
          misread(text, body) ??
          library
            .isLegacyRequest(asked.request, body, { maxRequestBodySize: largest })
            .then((isLegacy) =>
              isLegacy
                ? legacy(asked, body)
                : modern.fetch(asked.request, {
                    authInfo: asked.authInfo,
                    ...(body !== undefined && { parsedBody: body })
                  })
            )
            .then((response) => answerTo(body, response))
        )
      })
  })

/** Makes a client know at once that its stream of events is there; nothing has to happen for that. */
const opening = new TextEncoder().encode(": \n\n")

/** An answer as it goes out; `drop` ends the connection of a client that does not read it. */
const sent = (response: Response, drop: () => void): HttpServerResponse.HttpServerResponse => {
  const { body, headers, status } = response
  const contentType = headers.get("content-type")
  if (body === null || contentType?.startsWith("text/event-stream") !== true)
    return HttpServerResponse.fromWeb(response)
  const events = Stream.fromReadableStream<Uint8Array, unknown>(
    () => body.pipeThrough(unread(drop)),
    (error) => error
  )
  return HttpServerResponse.stream(Stream.concat(Stream.succeed(opening), events), {
    status,
    contentType,
    headers: Object.fromEntries(headers)
  })
}

const unauthorized = new Unauthorized({
  message: "This needs Authorization: Bearer TOKEN; tollgate tokens add NAME --scope operate makes a token."
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
      if (Either.isLeft(caller)) return answerOf(caller.left._tag === "Unauthorized" ? unauthorized : caller.left)
      const { name, scopes } = caller.right
      const runtime = yield* Effect.runtime<never>()
      const { watch } = yield* OpenStreams
      const { counts } = yield* standing
      const here = yield* Effect.context<Judging>()
      const stillCounts = Effect.provide(counts, here)
      const response = NodeHttpServerRequest.toServerResponse(request)
      watch(response, stillCounts)
      const over = new AbortController()
      response.once("close", () => over.abort())
      return yield* Effect.tryPromise(() =>
        handle({
          request: Either.getOrThrow(HttpServerRequest.toWebEither(request, { signal: over.signal, runtime })),
          authInfo: { token: "", clientId: name, scopes: [...scopes] },
          counts: stillCounts
        })
      ).pipe(
        Effect.map((answer) => sent(answer, () => response.destroy())),
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
    Layer.provide([Logins.layer, OpenStreams.layer]),
    Layer.provideMerge(Tokens.layer(token)),
    Layer.provideMerge(tokenStore),
    Layer.provide(Rates.layer),
    Layer.provideMerge(listening(names, listen)),
    Layer.provide(node(listen))
  )
