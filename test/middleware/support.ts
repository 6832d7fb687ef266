import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { Middleware } from "../../src/middleware/Middleware.ts"

/** Writes its name on the way in and on the way out. */
export const traced =
  (log: Array<string>) =>
  (name: string): Middleware<unknown> =>
  (call, next) =>
    Effect.ensuring(
      Effect.zipRight(
        Effect.sync(() => log.push(`>${name}`)),
        Effect.suspend(() => next(call))
      ),
      Effect.sync(() => log.push(`<${name}`))
    )

/** What a trace of these names has to look like. */
export const nested = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...names.map((name) => `>${name}`),
  ...names.map((name) => `<${name}`).toReversed()
]

export interface Line {
  readonly level: string
  readonly text: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Keeps what is logged. */
export const recorder = () => {
  const lines: Array<Line> = []
  const logger = Logger.make<unknown, void>(({ annotations, logLevel, message }) => {
    const text = Array.isArray(message) ? message.map(String).join(" ") : String(message)
    lines.push({ level: logLevel.label, text, annotations: Object.fromEntries(HashMap.toEntries(annotations)) })
  })
  const layer = Logger.replace(Logger.defaultLogger, logger)
  return {
    lines,
    recording: <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.provide(Logger.withMinimumLogLevel(self, LogLevel.All), layer)
  }
}
