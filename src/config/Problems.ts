import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { RuleBook } from "../approval/RuleBook.ts"
import { ChatCompletionsProfile, HostedProfile, ScriptedProfile } from "../model/Profile.ts"
import { type Mistake, mistakesOf } from "../redaction/Mistake.ts"
import { typed } from "../text/ShellWord.ts"
import { ConfigInvalid, type Problem } from "./ConfigError.ts"
import { at, type Json, replaceAt } from "./ConfigFile.ts"
import { Settings } from "./Settings.ts"
import { UserRule } from "./UserRule.ts"

const options = { onExcessProperty: "error", errors: "all" } as const
const decode = Schema.decodeUnknownEither(Settings, options)
const decodeRule = Schema.decodeUnknownEither(UserRule, options)

const providers = ["scripted", "chat-completions", "openai", "anthropic"]
const decodeProfile = {
  scripted: Schema.decodeUnknownEither(ScriptedProfile, options),
  "chat-completions": Schema.decodeUnknownEither(ChatCompletionsProfile, options),
  hosted: Schema.decodeUnknownEither(HostedProfile, options)
}

const below = (path: ReadonlyArray<string>, found: Either.Either<unknown, ParseResult.ParseError>) =>
  Either.isRight(found) ? [] : mistakesOf(found.left).map((one) => ({ ...one, path: [...path, ...one.path] }))

/** What is wrong with a profile, by what its provider takes. */
const inProfile = (path: ReadonlyArray<string>, profile: unknown): ReadonlyArray<Mistake> => {
  const provider = at(profile, ["provider"])
  if (!Predicate.isReadonlyRecord(profile)) return [{ path, problem: "expected an object", unknown: false }]
  if (provider === "scripted" || provider === "chat-completions") return below(path, decodeProfile[provider](profile))
  if (provider === "openai" || provider === "anthropic") return below(path, decodeProfile.hosted(profile))
  const problem = `${provider === undefined ? "not set" : "unknown provider"}; expected one of ${providers.join(", ")}`
  return [{ path: [...path, "provider"], problem, unknown: false }]
}

/** Rules that say what no rule may, each by itself. */
const inRules = (json: Json): ReadonlyArray<Mistake> => {
  const rules = at(json, ["approvals", "rules"])
  if (!Array.isArray(rules)) return []
  return rules.flatMap((written, index) =>
    Either.match(
      Either.flatMap(decodeRule(written), (rule) => RuleBook.make([rule], { root: "/", trusted: true })),
      {
        onLeft: (error) =>
          error._tag === "PatternRejected"
            ? [{ path: ["approvals", "rules", String(index)], problem: error.message, unknown: false }]
            : [],
        onRight: () => []
      }
    )
  )
}

/** Keys that have another name now. */
const renamed: ReadonlyMap<string, string> = new Map([["approvals.delegate", "approvals.reviewer"]])

/** Values that are read and not offered: whoever wants one says so with a flag, each time. */
const flagOnly: ReadonlyMap<string, RegExp> = new Map([["approvals.policy", /, "allow"(?=,| or )/]])

const told = (mistake: Mistake): Mistake => {
  const key = mistake.path.join(".")
  const now = mistake.unknown ? renamed.get(key) : undefined
  if (now !== undefined) return { ...mistake, problem: `renamed to ${now}; move its value there` }
  const left = flagOnly.get(key)
  return left === undefined ? mistake : { ...mistake, problem: mistake.problem.replace(left, "") }
}

const mistakesIn = (json: Json): ReadonlyArray<Mistake> => allMistakesIn(json).map(told)

const allMistakesIn = (json: Json): ReadonlyArray<Mistake> => {
  const { profiles } = json
  if (!Predicate.isReadonlyRecord(profiles)) return [...below([], decode(json)), ...inRules(json)]
  return [
    ...below([], decode(replaceAt(json, ["profiles"], {}))),
    ...Object.entries(profiles).flatMap(([name, profile]) => inProfile(["profiles", name], profile)),
    ...inRules(json)
  ]
}

/** The commands that mend a place of the file: what is part of a list goes with its whole item. */
const mendOf = ({ path, unknown }: Mistake): ReadonlyArray<string> => {
  if (path.length === 0) return []
  const item = path.findIndex((step) => /^\d+$/.test(step))
  const whole = unknown || item < 0 ? path : path.slice(0, item + 1)
  const set = `tollgate config set ${typed(path.join("."))} VALUE`
  return [...(unknown ? [] : [set]), `tollgate config unset ${typed(whole.join("."))}`]
}

const toProblem =
  (source: string, mend: (mistake: Mistake) => ReadonlyArray<string>) =>
  (mistake: Mistake): Problem => ({
    source,
    key: mistake.path.length === 0 ? "the whole" : mistake.path.join("."),
    problem: mistake.problem,
    mend: mend(mistake)
  })

/** The settings that a JSON object is, where all of it is right. */
export const settingsOf = (json: Json): Settings | undefined =>
  Either.getOrUndefined(
    Either.filterOrLeft(
      decode(json),
      () => inRules(json).length === 0,
      () => undefined
    )
  )

/** The problems of a configuration file. */
export const inFile = (file: string, json: Json): ReadonlyArray<Problem> =>
  mistakesIn(json).map(toProblem(file, mendOf))

/** The problems of one value, named by its variable or flag. */
export const inVariable = (source: string, json: Json): ReadonlyArray<Problem> =>
  mistakesIn(json).map(toProblem(source, () => (source.startsWith("-") ? [] : [`unset ${source}`])))

/** What a schema found wrong with a source that no command mends. */
export const invalid = (source: string, error: ParseResult.ParseError): ConfigInvalid => {
  const [first, ...others] = mistakesOf(error).map(toProblem(source, () => []))
  return new ConfigInvalid({
    problems: [first ?? { source, key: "the whole", problem: "it cannot be used", mend: [] }, ...others]
  })
}
