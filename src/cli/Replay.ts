import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { errnoOf, errnoText } from "../system/errno.ts"
import { mistakesOf } from "../redaction/Mistake.ts"
import { decode, type Envelope, fromLine, schemaVersion } from "../runtime/Envelope.ts"
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
    return `${this.file}:${this.line}: ${this.problem}. ${this.line === 1 ? "Nothing" : "Only the lines before it"} was shown.`
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

const tooLong = `the line is longer than ${lineLimit} characters, the limit of an event`
const writes = "tollgate events SESSION --jsonl > FILE writes a recording"

/** Why a line is no event, in a sentence without its end. */
const problemOf = (line: string): string => {
  const json = Either.try((): unknown => JSON.parse(line))
  if (Either.isLeft(json)) return `the line is not JSON, or was cut off; ${writes}`
  const { version } = (typeof json.right === "object" && json.right !== null ? json.right : {}) as {
    readonly version?: unknown
  }
  if (typeof version === "number" && version > schemaVersion) {
    return `the event has schema version ${version}, this version of Tollgate knows ${schemaVersion}; upgrade it`
  }
  const found = decode(json.right)
  const mistakes = Either.isLeft(found) ? mistakesOf(found.left) : []
  if (version !== schemaVersion || mistakes.length === 0) return `the line is not an event; ${writes}`
  const first = mistakes[0]
  return `the event is invalid: ${first?.path.join(".")}: ${first?.problem}`
}

/** The events of a recorded file, one for each line; `-` is standard input. */
export const recorded = (file: string): Stream.Stream<Envelope, RecordingInvalid | RecordingUnreadable> =>
  Stream.suspend(() => {
    const unreadable = (cause: unknown) => new RecordingUnreadable({ file, reason: errnoText(errnoOf(cause)) })
    const invalid = (line: number, problem: string) => new RecordingInvalid({ file, line, problem })
    let number = 0
    let events = 0
    let longest = 0
    let endless = false
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
        const begins = number === 0 && longest === 0
        longest = text.includes("\n") ? 0 : longest + text.length
        if (begins && !/^\s*(?:\{|$)/.test(text.slice(0, 1024))) return invalid(1, `this is not a recording; ${writes}`)
        endless = longest > lineLimit
        return endless ? invalid(number + 1, tooLong) : Effect.succeed(text)
      }),
      Stream.splitLines,
      Stream.mapEffect((line) => {
        const at = ++number
        if (line.trim() === "") return Effect.succeed([])
        // What came of a line until it was too long is handed on all the same.
        if (endless || line.length > lineLimit) return invalid(at, tooLong)
        events++
        return Effect.mapBoth(fromLine(line), {
          onSuccess: (envelope) => [envelope],
          onFailure: (error) =>
            new RecordingInvalid({
              file,
              line: at,
              problem: error._tag === "EventTooDeep" ? error.message : problemOf(line)
            })
        })
      }),
      Stream.flattenIterables,
      Stream.concat(Stream.suspend(() => (events > 0 ? Stream.empty : invalid(1, `it has no events; ${writes}`))))
    )
  })

/** Shows a recorded file exactly as it was shown live. */
export const replay = (file: string) =>
  Effect.gen(function* () {
    const ui = yield* Ui
    yield* Effect.ensuring(present(recorded(file)), ui.stop)
  }).pipe(Effect.provide(Frontend.layer({ split: false, keys: false })))
