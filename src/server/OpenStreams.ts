import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"
import { Unavailable } from "./ApiError.ts"
import { Limits } from "./Limits.ts"

/** How often the open streams are looked at. */
const glance = "500 millis"

/** A stream that is written, as it was when something of it last went out; epoch milliseconds. */
interface Watched {
  readonly counts: Effect.Effect<boolean>
  bytes: number
  since: number
}

/** Counts the streams and sockets that are open, and lets no more in than the limits say. */
export class OpenStreams extends Context.Tag("tollgate/server/OpenStreams")<
  OpenStreams,
  {
    readonly enter: Effect.Effect<void, Unavailable>
    readonly leave: () => void
    /**
     * Closes a stream whose token counts no more, or whose reader takes nothing for too long; a quiet one says now and then
     * that it is there.
     */
    readonly watch: (response: ServerResponse, counts: Effect.Effect<boolean>) => void
  }
>() {
  static readonly layer: Layer.Layer<OpenStreams> = Layer.scoped(
    OpenStreams,
    Effect.gen(function* () {
      const { heartbeat, stall, streams } = yield* Limits
      const [beat, patience] = [Duration.toMillis(heartbeat), Duration.toMillis(stall)]
      const watched = new Map<ServerResponse, Watched>()
      let open = 0
      const look = (response: ServerResponse, one: Watched, now: number): void => {
        const bytes = response.socket?.bytesWritten ?? 0
        const isFull = response.writableLength > 0
        if (bytes !== one.bytes) {
          one.bytes = bytes
          one.since = now
        } else if (isFull && now - one.since >= patience) response.destroy()
        else if (!isFull && response.headersSent && now - one.since >= beat) response.write(": \n\n")
      }
      const round = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        for (const [response, one] of watched) {
          if (yield* one.counts) look(response, one, now)
          else response.destroy()
        }
      })
      yield* Effect.forkScoped(Effect.forever(Effect.delay(round, glance)))
      return {
        enter: Effect.suspend(() => {
          if (open >= streams) {
            return new Unavailable({ message: `${streams} streams are open already; close one.`, retryAfter: 1 })
          }
          open += 1
          return Effect.void
        }),
        leave: () => {
          open -= 1
        },
        watch: (response, counts) => {
          watched.set(response, { counts, bytes: -1, since: 0 })
          response.once("close", () => watched.delete(response))
        }
      }
    })
  )
}
