import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CloseEvent } from "@effect/platform/Socket"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberMap from "effect/FiberMap"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Socket } from "node:net"
import type { Approvals } from "../approval/Approvals.ts"
import type { Host } from "../host/Host.ts"
import { mistakesOf } from "../redaction/Mistake.ts"
import type { Runtime } from "../runtime/Runtime.ts"
import type { SessionStore } from "../runtime/SessionStore.ts"
import { parseAnswer } from "../text/Json.ts"
import { visibleJson } from "../text/visible.ts"
import { type AccessScope, Caller } from "./Access.ts"
import { answerOf, jsonOf, statusOf } from "./answerOf.ts"
import { Forbidden, Unauthorized, UpgradeRequired } from "./ApiError.ts"
import { Seq, SessionPath } from "./ApiSchema.ts"
import { allowed, inTime, type Judging, standing } from "./Authorization.ts"
import { carryOut } from "./carryOut.ts"
import { Feed } from "./Feed.ts"
import { type Frame, toMessage } from "./Frame.ts"
import { Limits } from "./Limits.ts"
import { notReadable } from "./notReadable.ts"
import { OpenStreams } from "./OpenStreams.ts"
import { PostedCommand } from "./PostedCommand.ts"
import { sessionFrames } from "./SessionStream.ts"

const Id = { id: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(256)), { exact: true }) }
const session = SessionPath.fields.session
const count = Schema.typeSchema(Seq)

/** What a client says on a socket; the answer to a command or to a mistake repeats its `id`. */
export const ClientMessage = Schema.Union(
  /** Streams a session from a number on, 1 if unset. */
  Schema.Struct({
    ...Id,
    type: Schema.Literal("watch"),
    session,
    from: Schema.optionalWith(count, { exact: true })
  }),
  /** Streams what happens in all sessions, after a number. */
  Schema.Struct({ ...Id, type: Schema.Literal("watch-all"), after: Schema.optionalWith(count, { exact: true }) }),
  Schema.Struct({ ...Id, type: Schema.Literal("unwatch"), session: Schema.optionalWith(session, { exact: true }) }),
  Schema.Struct({ ...Id, type: Schema.Literal("command"), session, command: PostedCommand })
).annotations({ identifier: "ClientMessage" })
type ClientMessage = typeof ClientMessage.Type

const decode = Schema.decodeUnknownEither(ClientMessage)

/** The id of what may be no message otherwise. */
const idOf = (value: unknown): string | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Schema.Struct(Id))(value))?.id

/** What is wrong with what is no message. */
const wrongIn = (error: ParseResult.ParseError): string => {
  const [{ path, problem } = { path: [], problem: "it cannot be used" }] = mistakesOf(error)
  return `${path.join(".") || "the message"}: ${problem}`
}

/** The name of the stream of all sessions. */
const all = "*"

/** Messages of a client that wait; one that sends more is closed. */
const maxWaiting = 256

/** Sessions that one socket watches at a time. */
const maxWatched = 64

/** Bytes that may wait in a socket before more are made. */
const highWater = 64 * 1024

/** Returns once the socket has taken what it was given; ends it where it takes nothing for too long. */
const drained = (socket: Socket) =>
  Effect.suspend(() => {
    if (socket.writableLength <= highWater) return Effect.void
    const taken = Effect.async<void>((resume) => {
      const done = () => resume(Effect.void)
      socket.once("drain", done)
      socket.once("close", done)
      return Effect.sync(() => void socket.off("drain", done).off("close", done))
    })
    return Effect.flatMap(Limits, ({ stall }) =>
      Effect.timeoutTo(taken, {
        duration: stall,
        onSuccess: () => undefined,
        onTimeout: () => void socket.destroy()
      })
    )
  })

/** Ends a socket whose client sends a message that is longer than a body may be, before it is taken in. */
const boundedMessages = (socket: Socket, limit: number): (() => void) => {
  let received = 0
  socket.on("data", (bytes: Buffer) => {
    received += bytes.length
    if (received > limit) socket.destroy()
  })
  return () => {
    received = 0
  }
}

/** Ends a connection once what was said is with the client, or at once where it takes nothing. */
const finished = (socket: Socket): void => {
  if (socket.writableLength > 0) socket.destroy()
  else socket.destroySoon()
}

/** Returns when a connection has ended, also where it never became a WebSocket. */
const gone = (socket: Socket) =>
  Effect.async<void>((resume) => {
    const done = () => resume(Effect.void)
    if (socket.destroyed) return done()
    socket.once("close", done)
    return Effect.sync(() => void socket.off("close", done))
  })

const tokenEnded = "The token is no longer valid."

