import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { hosted, type Profile } from "../model/Profile.ts"
import { type ConfigError, ConfigInvalid, NoProfile } from "./ConfigError.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { home, type Home } from "./Home.ts"
import { type Key, keys, type Settings } from "./Settings.ts"

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
      Effect.suspend(() => load(flags))
    )
}

/** Models of the profiles that come from nothing but a key in the environment. */
const models = { openai: "gpt-5", anthropic: "claude-sonnet-4-5" } as const

const variable = (name: string): Effect.Effect<Option.Option<Redacted.Redacted>> =>
  Config.redacted(name).pipe(Effect.option, Effect.map(Option.filter((value) => Redacted.value(value).trim() !== "")))

/** JSON where it is JSON, text otherwise. */
export const parseValue = (text: string): unknown =>
  Either.getOrElse(
    Either.try((): unknown => JSON.parse(text)),
    () => text
  )

const unset = Symbol("unset")

const find = (key: Key, flags: Flags, file: string, json: ConfigFile.Json) =>
  Effect.gen(function* () {
    const flag = flags[key.name]
    if (flag !== undefined) return { key: key.name, value: flag.value, source: flag.flag }
    const text = yield* Effect.option(Config.nonEmptyString(key.variable))
    if (Option.isSome(text)) return { key: key.name, value: parseValue(text.value), source: key.variable }
    const stored = ConfigFile.at(json, key.name.split("."))
    return stored === undefined
      ? { key: key.name, value: key.fallback ?? unset, source: "default" }
      : { key: key.name, value: stored, source: file }
  })

const load = (flags: Flags) =>
  Effect.gen(function* () {
    const places = yield* home
    const { json } = yield* ConfigFile.read(places.config)
    const entries: Array<Entry> = []
    let merged: ConfigFile.Json = json
    for (const key of keys) {
      const entry = yield* find(key, flags, places.config, json)
      if (entry.value === unset) continue
      entries.push(entry)
      if (entry.source !== places.config) {
        const one = ConfigFile.replaceAt({}, key.name.split("."), entry.value)
        yield* Either.mapLeft(
          ConfigFile.settingsOf(entry.source, one),
          ({ path, problem, source }) => new ConfigInvalid({ source, path, problem })
        )
      }
      merged = ConfigFile.replaceAt(merged, key.name.split("."), entry.value)
    }
    const settings = yield* ConfigFile.settingsOf(places.config, merged)

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
      const profile: Profile = { provider, model: models[provider] }
      profiles[provider] = profile
      entries.push({ key: `profiles.${provider}`, value: shown(profile), source: apiKeyVariable })
    }
    const [first] = Object.keys(profiles)
    const preferred = settings.profile ?? first
    if (settings.profile === undefined && first !== undefined) {
      entries.unshift({ key: "profile", value: first, source: "default" })
    }
    return Configuration.of({
      home: places,
      settings,
      profiles,
      preferred: preferred === undefined || first === undefined ? new NoProfile() : Effect.succeed(preferred),
      entries,
      secret: (name) => Option.fromNullable(secrets.get(name))
    })
  })

/** Fields in which people put credentials although a profile has a better place for them. */
const hidden: ReadonlySet<string> = new Set(["headers", "options"])

/** A URL without the credentials and the query that it may carry. */
const bare = (value: unknown): unknown => {
  if (typeof value !== "string" || !URL.canParse(value)) return value
  const url = new URL(value)
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
