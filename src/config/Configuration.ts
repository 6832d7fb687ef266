import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { jsonError } from "../redaction/jsonError.ts"
import { hosted, type Profile } from "../model/Profile.ts"
import { type ConfigError, ConfigInvalid, type ConfigUnreadable, NoProfile, type Problem } from "./ConfigError.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { home, type Home } from "./Home.ts"
import * as Problems from "./Problems.ts"
import { type Key, keys, type Settings } from "./Settings.ts"
import * as Url from "../text/Url.ts"

/** A value as a file would have it, and where it is from. */
export interface Entry {
  readonly key: string
  readonly value: unknown
  /** `--profile`, `TOLLGATE_PROFILE`, a file, or `default`. */
  readonly source: string
}

/** What flags say, by key. */
export type Flags = Readonly<Record<string, { readonly flag: string; readonly value: unknown }>>

/** The configuration: flags before the environment before the file before the defaults; each value knows its source. */
export class Configuration extends Context.Tag("tollgate/config/Configuration")<
  Configuration,
  {
    readonly home: Home
    readonly settings: Settings
    readonly profiles: Readonly<Record<string, Profile>>
    /** The profile used where none is named. */
    readonly preferred: Effect.Effect<string, NoProfile>
    readonly entries: ReadonlyArray<Entry>
    /** Reads a variable that holds a credential. */
    readonly secret: (variable: string) => Option.Option<Redacted.Redacted>
  }
>() {
  static readonly layer = (flags: Flags = {}): Layer.Layer<Configuration, ConfigError> =>
    Layer.effect(
      Configuration,
      Effect.flatMap(
        inspect(flags),
        ({
          configuration,
          problems: [first, ...others],
          unreadable
        }): Effect.Effect<Configuration["Type"], ConfigUnreadable | ConfigInvalid> => {
          if (unreadable !== undefined) return Effect.fail(unreadable)
          return first === undefined
            ? Effect.succeed(configuration)
            : Effect.fail(new ConfigInvalid({ problems: [first, ...others] }))
        }
      )
    )
}

/** The profiles that come from nothing but a key in the environment. */
export const implied = {
  openai: { provider: "openai", model: "gpt-5" },
  anthropic: { provider: "anthropic", model: "claude-sonnet-4-5" }
} as const satisfies Readonly<Record<string, Profile>>

const variable = (name: string): Effect.Effect<Option.Option<Redacted.Redacted>> =>
  Config.redacted(name).pipe(Effect.option, Effect.map(Option.filter((value) => Redacted.value(value).trim() !== "")))

/** JSON where it is JSON, text otherwise. */
export const parseValue = (text: string): unknown =>
  Either.getOrElse(
    Either.try((): unknown => JSON.parse(text)),
    () => text
  )

