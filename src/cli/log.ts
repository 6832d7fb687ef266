import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import { logLine } from "../redaction/logLine.ts"

/** The words of a log call as one text. */
const text = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part: unknown) => (typeof part === "string" ? part : (JSON.stringify(part) ?? String(part))))
    .join(" ")

const lines = Logger.make(({ annotations, cause, date, logLevel, message }) =>
  logLine({
    time: date.toISOString(),
    level: logLevel.label,
    message: text(message),
    ...Object.fromEntries(HashMap.toEntries(annotations)),
    ...(Cause.isEmpty(cause) ? {} : { cause: Cause.pretty(cause) })
  })
)

/** Writes what `--log-level` lets through to standard error, each record one line of JSON without secrets. */
export const layer = Logger.replace(
  Logger.defaultLogger,
  Logger.map(lines, (line) => void process.stderr.write(`${line}\n`))
)
