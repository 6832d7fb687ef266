import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { logLine } from "../redaction/logLine.ts"
import { Redactor } from "../redaction/Redactor.ts"

/** The words of a log call as one text. */
const text = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part: unknown) => (typeof part === "string" ? part : (JSON.stringify(part) ?? String(part))))
    .join(" ")

/** The redactor of the program that logs. */
const redactor = (refs: FiberRefs.FiberRefs): Redactor["Type"] =>
  Context.get(FiberRefs.getOrDefault(refs, FiberRef.currentContext), Redactor)

const lines = Logger.make(({ annotations, cause, context, date, logLevel, message }) =>
  logLine(
    {
      time: date.toISOString(),
      level: logLevel.label,
      message: text(message),
      ...Object.fromEntries(HashMap.toEntries(annotations)),
      ...(Cause.isEmpty(cause) ? {} : { cause: Cause.pretty(cause) })
    },
    redactor(context).text
  )
)

/** Writes what `--log-level` lets through to standard error, each record one line of JSON without secrets. */
export const layer = Logger.replace(
  Logger.defaultLogger,
  Logger.map(lines, (line) => void process.stderr.write(`${line}\n`))
)

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  error: LogLevel.Error,
  warning: LogLevel.Warning,
  info: LogLevel.Info,
  debug: LogLevel.Debug
}

/** The level of a value of `--log-level`. */
export const levelOf = (name: string): LogLevel.LogLevel => levels[name] ?? LogLevel.All
