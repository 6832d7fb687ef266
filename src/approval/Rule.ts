import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { compile } from "../policy/path/Glob.ts"
import { globBase } from "../policy/path/GlobBase.ts"
import { HostPatternFromString } from "../policy/network/HostPattern.ts"
import { commandLine, shapeOf } from "../policy/shell/Shape.ts"
import { quoted } from "../text/ShellWord.ts"
import { PreviewTarget } from "../tool/Preview.ts"

/** Who wrote a rule; one of the project counts only where the project is trusted. */
export const RuleLevel = Schema.Literal("user", "project", "session")
export type RuleLevel = typeof RuleLevel.Type

/** What a rule says of the calls it fits. */
export const RuleDecision = Schema.Literal("allow", "ask", "deny")
export type RuleDecision = typeof RuleDecision.Type

/** How bad a shell command is, as rules speak of it. */
export const RuleRisk = Schema.Literal("reads", "ordinary", "destructive")
export type RuleRisk = typeof RuleRisk.Type

/**
 * Says of calls what happens to them: by tool and at most one of the beginning of a command, a path pattern and a host.
 * The strictest rule that fits wins.
 */
export const Rule = Schema.Struct({
  id: Schema.String,
  decision: RuleDecision,
  level: RuleLevel,
  /** `*` for every tool. */
  tool: Schema.String,
  /** The first words of a command, e.g. `["git", "status"]`; never a pattern. */
  argv: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  /** Nothing else in the call says what it does: a command has these words and no others, and runs where commands run. */
  exact: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** An absolute path pattern, or one below the project. */
  path: Schema.optionalWith(Schema.String, { exact: true }),
  /** `docs.example`, `*.docs.example`, each with `:port` if wanted. */
  host: Schema.optionalWith(Schema.String, { exact: true }),
  /** Only commands that are so bad; a rule on destructive ones fits forbidden ones too. */
  risk: Schema.optionalWith(RuleRisk, { exact: true }),
  /** Files whose contents the rule relies on; it no longer fits once one has changed. */
  basis: Schema.optionalWith(Schema.Array(PreviewTarget), { exact: true })
})
export type Rule = typeof Rule.Type

