import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as path from "node:path"
import { ConfigInvalid, ConfigKeyUnknown, type Problem, setUp } from "../config/ConfigError.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import { locked } from "../config/ConfigLock.ts"
import { asWritten, concerns, isIn, implied, inspect, parseValue, shown } from "../config/Configuration.ts"
import { home } from "../config/Home.ts"
import * as Problems from "../config/Problems.ts"
import { keys } from "../config/Settings.ts"
import { makeVisible } from "../text/visible.ts"
import { similar } from "./Guard.ts"
import { columns } from "./terminal/Layout.ts"
import { Screen } from "./terminal/Screen.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/** The same for a reader, who is told what a number counts. */
const told = (key: string, value: unknown): string => {
  const unit = keys.find(({ name }) => name === key)?.unit
  return unit !== undefined && typeof value === "number" && value > 0 ? `${value} ${unit}` : text(value)
}

const screen = Screen.layer({ split: false })

/** Fails where there are problems. */
const refuse = ([first, ...others]: ReadonlyArray<Problem>): Effect.Effect<void, ConfigInvalid> =>
  first === undefined ? Effect.void : new ConfigInvalid({ problems: [first, ...others] })

/** Shows every value and where it is from, as rows or as one JSON document, and marks what cannot be used; secrets are not shown. */
export const showAll = (json: boolean) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { configuration, problems, unreadable } = yield* inspect()
    const { entries, home, profiles } = configuration
    // What it would say is not known, and what it would advise cannot be done.
    if (unreadable !== undefined && !json) return yield* unreadable
    if (json) {
      const places = { file: home.config, sessions: home.database }
      yield* answer(`${JSON.stringify({ ...places, values: entries, problems })}\n`)
      return yield* unreadable ?? refuse(problems)
    }
    const known = entries.map(({ key, source, value }) => ({
      key,
      said: `${makeVisible(told(key, value))}  ${style.dim(`(${source})`)}`,
      wrong: problems.filter((problem) => isIn(problem, key))
    }))
    // One of a whole group is shown once, by the name of the group.
    const others = problems
      .filter((problem) => !entries.some(({ key }) => isIn(problem, key)))
      .map((problem) => ({ key: problem.key, said: style.dim(`(${problem.source})`), wrong: [problem] }))
    const unset = keys
      .filter(({ name }) => ![...known, ...others].some(({ key }) => key === name))
      .map(({ about, name }) => ({ key: name, said: style.dim(`not set: ${about}`), wrong: [] }))
    const rows = [...known, ...others, ...unset]
    const wide = Math.max(...rows.map(({ key }) => columns(key)))
    const lines = rows.flatMap(({ key, said, wrong }) => [
      `${style.bold(makeVisible(key).padEnd(wide))}  ${said}`,
      ...wrong.map((one) => `  ${style.red("✗")} ${makeVisible(`${one.key}: ${one.problem}`)}`)
    ])
    const none =
      Object.keys(profiles).length > 0
        ? []
        : ["", "No model is configured. Any one of these sets one up:", ...setUp.map((line) => `  ${line}`)]
    const places = ["", style.dim(`file      ${home.config}`), style.dim(`sessions  ${home.database}`)]
    yield* answer(`${[...lines, ...none, ...places].join("\n")}\n`)
    yield* refuse(problems)
  }).pipe(Effect.provide(screen))

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
    keys.some(({ name }) => name === key) ||
    ((steps[0] === "profiles" || steps[0] === "workers") &&
      steps.length > 1 &&
      !steps.includes("") &&
      !steps.includes("__proto__"))
  return known ? Effect.succeed(steps) : unknown(key)
}

/** Prints one value, as text or as JSON, regardless of problems in others. */
export const get = (key: string, json: boolean) =>
  Effect.gen(function* () {
    const { answer } = yield* Screen
    yield* key === "profiles" ? Effect.void : stepsOf(key)
    const { configuration, problems, unreadable } = yield* inspect()
    if (unreadable !== undefined) return yield* unreadable
    yield* refuse(problems.filter((problem) => concerns(problem, key)))
    const { entries } = configuration
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
      const mend = [`tollgate config set ${key} VALUE`]
      return yield* refuse([{ source: "config get", key, problem: "it is not set", mend }])
    }
    yield* answer(`${json ? JSON.stringify(value) : makeVisible(text(value))}\n`)
  }).pipe(Effect.provide(screen))

