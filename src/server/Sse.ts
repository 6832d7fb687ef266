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

/** Texts joined to pieces of about `piece` characters. */
function* pieces(frames: Iterable<Frame>): Generator<string> {
  let text = ""
  for (const frame of frames) {
    text += toSse(frame)
    if (text.length < piece) continue
    yield text
    text = ""
  }
  if (text !== "") yield text
}

/** Frames as Server-Sent Events, which a reader resumes after the last id that it has seen. */
export const respond = <R>(frames: Stream.Stream<Frame, never, R>) =>
  respondText(
    Stream.suspend(() => {
      let prelude = "retry: 500\n\n"
      return Stream.mapChunks(frames, (chunk) => {
        const all = Chunk.fromIterable(pieces(chunk))
        if (prelude === "") return all
        const begun = Chunk.prepend(all, prelude)
        prelude = ""
        return begun
      })
    })
  )

/**
 * Texts of Server-Sent Events. A reader holds what its socket has not taken and no more: its events wait in the log. One that
 * takes nothing for a while is closed, and resumes when it comes again; one whose token ends is closed as well.
 */
export const respondText = <R>(
  texts: Stream.Stream<string, never, R>,
  more: Readonly<Record<string, string>> = {}
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Unavailable,
  R | Judging | OpenStreams | HttpServerRequest.HttpServerRequest
> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { enter, leave, watch } = yield* OpenStreams
    const { counts } = yield* standing
    const context = yield* Effect.context<R>()
    const response = NodeHttpServerRequest.toServerResponse(request)
    yield* Effect.tap(enter, () => Effect.sync(() => response.once("close", leave)))
    watch(response, counts)
    const body = Stream.mapChunks(texts, (chunk) => Chunk.map(chunk, (text) => encoder.encode(text)))
    return HttpServerResponse.stream(Stream.provideContext(body, context), {
      contentType: "text/event-stream; charset=utf-8",
      headers: { ...headers, ...more }
    })
  })
