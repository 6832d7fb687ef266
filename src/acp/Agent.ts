import {
  agent,
  type AgentRequestContext,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError
} from "@agentclientprotocol/sdk"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import { Configuration } from "../config/Configuration.ts"
import type { Services } from "../host/Host.ts"
import { takesImages } from "../model/Profile.ts"
import { version } from "../version.ts"
import { canOf } from "./Editor.ts"
import * as Editor from "./Editor.ts"
import type * as Entry from "./Entry.ts"
import { codes, EditorRequestRefused, invalid } from "./Refused.ts"
import * as Sessions from "./Sessions.ts"
import * as Wire from "./Wire.ts"

/** What works, and nothing else: an editor calls whatever is named here. */
const announced = (images: boolean): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "tollgate", title: "Tollgate", version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: images, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} }
  },
  authMethods: []
})

/** The code with which a request is answered that the editor has taken back. */
const requestCancelled = -32800

const isCancelled = ({ reason }: AbortSignal): boolean =>
  reason instanceof RequestError && reason.code === requestCancelled

/** Returns once the editor takes a request back; a connection that is gone takes nothing back. */
const cancelledBy = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.async((resume) => {
    const done = () => {
      if (isCancelled(signal)) resume(Effect.void)
    }
    signal.addEventListener("abort", done)
    if (signal.aborted) done()
    return Effect.sync(() => signal.removeEventListener("abort", done))
  })

const toError = ({ code, reason, session }: EditorRequestRefused): RequestError =>
  new RequestError(code, reason, session === undefined ? undefined : { sessionId: session })

/** A defect is a bug: the editor is told so, and the log why. */
const crashed = (cause: Cause.Cause<never>) =>
  Effect.zipRight(
    Effect.logError("A request of the editor crashed", cause),
    new EditorRequestRefused({ code: codes.internal, reason: "The request crashed. This is a bug in Tollgate." })
  )

const takingImages = Effect.map(Configuration, ({ profiles }) => Object.values(profiles).some(takesImages))

/** Why what sessions need cannot be made. */
interface Unready {
  readonly message: string
}

interface Ready {
  readonly sessions: Sessions.Sessions
  readonly runtime: Runtime.Runtime<Services | Configuration>
}

/**
 * Serves an editor on the standard streams until it closes them. `layer` makes what sessions need; where that fails, each request
 * that needs it tries again and is refused with the reason.
 */
export const serve = <E extends Unready, R>(layer: Layer.Layer<Services | Configuration, E, R>) =>
  Effect.gen(function* () {
    const wire = yield* Wire.stdio
    const scope = yield* Effect.scope
    const layers = yield* Scope.fork(scope, ExecutionStrategy.sequential)
    const run = yield* FiberSet.makeRuntimePromise<R>()
    const connected = yield* Deferred.make<Editor.Editor>()
    const one = yield* Effect.makeSemaphore(1)
    let made: Ready | undefined

    // Not uninterruptible: what layers start could not be stopped either.
    const ready: Effect.Effect<Ready, EditorRequestRefused, R> = Effect.gen(function* () {
      const editor = yield* Deferred.await(connected)
      if (made !== undefined) return made
      const own = yield* Scope.fork(layers, ExecutionStrategy.sequential)
      return yield* Effect.gen(function* () {
        const runtime = yield* Layer.toRuntime(layer).pipe(
          Scope.extend(own),
          Effect.mapError(({ message }) => new EditorRequestRefused({ code: codes.unready, reason: message }))
        )
        const sessions = yield* Sessions.make(editor).pipe(
          Effect.provideService(Scope.Scope, scope),
          Effect.provide(runtime)
        )
        return (made = { runtime, sessions })
      }).pipe(Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))))
    }).pipe(one.withPermits(1))

    const answering =
      <P, A>(handle: (params: P, request: AgentRequestContext<P>) => Effect.Effect<A, EditorRequestRefused, R>) =>
      (request: AgentRequestContext<P>): Promise<A> =>
        run(
          Effect.suspend(() => handle(request.params, request)).pipe(
            Effect.catchAllDefect((defect) => crashed(Cause.die(defect))),
            Effect.either
          )
        ).then(Either.getOrThrowWith(toError))

    const withSessions = <P, A>(
      handle: (
        sessions: Sessions.Sessions,
        params: P,
        request: AgentRequestContext<P>
      ) => Effect.Effect<A, EditorRequestRefused>
    ) =>
      answering((params: P, request) =>
        Effect.flatMap(ready, ({ runtime, sessions }) => Effect.provide(handle(sessions, params, request), runtime))
      )

    const opening = <P extends Omit<Entry.Opening, "answered">>(
      params: P,
      { requestId }: AgentRequestContext<P>
    ): Entry.Opening => ({
      cwd: params.cwd,
      mcpServers: params.mcpServers,
      additionalDirectories: params.additionalDirectories,
      answered: wire.answered(requestId)
    })

    const app = agent({ name: "tollgate" })
      .onRequest(
        methods.agent.initialize,
        answering(({ clientCapabilities }, { client }) =>
          Effect.gen(function* () {
            if (!(yield* Deferred.succeed(connected, Editor.make(client, canOf(clientCapabilities)))))
              return yield* invalid("The connection is initialized already.")
            const found = yield* Effect.either(ready)
            const images = Either.isRight(found) && (yield* Effect.provide(takingImages, found.right.runtime))
            return announced(images)
          })
        )
      )
      .onRequest(
        methods.agent.session.new,
        withSessions((sessions, params, request) => sessions.create(opening(params, request)))
      )
      .onRequest(
        methods.agent.session.load,
        withSessions((sessions, params, request) => sessions.load(params.sessionId, opening(params, request)))
      )
      .onRequest(
        methods.agent.session.resume,
        withSessions((sessions, params, request) => sessions.resume(params.sessionId, opening(params, request)))
      )
      .onRequest(
        methods.agent.session.list,
        withSessions((sessions, { cursor, cwd }) => sessions.list(cwd ?? undefined, cursor ?? undefined))
      )
      .onRequest(
        methods.agent.session.close,
        withSessions((sessions, { sessionId }) => Effect.as(sessions.close(sessionId), {}))
      )
      .onRequest(
        methods.agent.session.delete,
        withSessions((sessions, { sessionId }) => Effect.as(sessions.delete(sessionId), {}))
      )
      .onRequest(
        methods.agent.session.prompt,
        withSessions((sessions, { prompt, sessionId }, { signal }) =>
          sessions.prompt(sessionId, prompt, cancelledBy(signal))
        )
      )
      .onRequest(
        methods.agent.session.setMode,
        withSessions((sessions, { modeId, sessionId }) => Effect.as(sessions.setMode(sessionId, modeId), {}))
      )
      .onRequest(
        methods.agent.session.setConfigOption,
        withSessions((sessions, { configId, sessionId, value }) =>
          Effect.map(sessions.setOption(sessionId, configId, value), (configOptions) => ({ configOptions }))
        )
      )
      .onNotification(methods.agent.session.cancel, ({ params }) =>
        run(Effect.suspend(() => made?.sessions.cancel(params.sessionId) ?? Effect.void))
      )

    const connection = yield* Effect.acquireRelease(
      Effect.sync(() => app.connect(wire.stream)),
      (connection) => Effect.sync(() => connection.close())
    )
    yield* Effect.promise(() => connection.closed)
  }).pipe(Effect.scoped)