/** Whether a key is part of what a known one holds, e.g. of an item of a list. */
const isPart = (key: string): boolean => keys.some(({ name }) => key.startsWith(`${name}.`))

/** What a written value can be, the likeliest first: text stays text where it was text, and a number where it has to be. */
const readings = (written: Option.Option<string>, old: unknown): readonly [unknown, ...ReadonlyArray<unknown>] => {
  if (Option.isNone(written)) return [undefined]
  const given = parseValue(written.value)
  return typeof old === "string" && typeof given === "number" ? [written.value, given] : [given, written.value]
}

/** What could be configured and would stop every run. */
const unwise = (next: ConfigFile.Json, key: string, profiles: ReadonlyArray<string>): ReadonlyArray<Problem> => {
  const source = "config set"
  const policy = ConfigFile.at(next, ["approvals", "policy"])
  if ((key === "approvals" || key === "approvals.policy") && policy === "allow") {
    const problem = "to run every call without asking, use the flag --dangerously-allow-all"
    return [{ source, key: "approvals.policy", problem, mend: [] }]
  }
  const profile = ConfigFile.at(next, ["profile"])
  if (key !== "profile" || typeof profile !== "string" || profiles.includes(profile)) return []
  const known = profiles.length === 0 ? "none is configured" : `configured: ${profiles.join(", ")}`
  return [{ source, key, problem: `unknown profile ${JSON.stringify(profile)}; ${known}`, mend: [] }]
}

/** Sets or removes one value of the file; the file must not have more problems than before. */
export const set = (key: string, written: Option.Option<string>, json: boolean) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const file = (yield* home).config
    const { after, value } = yield* locked(file)(changed(file, key, written))
    const safe = typeof value === "object" && value !== null && !Array.isArray(value) ? shown(value) : value
    if (json) {
      const document = {
        key,
        ...(value !== undefined && { value: safe }),
        file: path.resolve(file),
        unusable: after.length
      }
      return yield* answer(`${JSON.stringify(document)}\n`)
    }
    const what = value === undefined ? "is not set" : `= ${makeVisible(told(key, safe))}`
    yield* answer(`${key} ${what}  ${style.dim(`(${path.resolve(file)})`)}\n`)
    if (after.length > 0) {
      const rest = after.length === 1 ? "one value" : `${after.length} values`
      yield* answer(`${rest} of it still cannot be used; tollgate config shows them.\n`)
    }
  }).pipe(Effect.provide(screen))

/** What the file says, and the profile of a provider of that name where it is about to say something of it. */
const withImplied = (json: ConfigFile.Json, key: string): ConfigFile.Json => {
  const [first, name = "", ...rest] = key.split(".")
  const place = ["profiles", name]
  const profile = Object.entries(implied).find(([provider]) => provider === name)?.[1]
  return first !== "profiles" || rest.length === 0 || profile === undefined || ConfigFile.at(json, place) !== undefined
    ? json
    : ConfigFile.replaceAt(json, place, profile)
}

const changed = (file: string, key: string, written: Option.Option<string>) =>
  Effect.gen(function* () {
    const stored = yield* ConfigFile.read(file)
    const json = Option.isSome(written) ? withImplied(stored, key) : stored
    const found = ConfigFile.stepsTo(json, key)
    const removes = Option.isNone(written)
    if (key === "profiles" && !removes) {
      const mend = setUp.slice(-1)
      yield* refuse([{ source: "config set", key, problem: "profiles are set one by one, e.g.", mend }])
    }
    const steps = (removes || isPart(key) ? found : undefined) ?? (isPart(key) ? key.split(".") : yield* stepsOf(key))
    const before = Problems.inFile(file, json)
    const old = ConfigFile.at(json, steps)
    const tried = Arr.map(readings(written, old), (value) => {
      const next = ConfigFile.replaceAt(json, steps, value)
      const after = Problems.inFile(`config ${removes ? "unset" : "set"}`, next).map((one) => ({ ...one, mend: [] }))
      const own = removes ? [] : after.filter((problem) => concerns(problem, key))
      return { value, next, after, wrong: own.length > 0 || after.length <= before.length ? own : after }
    })
    const { after, next, value, wrong } = tried.find((one) => one.wrong.length === 0) ?? tried[0]
    yield* refuse(Option.match(written, { onNone: () => wrong, onSome: (text) => asWritten(wrong, text) }))
    yield* removes ? Effect.void : refuse(unwise(next, key, Object.keys((yield* inspect()).configuration.profiles)))
    yield* ConfigFile.write(file, next)
    return { after, value }
  })
