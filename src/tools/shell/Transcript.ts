import * as Effect from "effect/Effect"
import * as Capture from "../../process/Capture.ts"
import type { Channel, OutputChunk } from "../../process/ProcessCommand.ts"
import * as Pace from "../../system/Pace.ts"
import { type RedactorShape, slice } from "../../redaction/Redactor.ts"
import { stderr, stdout, type ToolCall } from "../../tool/ToolCall.ts"

/** What a command prints, without secrets: told to those who watch the call as it comes, and kept in part for the result. */
export interface Transcript {
  /** Waits until the chunk is taken: a slow watcher slows the command down. */
  readonly add: (chunk: OutputChunk) => Effect.Effect<void>
  /** The beginning and the end of all of it; nothing may be added afterwards. */
  readonly end: Effect.Effect<string>
  /** Gives what it has so far to `print`, and from now on all that comes, instead of telling and keeping it. */
  readonly divert: (print: (text: string) => Effect.Effect<void>) => Effect.Effect<void>
}

const slices = (text: string): ReadonlyArray<string> =>
  text.length <= slice
    ? [text]
    : Array.from({ length: Math.ceil(text.length / slice) }, (_, part) => text.slice(part * slice, (part + 1) * slice))

const tell = { stdout, stderr }
const channels: ReadonlyArray<Channel> = ["stdout", "stderr"]

export const make = (call: ToolCall, redactor: RedactorShape, limit: number): Transcript => {
  const capture = Capture.make(limit)
  const streams = { stdout: redactor.stream(), stderr: redactor.stream() }
  const turn = Effect.unsafeMakeSemaphore(1)
  let diverted: ((text: string) => Effect.Effect<void>) | undefined
  const say = (channel: Channel, text: string): Effect.Effect<void> => {
    if (text === "") return Effect.void
    if (diverted !== undefined) return diverted(text)
    capture.append(Capture.piece(text))
    return tell[channel](call, text)
  }
  return {
    add: ({ channel, text }) =>
      Effect.suspend(() => {
        const pace = Pace.make()
        return Effect.forEach(
          slices(text),
          (part) =>
            Effect.zipRight(turn.withPermits(1)(Effect.suspend(() => say(channel, streams[channel].push(part)))), pace),
          { discard: true }
        )
      }),
    end: Effect.suspend(() =>
      Effect.map(
        Effect.forEach(channels, (channel) => say(channel, streams[channel].flush()), { discard: true }),
        () => Capture.render(capture.result())
      )
    ),
    divert: (print) =>
      turn.withPermits(1)(
        Effect.suspend(() => {
          diverted = print
          return print(Capture.render(capture.result()))
        })
      )
  }
}
