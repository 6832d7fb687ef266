import * as Either from "effect/Either"
import * as path from "node:path"
import type { HostPattern } from "../policy/network/HostPattern.ts"
import { isWithin } from "../policy/path/PathText.ts"
import {
  argvWords,
  below,
  hostTest,
  pathBase,
  PatternRejected,
  pathTest,
  type PathTest,
  type Rule,
  typed
} from "./Rule.ts"

/** Where the patterns of rules start and lead. */
export interface RulePlace {
  /** Relative path patterns start here. */
  readonly root: string
  /** Where a path leads; no pattern is taken for another place if unset. */
  readonly resolve?: (path: string) => string
}

/** A rule that is ready to be tried, for one place. */
export interface CompiledRule {
  readonly rule: Rule
  readonly path?: PathTest
  /** The directory that contains every match of `path`. */
  readonly base?: string
  /** The same, or the only match itself. */
  readonly start?: string
  readonly host?: HostPattern
}

/** All of a pattern without wildcards, else the directory above the first of them. */
const fixedOf = (pattern: string, root: string): string => pathBase(`${pattern}/`, root)

const compiled = (given: Rule, root: string): Either.Either<CompiledRule, PatternRejected> =>
  Either.flatMap(typed(given), (rule) => compiledTyped(rule, root))

const compiledTyped = (rule: Rule, root: string): Either.Either<CompiledRule, PatternRejected> => {
  const patterns = [rule.argv, rule.path, rule.host].filter((pattern) => pattern !== undefined)
  const reason =
    rule.tool === ""
      ? "it names no tool"
      : rule.tool !== "*" && rule.tool.includes("*")
        ? "there are no patterns of tools: name each of them, or use * for all"
        : patterns.length > 1
          ? "it has more than one of argv, path and host"
          : rule.tool === "*" && rule.decision === "allow"
            ? "to allow every tool is a mode, not a rule"
            : undefined
  if (reason !== undefined) return Either.left(new PatternRejected({ pattern: rule.tool, reason }))
  if (rule.argv !== undefined) return Either.map(argvWords(rule.argv), () => ({ rule }))
  if (rule.path !== undefined) {
    const base = pathBase(rule.path, root)
    const start = fixedOf(rule.path, root)
    return Either.map(pathTest(rule.path, root), (path) => ({ rule, path, base, start }))
  }
  if (rule.host !== undefined) return Either.map(hostTest(rule.host), (host) => ({ rule, host }))
  return Either.right({ rule })
}

/** A rule that forbids or asks, for the place that its pattern names and for the one that this leads to by a link. */
const placesOf = (compiled: CompiledRule, { resolve, root }: RulePlace): ReadonlyArray<CompiledRule> => {
  const { rule } = compiled
  if (rule.path === undefined || rule.decision === "allow" || resolve === undefined) return [compiled]
  const fixed = fixedOf(rule.path, root)
  const [real, realRoot] = [resolve(fixed), resolve(root)]
  // Calls name what is in the root by the name that the root was given.
  const rooted = isWithin(real, realRoot) ? path.posix.join(root, path.posix.relative(realRoot, real)) : real
  const rest = below(rule.path, root).slice(fixed.length)
  const others = [...new Set([real, rooted])].filter((place) => place !== fixed)
  return [
    compiled,
    ...others.flatMap((place) => {
      const pattern = `${literal(place)}${rest}`
      return Either.match(pathTest(pattern, root), {
        onLeft: () => [],
        onRight: (path) => [{ rule, path, base: pathBase(pattern, root), start: place }]
      })
    })
  ]
}

/** A path as a pattern that fits it alone. */
export const literal = (place: string): string => place.replaceAll(/[*?[\]\\]/g, "\\$&")

/** Compiles a rule for every place that it is about. */
export const compileRule = (
  rule: Rule,
  place: RulePlace
): Either.Either<ReadonlyArray<CompiledRule>, PatternRejected> =>
  Either.map(compiled(rule, place.root), (one) => placesOf(one, place))

/** Whether a path below a directory could fit. */
export const mayFitBelow = ({ base = "/" }: CompiledRule, directory: string): boolean =>
  isWithin(base, directory) || isWithin(directory, base)
