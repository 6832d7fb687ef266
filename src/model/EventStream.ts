import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { originOf, silenceTimeout, urlOf, type Endpoint } from "./Endpoint.ts"
import * as EventDecoder from "./EventDecoder.ts"
import { ModelCut, ModelRejected, ModelSilent, ModelUnreachable, type ModelError } from "./ModelError.ts"
import { isCertificateRefused, named, ofCause, oneLine, type Origin } from "./Reason.ts"
import { malformed, ofRefusal } from "./ServerFailure.ts"
import * as Url from "../text/Url.ts"

/** Characters of one event, bytes of an answer that is not a stream. */
const maximumEvent = 4 * 1024 * 1024
/** Bytes of an answer. */
const maximumStream = 256 * 1024 * 1024
/** Bytes read of an answer that is an error. */
const maximumRefusal = 16 * 1024
const refusalPatience = Duration.seconds(5)
/** How long the end of a body may lag behind its last event; reading it lets the connection be used again. */
const farewell = Duration.millis(200)

export interface Post {
  readonly path: string
  /** Headers of the protocol; those of the endpoint win. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Whether this event ends the answer, even if the server sends more. */
  readonly isLast: (data: string) => boolean
}

type Pull = Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<ModelError>>

interface Collected {
  text: string
  bytes: number
}

/** Reads into `into` until the end, or until it is more than `limit` bytes. */
const collect = (pull: Pull, limit: number, into: Collected): Effect.Effect<void, ModelError> => {
  const decoder = new TextDecoder()
  return Effect.whileLoop({
    while: () => into.bytes <= limit,
    body: () => pull,
    step: (chunk) => {
      for (const bytes of chunk) {
        into.bytes += bytes.length
        into.text += decoder.decode(bytes, { stream: true })
      }
    }
  }).pipe(Effect.catchAll(Option.match({ onNone: () => Effect.void, onSome: Effect.fail })))
}

/** An error's body helps to explain it, so what can be had of it in a short time is enough. */
const some = (pull: Pull): Effect.Effect<string> => {
  const collected: Collected = { text: "", bytes: 0 }
  return collect(pull, maximumRefusal, collected).pipe(
    Effect.timeout(refusalPatience),
    Effect.ignore,
    Effect.map(() => collected.text)
  )
}

const plain = (origin: Origin, pull: Pull): Effect.Effect<string, ModelError> => {
  const collected: Collected = { text: "", bytes: 0 }
  return Effect.flatMap(collect(pull, maximumEvent, collected), (): Effect.Effect<string, ModelError> => {
    const { bytes, text } = collected
    if (bytes > maximumEvent) return Effect.fail(malformed(origin, `an answer of more than ${maximumEvent} bytes`))
    return /^\s*\{/.test(text) && !/\}\s*$/.test(text)
      ? new ModelCut({ ...named(origin), reason: `it ends in the middle, after ${bytes} bytes` })
      : Effect.succeed(text)
  })
}

/** Nothing is sent where a redirect leads: the key of a profile is for the server that the profile names. */
const redirected = (origin: Origin, from: URL, post: Post, status: number, location: string | undefined) => {
  const to = location === undefined ? undefined : Url.parsed(location, from)
  if (to === undefined) return new ModelRejected({ ...named(origin), status, reason: "a redirect without a target" })
  const place = to.origin + to.pathname
  const base = place.endsWith(post.path) ? place.slice(0, -post.path.length) : undefined
  const mend =
    base === undefined ? "Check the profile's baseUrl" : `If you trust it, set the profile's baseUrl to ${base}`
  const reason = oneLine(origin, `the server redirects to ${place}; nothing was sent there. ${mend}.`)
  return new ModelRejected({ ...named(origin), status, reason })
}

