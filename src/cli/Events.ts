import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { makeVisible } from "../text/visible.ts"
import { type Envelope, toLine } from "../runtime/Envelope.ts"
import { Runtime } from "../runtime/Runtime.ts"
import * as JsonOutput from "./jsonOutput.ts"
import { UsageError } from "./Outcome.ts"
import { fit } from "./terminal/Layout.ts"
import { reading } from "./reading.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { Screen } from "./terminal/Screen.ts"
import { named } from "./SessionId.ts"

export interface EventsOptions extends JsonOutput.JsonOptions {
  /** The last one of the project if unset. */
  readonly session: Option.Option<string>
  readonly from: number
  readonly follow: boolean
}

/** One event as a line: its number, when it was since the first, where it belongs, what it says. */
const line =
  (start: number, { style, width }: Screen["Type"]) =>
  ({ event, seq, task, time, worker }: Envelope): string => {
    const { _tag, ...fields } = event._tag === "UnknownEvent" ? { ...event.json, _tag: event.tag } : event
    const place = [task?.slice(0, 13), worker?.join("/")].filter((part) => part !== undefined).join(" ")
    const head = `${String(seq).padStart(5)} ${style.dim(`+${((time - start) / 1000).toFixed(3)}s`)} ${style.bold(makeVisible(_tag))} ${style.dim(makeVisible(place))}`
    const said = JSON.stringify(fields)
    return fit(`${head}${said === "{}" ? "" : ` ${makeVisible(said)}`}`, width() - 1)
  }

/** Prints the events of a session from a number on, and what is yet to come where it follows. */
export const events = ({ follow, from, json, jsonl, session }: EventsOptions) =>
  Effect.gen(function* () {
    yield* JsonOutput.oneOf({ json, jsonl })
    if (json && follow) return yield* new UsageError({ reason: "--json has an end; follow with --jsonl." })
    const runtime = yield* Runtime
    const screen = yield* Screen
    const id = yield* named(session)
    let start: number | undefined
    const found = runtime.subscribe(id, { from, follow })
    if (json) {
      const lines = yield* Stream.runCollect(Stream.map(found, toLine))
      return yield* screen.answer(JsonOutput.render([...lines], { json }))
    }
    yield* found.pipe(
      Stream.runForEachChunk((chunk) => {
        const text = Array.from(chunk, (envelope) => {
          start ??= envelope.time
          return `${jsonl ? toLine(envelope) : line(start, screen)(envelope)}\n`
        })
        return screen.answer(text.join(""))
      })
    )
  }).pipe(Effect.provide(reading), Effect.provide(Screen.layer({ split: false })), Effect.provide(ReadOnlyHome.reading))