/** Talks with one client until it leaves, or its token ends. */
const converse = Effect.gen(function* () {
  const { name, scopes } = yield* Caller
  const request = yield* HttpServerRequest.HttpServerRequest
  const { body, heartbeat } = yield* Limits
  const { counts, ended } = yield* standing
  const socket = yield* request.upgrade
  const raw = NodeHttpServerRequest.toIncomingMessage(request).socket
  yield* Effect.addFinalizer(() => Effect.sync(() => finished(raw)))
  // Nothing is read before somebody listens.
  raw.pause()
  const complete = boundedMessages(raw, body)
  const write = yield* socket.writer
  const send = (text: string) => Effect.zipRight(drained(raw), Effect.ignore(write(text)))
  const reply = (id: string | undefined, data: object) =>
    send(visibleJson(JSON.stringify({ event: "answer", ...(id === undefined ? {} : { id }), data })))
  const watching = yield* FiberMap.make<string>()
  const streamed = <R>(name: string, frames: Stream.Stream<Frame, never, R>) =>
    FiberMap.run(
      watching,
      name,
      Stream.runForEach(frames, (frame) => send(toMessage(name, frame)))
    )
  const need = (scope: AccessScope) =>
    scopes.includes(scope) ? Effect.void : new Forbidden({ message: `This needs a token with the scope ${scope}.` })

  const perform = (message: ClientMessage) =>
    Effect.gen(function* () {
      if (!(yield* counts)) return yield* new Unauthorized({ message: tokenEnded })
      yield* inTime(name)
      switch (message.type) {
        case "watch": {
          yield* need("view")
          if ((yield* FiberMap.size(watching)) >= maxWatched && !(yield* FiberMap.has(watching, message.session))) {
            return yield* new Forbidden({ message: `One socket watches ${maxWatched} sessions at most.` })
          }
          return yield* streamed(message.session, yield* sessionFrames(message.session, message.from ?? 1))
        }
        case "watch-all":
          yield* need("view")
          return yield* streamed(all, (yield* Feed).frames(message.after))
        case "unwatch":
          return yield* FiberMap.remove(watching, message.session ?? all)
        case "command": {
          const done = yield* carryOut(message.session, message.command)
          return yield* reply(message.id, { status: 202, ...done })
        }
      }
    }).pipe(Effect.catchAll((error) => reply(message.id, { status: statusOf(error), ...jsonOf(error) })))

  const waiting = yield* Mailbox.make<string>({ capacity: maxWaiting })
  const take = (text: string) => {
    const wrong = (id: string | undefined, message: string) =>
      reply(id, { status: 400, _tag: "HttpApiDecodeError", issues: [], message })
    const read = parseAnswer(text)
    if (Either.isLeft(read)) return wrong(undefined, notReadable(read.left, "message"))
    return Either.match(decode(read.right), {
      onLeft: (error) => wrong(idOf(read.right), wrongIn(error)),
      onRight: perform
    })
  }
  const heard = socket.runRaw(
    (data) => {
      complete()
      const text = typeof data === "string" ? data : new TextDecoder().decode(data)
      return waiting.unsafeOffer(text) ? undefined : write(new CloseEvent(1013, "too many messages"))
    },
    { onOpen: Effect.sync(() => void raw.resume()) }
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(send(`{"event":"ping"}`), heartbeat)))
  yield* Effect.raceAll([
    // A handshake that fails never returns, and nothing interrupts it.
    Effect.disconnect(Effect.ignore(heard)),
    gone(raw),
    Stream.runForEach(Mailbox.toStream(waiting), take),
    Effect.zipRight(ended, Effect.ignore(write(new CloseEvent(1008, tokenEnded))))
  ])
  return HttpServerResponse.empty()
})

type Services = Host | Judging | Feed | OpenStreams | Runtime | SessionStore | Approvals

/** One socket for all that a client watches and asks, whose frames are those of the streams. */
export const live = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Services>()
    const { enter, leave } = yield* OpenStreams
    const counted = Effect.acquireUseRelease(
      enter,
      () => Effect.scoped(converse),
      () => Effect.sync(leave)
    )
    const talked = counted.pipe(
      Effect.catchTag("Unavailable", (error) => Effect.succeed(answerOf(error))),
      Effect.catchTag("RequestError", () =>
        Effect.succeed(answerOf(new UpgradeRequired({ message: "This is a WebSocket; ask for an upgrade." })))
      )
    )
    yield* router.get(
      "/v1/socket",
      allowed(undefined).pipe(
        Effect.matchEffect({
          onFailure: (error) => Effect.succeed(answerOf(error)),
          onSuccess: (caller) => Effect.provideService(talked, Caller, caller)
        }),
        Effect.provide(context)
      )
    )
  })
)