const streamed = (origin: Origin, pull: Pull, isLast: Post["isLast"]): Stream.Stream<string, ModelError> => {
  const decoder = EventDecoder.make(maximumEvent)
  let state: "open" | "said" | "over" = "open"
  let bytes = 0
  const over: Effect.Effect<never, Option.Option<ModelError>> = Effect.fail(Option.none())
  const emit = (events: ReadonlyArray<string>) => {
    const last = events.findIndex(isLast)
    if (last !== -1 && state === "open") state = "said"
    return Effect.succeed(Chunk.unsafeFromArray(last === -1 ? events : events.slice(0, last + 1)))
  }
  const next: Effect.Effect<Chunk.Chunk<string>, Option.Option<ModelError>> = Effect.suspend(() => {
    if (state === "over") return over
    if (state === "said")
      return pull.pipe(Effect.forever, Effect.timeout(farewell), Effect.ignore, Effect.zipRight(over))
    return Effect.matchEffect(pull, {
      onFailure: (error) => {
        if (Option.isSome(error)) return Effect.fail(error)
        state = "over"
        return emit(decoder.end())
      },
      onSuccess: (chunks) => {
        const events = decoder.feed(chunks)
        for (const chunk of chunks) bytes += chunk.length
        if (events === undefined) {
          return Effect.fail(Option.some(malformed(origin, `an event of more than ${maximumEvent} characters`)))
        }
        if (bytes > maximumStream) {
          return Effect.fail(Option.some(malformed(origin, `a stream of more than ${maximumStream} bytes`)))
        }
        return events.length === 0 ? next : emit(events)
      }
    })
  })
  return Stream.fromPull(Effect.succeed(next))
}

/**
 * The data of each event that a server streams, in the chunks of the network. An answer in plain JSON is one event,
 * anything else a `ModelMalformed`. The silence timeout covers the wait for headers and every wait for bytes.
 */
export const events = (
  http: HttpClient.HttpClient,
  endpoint: Endpoint,
  post: Post
): Stream.Stream<string, ModelError> => {
  const origin = originOf(endpoint)
  const silence = silenceTimeout(endpoint)
  const silent = () => new ModelSilent({ ...named(origin), silenceMillis: Duration.toMillis(silence) })
  const secretHeaders = Object.keys(endpoint.headers ?? {})

  const pullOf = (response: HttpClientResponse.HttpClientResponse) =>
    Effect.map(Stream.toPull(response.stream), (pull): Pull =>
      pull.pipe(
        Effect.mapError(
          Option.map((error) => new ModelCut({ ...named(origin), reason: ofCause(origin, error.cause ?? error) }))
        ),
        Effect.timeoutFail({ duration: silence, onTimeout: () => Option.some(silent()) })
      )
    )

  const open = Effect.gen(function* () {
    const url = urlOf(endpoint, post.path)
    if (url === undefined) {
      return yield* new ModelRejected({ ...named(origin), reason: "the profile's baseUrl is not a URL" })
    }
    const request = HttpClientRequest.post(url, {
      headers: {
        accept: "text/event-stream, application/json",
        "accept-encoding": "identity",
        ...post.headers,
        ...endpoint.headers
      },
      body: HttpBody.unsafeJson(post.body)
    })
    const response = yield* HttpClient.withScope(http)
      .execute(request)
      .pipe(
        Effect.mapError((error) => {
          const cause = error.cause ?? error
          const certificate = isCertificateRefused(cause) ? { certificate: true } : {}
          return new ModelUnreachable({ ...named(origin), reason: ofCause(origin, cause), ...certificate })
        }),
        Effect.timeoutFail({ duration: silence, onTimeout: silent }),
        Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, ...secretHeaders])
      )
    const { headers, status } = response
    if (status >= 300 && status < 400) return yield* redirected(origin, url, post, status, headers["location"])
    const pull = yield* pullOf(response)
    if (status < 200 || status > 299) {
      const body = yield* some(pull)
      return yield* ofRefusal(origin, { status, headers, body }, yield* Clock.currentTimeMillis)
    }
    const encoding = headers["content-encoding"] ?? "identity"
    if (!/^(?:identity)?$/i.test(encoding.trim())) {
      return yield* malformed(origin, `an answer with unrequested encoding ${encoding}`)
    }
    const type = headers["content-type"] ?? "text/event-stream"
    if (/[/+]json\b/i.test(type)) return Stream.fromEffect(plain(origin, pull))
    if (/^\s*text\/event-stream\b/i.test(type)) return streamed(origin, pull, post.isLast)
    const body = yield* some(pull)
    return yield* malformed(origin, `expected an event stream, got ${type}: ${body.replace(/<[^<>]*>/g, " ")}`)
  })

  return Stream.unwrapScoped(open)
}
