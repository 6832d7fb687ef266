import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as path from "node:path"
import { ConfigInvalid, ConfigKeyUnknown, setUp } from "../config/ConfigError.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import { Configuration, parseValue, shown } from "../config/Configuration.ts"
import { home } from "../config/Home.ts"
import { keys } from "../config/Settings.ts"
import { makeVisible } from "../redaction/visible.ts"
import { similar } from "./Guard.ts"
import { columns } from "./Layout.ts"
import { Screen } from "./Screen.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const screen = Screen.layer({ split: false })

/** Shows every value and where it is from; secrets are not shown. */
export const showAll = Effect.gen(function* () {
  const { answer, style } = yield* Screen
  const { entries, home, profiles } = yield* Configuration
  const wide = Math.max(...entries.map(({ key }) => columns(key)))
  const lines = entries.map(
    ({ key, source, value }) =>
      `${style.bold(key.padEnd(wide))}  ${makeVisible(text(value))}  ${style.dim(`(${source})`)}`
  )
  const none =
    Object.keys(profiles).length > 0
      ? []
      : ["", "No model is configured. Any one of these sets one up:", ...setUp.map((line) => `  ${line}`)]
  const places = ["", style.dim(`file      ${home.config}`), style.dim(`sessions  ${home.database}`)]
  yield* answer(`${[...lines, ...none, ...places].join("\n")}\n`)
}).pipe(Effect.provide(screen), Effect.provide(Configuration.layer()))

const unknown = (key: string) => {
  const near = similar(
    key,
    keys.map(({ name }) => name)
  )
  return new ConfigKeyUnknown({ key, ...(near === undefined ? {} : { similar: near }) })
}

/** The steps to a key that the file may have. */
const stepsOf = (key: string): Effect.Effect<ReadonlyArray<string>, ConfigKeyUnknown> => {
  const steps = key.split(".")
  const known =
    keys.some(({ name }) => name === key) || (steps[0] === "profiles" && steps.length > 1 && !steps.includes(""))
  return known ? Effect.succeed(steps) : unknown(key)
}

/** Prints one value. */
export const get = (key: string) =>
  Effect.gen(function* () {
    const { answer } = yield* Screen
    const { entries } = yield* Configuration
    yield* key === "profiles" ? Effect.void : stepsOf(key)
    const exact = entries.find((entry) => entry.key === key)
    const [, name, ...rest] = key.split(".")
    const profile = entries.find((entry) => entry.key === `profiles.${name ?? ""}`)
    const all = Object.fromEntries(
      entries.flatMap((entry) =>
        entry.key.startsWith("profiles.") ? [[entry.key.slice("profiles.".length), entry.value]] : []
      )
    )
    const value =
      exact?.value ??
      (key === "profiles" ? all : key.startsWith("profiles.") ? ConfigFile.at(profile?.value, rest) : undefined)
    if (value === undefined) {
      return yield* new ConfigInvalid({ source: "config get", path: key, problem: "it is not set" })
    }
    yield* answer(`${makeVisible(text(value))}\n`)
  }).pipe(Effect.provide(screen), Effect.provide(Configuration.layer()))

/** Puts one value into the file, or takes it out; the file stays valid. */
export const set = (key: string, written: Option.Option<string>) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const steps = yield* stepsOf(key)
    const file = (yield* home).config
    const { json } = yield* ConfigFile.read(file)
    const given = Option.getOrUndefined(Option.map(written, parseValue))
    const old = ConfigFile.at(json, steps)
    const value = typeof old === "string" && typeof given === "number" ? Option.getOrUndefined(written) : given
    const next = ConfigFile.replaceAt(json, steps, value)
    yield* ConfigFile.settingsOf(`config set ${key}`, next)
    yield* ConfigFile.write(file, next)
    const safe = typeof value === "object" && value !== null && !Array.isArray(value) ? shown(value) : value
    const what = value === undefined ? "is not set any more" : `= ${makeVisible(text(safe))}`
    yield* answer(`${key} ${what}  ${style.dim(`(${path.resolve(file)})`)}\n`)
  }).pipe(Effect.provide(screen))
