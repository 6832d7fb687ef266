import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { type Envelope, fromLine } from "../runtime/Envelope.ts"
import { present } from "../ui/present.ts"
import { Ui } from "../ui/Ui.ts"
import * as Frontend from "./Frontend.ts"

/** A recorded file cannot be played; `line` counts from 1. */
export class RecordingInvalid extends Schema.TaggedError<RecordingInvalid>()("RecordingInvalid", {
  file: Schema.String,
  line: Schema.Number,
  problem: Schema.String
}) {
  override get message() {
    return `${this.file}:${this.line}: ${this.problem}`
  }
}

export class RecordingUnreadable extends Schema.TaggedError<RecordingUnreadable>()("RecordingUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The recording ${this.file} cannot be read: ${this.reason}. tollgate events SESSION --jsonl > FILE writes one.`
  }
}

/** Characters of one line of a recording. */
const lineLimit = 64 * 1024 * 1024

/** The events of a recorded file, one for each line; `-` is standard input. */
export const recorded = (file: string): Stream.Stream<Envelope, RecordingInvalid | RecordingUnreadable> =>
  Stream.suspend(() => {
    const unreadable = (cause: unknown) =>
      new RecordingUnreadable({ file, reason: cause instanceof Error ? cause.message : String(cause) })
    let number = 0
    let longest = 0
    return Stream.unwrapScoped(
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => (file === "-" ? process.stdin : fs.createReadStream(file))),
          (input) => Effect.sync(() => void input.destroy())
        ),
        (input) => Stream.fromAsyncIterable<Buffer, RecordingUnreadable>(input as AsyncIterable<Buffer>, unreadable)
      )
    ).pipe(
      Stream.decodeText(),
      Stream.mapEffect((text) => {
        longest = text.includes("\n") ? 0 : longest + text.length
        return longest > lineLimit
          ? new RecordingInvalid({ file, line: number + 1, problem: "the line has no end" })
          : Effect.succeed(text)
      }),
      Stream.splitLines,
      Stream.mapEffect((line) => {
        const at = ++number
        if (line.trim() === "") return Effect.succeed([])
        return Effect.mapBoth(fromLine(line), {
          onSuccess: (envelope) => [envelope],
          onFailure: (error) =>
            new RecordingInvalid({
              file,
              line: at,
              problem: `not an event of this version: ${error.message.replaceAll(/\s+/g, " ").slice(0, 200)}`
            })
        })
      }),
      Stream.flattenIterables
    )
  })

/** Shows a recorded file exactly as it was shown live (R6). */
export const replay = (file: string) =>
  Effect.gen(function* () {
    const ui = yield* Ui
    yield* Effect.ensuring(present(recorded(file)), ui.stop)
  }).pipe(Effect.provide(Frontend.layer({ split: false, keys: false })))
