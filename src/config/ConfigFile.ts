import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { replaceFile } from "../database/replaceFile.ts"
import { ConfigInvalid, ConfigUnreadable, ConfigUnwritable } from "./ConfigError.ts"
import { Settings } from "./Settings.ts"

/** JSON as a file has it. */
export type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Bytes of a configuration file. */
const sizeLimit = 1024 * 1024

const because = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const decode = Schema.decodeUnknownEither(Settings, { onExcessProperty: "error", errors: "all" })

/** The first of what is wrong with a value, without repeating the value: it may hold a secret. */
export const problemOf = (source: string, prefix: string, error: ParseResult.ParseError): ConfigInvalid => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const where = [...(prefix === "" ? [] : [prefix]), ...(first?.path ?? [])].join(".")
  const problem = (first?.message ?? "invalid").replaceAll(/\s+/g, " ").slice(0, 300)
  return new ConfigInvalid({ source, path: where === "" ? "the whole" : where, problem })
}

/** The file as JSON and as settings, both checked; a missing one is empty. */
export const read = (
  file: string
): Effect.Effect<{ readonly json: Json; readonly settings: Settings }, ConfigUnreadable | ConfigInvalid> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => {
        if (!fs.existsSync(file)) return "{}"
        if (fs.statSync(file).size > sizeLimit) throw new Error(`it is larger than ${sizeLimit} bytes`)
        return fs.readFileSync(file, "utf8")
      },
      catch: (error) => new ConfigUnreadable({ file, reason: because(error) })
    })
    const json = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (error) => new ConfigUnreadable({ file, reason: `it is not JSON (${because(error)})` })
    })
    if (!isRecord(json)) return yield* new ConfigUnreadable({ file, reason: "it is not a JSON object" })
    return { json, settings: yield* settingsOf(file, json) }
  })

export const settingsOf = (source: string, json: unknown): Either.Either<Settings, ConfigInvalid> =>
  Either.mapLeft(decode(json), (error) => problemOf(source, "", error))

/** The value at a path of keys; none where the path leaves the object. */
export const at = (json: unknown, steps: ReadonlyArray<string>): unknown =>
  steps.reduce<unknown>(
    (value, step) => (isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    json
  )

/** The object with another value at a path, or without it where the value is undefined. */
export const replaceAt = (json: Json, steps: ReadonlyArray<string>, value: unknown): Json => {
  const [step, ...rest] = steps
  if (step === undefined) return json
  const old = Object.hasOwn(json, step) ? json[step] : undefined
  const next = rest.length === 0 ? value : replaceAt(isRecord(old) ? old : {}, rest, value)
  return Object.fromEntries([
    ...Object.entries(json).filter(([name]) => name !== step),
    ...(next === undefined ? [] : [[step, next] as const])
  ])
}

/** Replaces the file as a whole, for its owner's eyes only; a crash leaves the old one or the new one. */
export const write = (file: string, json: Json): Effect.Effect<void, ConfigUnwritable> =>
  Effect.try({
    try: () => {
      // A link stays one.
      replaceFile(fs.existsSync(file) ? fs.realpathSync(file) : file, `${JSON.stringify(json, null, 2)}\n`)
    },
    catch: (error) => new ConfigUnwritable({ file, reason: because(error) })
  })
