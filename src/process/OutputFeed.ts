import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Readable } from "node:stream"
import { TextDecoder } from "node:util"
import type { Channel, OutputChunk } from "./ProcessCommand.ts"
import { turn } from "./RealClock.ts"

/** Bytes read ahead of the consumer before the child has to wait. */
const ahead = 64 * 1024

/** Bytes taken once the leader has exited: more than its pipes can hold, so none of its own is lost. */
const rest = 1024 * 1024

/** Turns of the event loop in which a pipe of the greatest size is read; each reads 64 KiB at least. */
const mostTurns = 64

export interface OutputFeed {
  /** Text in the order of its arrival, for one consumer. No code point is split; a broken one becomes U+FFFD. */
  readonly output: Stream.Stream<OutputChunk>
  /** From now on what is left is read without waiting for the consumer. */
  readonly exited: () => void
  /**
   * Waits until all that the leader wrote is read: until both channels end, or a turn of the event loop brings nothing,
   * or more turns have passed than a full pipe needs.
   */
  readonly settled: Effect.Effect<void>
  /** Nothing more is read; what was read is still given. */
  readonly cut: () => void
  /** Whether a channel was closed before its end was reached. */
  readonly truncated: (channel: Channel) => boolean
  readonly destroy: () => void
}

interface Pending {
  readonly channel: Channel
  readonly bytes: Uint8Array
}

const nobody = (): void => {}

/** Turns the two ends of a child's output into one stream that holds the child back when its consumer is slow. */
export const make = (sources: Readonly<Record<Channel, Readable>>): OutputFeed => {
  const channels: ReadonlyArray<Channel> = ["stdout", "stderr"]
  const decoders: Readonly<Record<Channel, TextDecoder>> = {
    stdout: new TextDecoder("utf-8", { ignoreBOM: true }),
    stderr: new TextDecoder("utf-8", { ignoreBOM: true })
  }
  const open = new Set(channels)
  const undecoded = new Set(channels)
  const pending: Array<Pending> = []
  const ended = new Set<Channel>()
  let size = 0
  let received = 0
  let limit = ahead
  let wake = nobody

  const flow = (): void => {
    for (const channel of open) {
      if (size < limit) sources[channel].resume()
      else sources[channel].pause()
    }
  }
  const close = (channel: Channel): void => {
    open.delete(channel)
    wake()
  }
  for (const channel of channels) {
    const source = sources[channel]
    source.on("data", (bytes: Uint8Array) => {
      if (!open.has(channel)) return
      pending.push({ channel, bytes })
      size += bytes.length
      received += bytes.length
      flow()
      wake()
    })
    source.on("end", () => {
      if (open.has(channel)) ended.add(channel)
      close(channel)
    })
    for (const event of ["close", "error"]) source.on(event, () => close(channel))
  }

  const ready = Effect.async<void>((resume) => {
    if (pending.length > 0 || open.size === 0) return resume(Effect.void)
    wake = () => resume(Effect.void)
    return Effect.sync(() => {
      wake = nobody
    })
  })
  const dangling = (): OutputChunk | undefined => {
    for (const channel of undecoded) {
      undecoded.delete(channel)
      const text = decoders[channel].decode()
      if (text !== "") return { channel, text }
    }
    return undefined
  }
  const take: Effect.Effect<OutputChunk, Option.Option<never>> = Effect.suspend(() => {
    const next = pending.shift()
    if (next === undefined) {
      if (open.size > 0) return Effect.zipRight(ready, take)
      const last = dangling()
      return last ? Effect.succeed(last) : Effect.fail(Option.none())
    }
    size -= next.bytes.length
    flow()
    const text = decoders[next.channel].decode(next.bytes, { stream: true })
    return text === "" ? take : Effect.succeed({ channel: next.channel, text })
  })

  const settled = Effect.gen(function* () {
    for (let turns = 0, before = -1; turns < mostTurns && open.size > 0 && before !== received; turns++) {
      before = received
      yield* turn
    }
  })

  return {
    settled,
    truncated: (channel) => !ended.has(channel),
    output: Stream.repeatEffectOption(take),
    exited: () => {
      limit = size + rest
      flow()
    },
    cut: () => {
      for (const channel of channels) close(channel)
    },
    destroy: () => {
      for (const channel of channels) {
        close(channel)
        sources[channel].destroy()
      }
    }
  }
}