/** The problems of a value that was given as text, which also say where it looks like JSON and is none. */
export const asWritten = (problems: ReadonlyArray<Problem>, text: string): ReadonlyArray<Problem> =>
  typeof parseValue(text) === "string" && /^\s*[[{"]/.test(text)
    ? problems.map((one) => ({ ...one, problem: `${one.problem}; ${jsonError(text)}` }))
    : problems

const unset = Symbol("unset")

/** The source of an unset value. */
export const fallback = "default"

const find = ({ fallback: usual = unset, name, variable }: Key, flags: Flags, file: string, json: ConfigFile.Json) => {
  const flag = flags[name]
  if (flag !== undefined) return Effect.succeed<Entry>({ key: name, value: flag.value, source: flag.flag })
  return Effect.map(Effect.option(Config.nonEmptyString(variable)), (text): Entry => {
    if (Option.isSome(text)) return { key: name, value: parseValue(text.value), source: variable }
    const stored = ConfigFile.at(json, name.split("."))
    return stored === undefined
      ? { key: name, value: usual, source: fallback }
      : { key: name, value: stored, source: file }
  })
}

/** The usable part of the configuration, and the problems of the rest. */
export interface Inspected {
  readonly configuration: Configuration["Type"]
  readonly problems: ReadonlyArray<Problem>
  /** The file counts as empty. */
  readonly unreadable: ConfigUnreadable | undefined
}

/** Whether a problem is part of what a key holds. */
export const isIn = (problem: Problem, key: string): boolean => problem.key === key || problem.key.startsWith(`${key}.`)

/** The same, or the key is part of what the problem is about. */
export const concerns = (problem: Problem, key: string): boolean =>
  isIn(problem, key) || key.startsWith(`${problem.key}.`)

/** The object without what is wrong with it: whole keys, whole profiles. */
const without = (json: ConfigFile.Json, problems: ReadonlyArray<Problem>): ConfigFile.Json =>
  problems.reduce((rest, { key }) => {
    const [first, second] = key.split(".")
    const whole =
      keys.find(({ name }) => key === name || key.startsWith(`${name}.`))?.name ??
      (first === "profiles" && second !== undefined ? `${first}.${second}` : key)
    return ConfigFile.replaceAt(rest, ConfigFile.stepsTo(rest, whole) ?? [], undefined)
  }, json)

/** Reads the configuration even where parts of it cannot be used; `unsaved` profiles count as if they were in the file. */
export const inspect = (
  flags: Flags = {},
  unsaved: Readonly<Record<string, Profile>> = {}
): Effect.Effect<Inspected, ConfigInvalid> =>
  Effect.gen(function* () {
    const places = yield* home
    const file = yield* Effect.either(ConfigFile.read(places.config))
    const json = Object.entries(unsaved).reduce(
      (stored, [name, profile]) => ConfigFile.replaceAt(stored, ["profiles", name], profile),
      Either.getOrElse(file, (): ConfigFile.Json => ({}))
    )
    const entries: Array<Entry> = []
    const problems: Array<Problem> = []
    let own = json
    const others: Array<readonly [steps: ReadonlyArray<string>, value: unknown]> = []
    for (const key of keys) {
      const entry = yield* find(key, flags, places.config, json)
      if (entry.value === unset) continue
      entries.push(entry)
      if (entry.source === places.config) continue
      const steps = key.name.split(".")
      if (entry.source !== fallback) {
        own = ConfigFile.replaceAt(own, steps, undefined)
        const wrong = Problems.inVariable(entry.source, ConfigFile.replaceAt({}, steps, entry.value))
        problems.push(...(typeof entry.value === "string" ? asWritten(wrong, entry.value) : wrong))
        if (wrong.length > 0) continue
      }
      others.push([steps, entry.value])
    }
    const merged = ConfigFile.withAll(json, others)
    let settings = Problems.settingsOf(merged)
    if (settings === undefined) {
      problems.unshift(...Problems.inFile(places.config, own))
      settings = Problems.settingsOf(without(merged, problems)) ?? {}
    }

    const profiles: Record<string, Profile> = { ...settings.profiles }
    for (const [name, profile] of Object.entries(profiles)) {
      entries.push({ key: `profiles.${name}`, value: shown(profile), source: places.config })
    }
    const secrets = new Map<string, Redacted.Redacted>()
    const named = Object.values(profiles).flatMap((profile) =>
      "apiKeyVariable" in profile && profile.apiKeyVariable !== undefined ? [profile.apiKeyVariable] : []
    )
    for (const name of new Set([...named, ...Object.values(hosted).map(({ apiKeyVariable }) => apiKeyVariable)])) {
      const value = yield* variable(name)
      if (Option.isSome(value)) secrets.set(name, value.value)
    }
    for (const provider of ["openai", "anthropic"] as const) {
      const { apiKeyVariable } = hosted[provider]
      if (Object.hasOwn(profiles, provider) || !secrets.has(apiKeyVariable)) continue
      const profile: Profile = implied[provider]
      profiles[provider] = profile
      entries.push({ key: `profiles.${provider}`, value: shown(profile), source: apiKeyVariable })
    }
    const [first] = Object.keys(profiles)
    const preferred = settings.profile ?? first
    if (settings.profile === undefined && first !== undefined) {
      entries.unshift({ key: "profile", value: first, source: fallback })
    }
    const configuration = Configuration.of({
      home: places,
      settings,
      profiles,
      preferred:
        preferred !== undefined && first !== undefined
          ? Effect.succeed(preferred)
          : new NoProfile(preferred === undefined ? {} : { profile: preferred }),
      entries,
      secret: (name) => Option.fromNullable(secrets.get(name))
    })
    return { configuration, problems, unreadable: Either.isLeft(file) ? file.left : undefined }
  })

/** Fields in which people put credentials although a profile has a better place for them. */
const hidden: ReadonlySet<string> = new Set(["headers", "options"])

/** A URL without the credentials and the query that it may carry. */
export const bare = (value: unknown): unknown => {
  const url = typeof value === "string" ? Url.parsed(value) : undefined
  if (url === undefined) return value
  return `${url.protocol}//${url.username === "" ? "" : "(hidden)@"}${url.host}${url.pathname}${url.search === "" ? "" : "?(hidden)"}`
}

/** A profile as it may be shown: durations as text, nothing that may be a secret. */
export const shown = (profile: object): ConfigFile.Json =>
  Object.fromEntries(
    Object.entries(profile).map(([name, value]: [string, unknown]) => [
      name,
      hidden.has(name) ? "(hidden)" : name === "baseUrl" ? bare(value) : value
    ])
  )
