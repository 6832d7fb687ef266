import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Frame, toSse } from "./Frame.ts"
import type { Unavailable } from "./ApiError.ts"
import { type Judging, standing } from "./Authorization.ts"
import { OpenStreams } from "./OpenStreams.ts"

/** Characters that are handed to the socket at a time. */
const piece = 16 * 1024

const headers = {
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  connection: "keep-alive"
}

const encoder = new TextEncoder()

/** Frames in pieces of about `piece` characters. */
function* pieces(frames: Iterable<Frame>): Generator<Uint8Array> {
  let text = ""
  for (const frame of frames) {
    text += toSse(frame)
    if (text.length < piece) continue
    yield encoder.encode(text)
    text = ""
  }
  if (text !== "") yield encoder.encode(text)
}

/** Frames as Server-Sent Events, which a reader resumes after the last id that it has seen. */
export const respond = <R>(frames: Stream.Stream<Frame, never, R>) =>
  Effect.zipRight(
    enter,
    send(
      // In one step, as a stream holds on to what each of its steps has given last.
      Stream.concat(
        Stream.sync(() => encoder.encode("retry: 500\n\n")),
        Stream.mapChunks(frames, (chunk) => Chunk.fromIterable(pieces(chunk)))
      ),
      {}
    )
  )

/** Texts of Server-Sent Events, for a request that has entered. */
export const respondText = <R>(texts: Stream.Stream<string, never, R>, more: Readonly<Record<string, string>>) =>
  send(
    Stream.mapChunks(texts, (chunk) => Chunk.map(chunk, (text) => encoder.encode(text))),
    more
  )

/** Takes a place among the open streams until the response ends; before anything is begun that a stream is to tell of. */
export const enter: Effect.Effect<void, Unavailable, OpenStreams | HttpServerRequest.HttpServerRequest> = Effect.gen(
  function* () {
    const response = NodeHttpServerRequest.toServerResponse(yield* HttpServerRequest.HttpServerRequest)
    const { enter, leave } = yield* OpenStreams
    yield* Effect.tap(enter, () => Effect.sync(() => response.once("close", leave)))
  }
)

/**
 * Sends Server-Sent Events. A reader holds what its socket has not taken and no more: its events wait in the log. One that
 * takes nothing for a while is closed, and resumes when it comes again; one whose token ends is closed as well.
 */
const send = <R>(
  body: Stream.Stream<Uint8Array, never, R>,
  more: Readonly<Record<string, string>>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  R | Judging | OpenStreams | HttpServerRequest.HttpServerRequest
> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { watch } = yield* OpenStreams
    const { counts } = yield* standing
    const context = yield* Effect.context<R>()
    watch(NodeHttpServerRequest.toServerResponse(request), counts)
    return HttpServerResponse.stream(Stream.provideContext(body, context), {
      contentType: "text/event-stream; charset=utf-8",
      headers: { ...headers, ...more }
    })
  })