/** A rule that would say too much, too little or take too long. */
export class PatternRejected extends Schema.TaggedError<PatternRejected>()("PatternRejected", {
  pattern: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${JSON.stringify(this.pattern.slice(0, 200))} is not valid in an approval rule: ${this.reason}`
  }
}

/** Characters of a path pattern; with `maxWork` it bounds a match to a fraction of a millisecond. */
const maxPattern = 256
/** Characters of the pattern times characters of the path. */
const maxWork = 65_536
const maxWords = 64
const maxWord = 1024

/** `undefined` where a path is too long to be judged. */
export type PathTest = (path: string) => boolean | undefined

const reject = (pattern: string, reason: string) => Either.left(new PatternRejected({ pattern, reason }))

/** Only wildcards and separators: it would fit everything. */
const fitsEverything = (glob: string): boolean => /^[*?/]+$/.test(glob)

/** The fields that have one of few words. */
const words = [
  ["decision", RuleDecision.literals],
  ["level", RuleLevel.literals],
  ["risk", RuleRisk.literals]
] as const

const isRule = Schema.is(Rule)

/** A rule as it is typed. One of unknown words would fit nothing, so that what it forbids would run. */
export const typed = (rule: Rule): Either.Either<Rule, PatternRejected> => {
  const given: unknown = rule
  if (isRule(given)) return Either.right(given)
  for (const [field, known] of words) {
    const word: unknown = rule[field]
    if ((word === undefined && field === "risk") || known.some((one) => one === word)) continue
    return reject(String(word), `its ${field} must be one of ${known.join(", ")}`)
  }
  return reject(String(rule.id), "its fields must be those of a rule, each of its type")
}

const literalEnds = (glob: string): readonly [start: string, end: string] => {
  const special = /[*?[\]\\]/
  const first = glob.search(special)
  if (first === -1) return [glob, glob]
  // `**` stands for no name as well: `a/**` fits `a`.
  const start = glob.slice(0, glob.startsWith("/**", first - 1) ? first - 1 : first)
  return [start, glob.includes("\\") || glob.includes("[") ? "" : (/[^*?]*$/.exec(glob)?.[0] ?? "")]
}

/** The longest text that every path has in it that a pattern fits. */
const literalCore = (glob: string): string =>
  /[[\\]/.test(glob)
    ? ""
    : glob
        .split(/[*?]+/)
        .map((part) => part.replaceAll(/^\/|\/$/g, ""))
        .reduce((longest, part) => (part.length > longest.length ? part : longest), "")

/** A pattern as an absolute one. */
export const below = (pattern: string, root: string): string =>
  pattern.startsWith("/") ? pattern : `${root === "/" ? "" : root}/${pattern}`

/** The deepest directory that contains every match of a valid path pattern. */
export const pathBase = (pattern: string, root: string): string =>
  Either.getOrElse(globBase(below(pattern, root)), () => "/")

/** Compiles a path pattern below `root`; braces are refused, for they multiply. */
export const pathTest = (pattern: string, root: string): Either.Either<PathTest, PatternRejected> => {
  if (pattern.trim() === "") return reject(pattern, "it is empty")
  if (pattern.length > maxPattern) return reject(pattern, `it is longer than ${maxPattern} characters`)
  if (pattern.includes("{")) return reject(pattern, "braces are not supported; write one rule for each")
  if (fitsEverything(pattern)) return reject(pattern, "it matches every path; leave it out instead")
  if (pattern.split("/").includes("..")) return reject(pattern, "it contains `..`")
  const glob = below(pattern, root)
  const [start, end] = literalEnds(glob)
  const core = literalCore(glob.slice(start.length))
  return Either.mapBoth(compile(glob), {
    onLeft: ({ reason }) => new PatternRejected({ pattern, reason }),
    onRight: (matches) => (path: string) =>
      !path.startsWith(start) || !path.endsWith(end) || !path.includes(core, start.length)
        ? false
        : path.length * glob.length > maxWork
          ? undefined
          : matches(path)
  })
}

/** Checks the words of a command rule. */
export const argvWords = (argv: ReadonlyArray<string>): Either.Either<ReadonlyArray<string>, PatternRejected> => {
  const text = argv.join(" ")
  if (argv.length === 0 || argv[0] === "") return reject(text, "it names no program")
  if (argv.length > maxWords || argv.some((word) => word.length > maxWord)) return reject(text, "it is too long")
  if (argv.some((word) => /[\p{Cc}\p{Cf}]/u.test(word))) return reject(text, "it has invisible characters")
  return argv[0] !== undefined && /[*?[\]]/.test(argv[0])
    ? reject(text, "patterns are not supported here; write the words of the command")
    : Either.right(argv)
}

const decodeHost = Schema.decodeUnknownEither(HostPatternFromString)

export const hostTest = (pattern: string): Either.Either<typeof HostPatternFromString.Type, PatternRejected> =>
  Either.mapLeft(decodeHost(pattern), () => new PatternRejected({ pattern, reason: "it names no host" }))

const riskWords = {
  reads: "read-only commands",
  ordinary: "ordinary commands",
  destructive: "destructive commands"
} as const

const spaced = (path: string): string => (/\s/.test(path) ? quoted(path) : path)

/** A rule as a person would say it, e.g. `allow run_shell: git status …`. */
export const describe = (rule: Rule): string => {
  const what =
    rule.argv !== undefined
      ? `: ${commandLine(rule.argv)}${rule.exact === true ? "" : " …"}`
      : rule.path !== undefined
        ? ` on ${spaced(rule.path)}`
        : rule.host !== undefined
          ? ` at ${rule.host}`
          : ""
  const there = (rule.basis ?? []).filter(({ baseHash }) => baseHash !== null).map(({ path }) => path)
  const until = there.length === 0 ? "" : ` until ${there.map(spaced).join(", ")} changes`
  const risk = rule.risk === undefined ? "" : ` (${riskWords[rule.risk]} only)`
  return `${rule.decision} ${rule.tool === "*" ? "every tool" : rule.tool}${what}${risk}${until}`
}

/** The words of a command rule from what a person typed: one plain command, never a pattern. */
export const argvOf = (text: string): Either.Either<ReadonlyArray<string>, PatternRejected> => {
  const { commands, complete, isList } = shapeOf(text)
  const [command] = commands
  return command === undefined || commands.length !== 1 || !complete || !isList
    ? reject(text, "it is not one plain command; write the first words of the commands to match")
    : argvWords(command)
}
