import type { StreamableHTTPClientTransportOptions } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"

/** When a stream that has ended is asked for again, however soon its server wants that. */
export interface Reconnecting {
  readonly reconnectionScheduler: NonNullable<StreamableHTTPClientTransportOptions["reconnectionScheduler"]>
  /** The server has said something: the next times count as the first. */
  readonly heard: () => void
}

/** Before a stream that has just ended. */
const shortest = Duration.millis(100)

/** Times in a row that a server may have at its own pace, also where it never says anything. */
const free = 3

/** Between two streams that bring nothing. */
const longest = Duration.seconds(5)

const spaceAfter = (fruitless: number): Duration.Duration =>
  fruitless < free ? Duration.zero : Duration.min(Duration.millis(250 * 2 ** (fruitless - free)), longest)

export const make: Effect.Effect<Reconnecting> = Effect.map(Effect.runtime(), (runtime) => {
  let fruitless = 0
  let notBefore = 0
  const wait = (millis: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const begin = Math.max(now + Math.max(millis, Duration.toMillis(shortest)), notBefore)
      notBefore = begin + Duration.toMillis(spaceAfter(++fruitless))
      return Effect.sleep(begin - now)
    })
  return {
    reconnectionScheduler: (reconnect, millis) => {
      const waiting = Runtime.runFork(runtime)(Effect.zipRight(wait(millis), Effect.sync(reconnect)))
      return () => void Runtime.runFork(runtime)(Fiber.interrupt(waiting))
    },
    heard: () => {
      fruitless = 0
      notBefore = 0
    }
  }
})
