import * as Either from "effect/Either"
import type { PreviewTarget } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { type CompiledRule, compileRule, mayFitBelow, type RulePlace } from "./CompiledRule.ts"
import { mayBegin } from "../policy/shell/Invoked.ts"
import type { PatternRejected, Rule, RuleRisk } from "./Rule.ts"
import type { Host, Subject } from "./Subject.ts"

/** What the rules make of a call: the strictest one that fits, if any does. */
export interface RuleVerdict {
  readonly decision: Rule["decision"]
  readonly rule: Rule
  /** The rule could not be judged on this call, which then has to be asked for. */
  readonly unread?: true
  /** Files that the rules rely on which allow the parts of the call. */
  readonly basis?: ReadonlyArray<PreviewTarget>
}

/** Rules of one tool that have the same effect, by what they look at. */
class Shelf {
  readonly whole: Array<CompiledRule> = []
  readonly argv = new Map<string, Array<CompiledRule>>()
  readonly paths: Array<CompiledRule> = []
  readonly hosts: Array<CompiledRule> = []

  add(compiled: CompiledRule): void {
    const { argv, host, path } = compiled.rule
    if (argv !== undefined) {
      const program = argv[0] ?? ""
      const known = this.argv.get(program)
      if (known === undefined) this.argv.set(program, [compiled])
      else known.push(compiled)
    } else if (path !== undefined) this.paths.push(compiled)
    else if (host !== undefined) this.hosts.push(compiled)
    else this.whole.push(compiled)
  }
}

/** The rules that name one tool: those that forbid or ask, and those that allow; apart, those on commands of one risk. */
interface Shelves {
  readonly strict: Shelf
  readonly allow: Shelf
  readonly risky: Map<RuleRisk, Shelves>
}

const emptyShelves = (): Shelves => ({ strict: new Shelf(), allow: new Shelf(), risky: new Map() })

type Command = ReadonlyArray<string>

const begins = (command: Command, { argv = [], exact = false }: Rule): boolean =>
  (exact ? command.length === argv.length : command.length >= argv.length) &&
  argv.every((word, index) => command[index] === word)

const severity = { allow: 0, ask: 1, deny: 2 } as const

const stricter = (self: RuleVerdict | undefined, that: RuleVerdict | undefined): RuleVerdict | undefined =>
  self === undefined || (that !== undefined && severity[that.decision] > severity[self.decision]) ? that : self

const says = ({ rule }: CompiledRule): RuleVerdict => ({ decision: rule.decision, rule })
const unread = (rule: Rule): RuleVerdict => ({ decision: "ask", rule, unread: true })

/** The rules of one project, indexed by tool: a lookup among thousands takes microseconds. */
export class RuleBook {
  readonly rules: ReadonlyArray<Rule>
  private readonly shelves = new Map<string, Shelves>()

  private constructor(rules: ReadonlyArray<Rule>, compiled: ReadonlyArray<CompiledRule>) {
    this.rules = rules
    for (const each of compiled) {
      const { decision, tool } = each.rule
      let shelves = this.shelves.get(tool)
      if (shelves === undefined) this.shelves.set(tool, (shelves = emptyShelves()))
      const { risk } = each.rule
      if (risk !== undefined) {
        const ofAll = shelves.risky
        shelves = ofAll.get(risk) ?? emptyShelves()
        ofAll.set(risk, shelves)
      }
      shelves[decision === "allow" ? "allow" : "strict"].add(each)
    }
  }

  static readonly empty = new RuleBook([], [])

  /** `root` is where relative path patterns start; the rules of an untrusted project are left out. */
  static make(
    rules: ReadonlyArray<Rule>,
    options: RulePlace & { readonly trusted: boolean }
  ): Either.Either<RuleBook, PatternRejected> {
    const counted = rules.filter(({ level }) => level !== "project" || options.trusted)
    return Either.map(
      Either.all(counted.map((rule) => compileRule(rule, options))),
      (compiled) => new RuleBook(counted, compiled.flat())
    )
  }

  /** Whether any rule could fit a call of this tool. */
  concerns(tool: string): boolean {
    return this.shelves.size > 0 && (this.shelves.has(tool) || this.shelves.has("*"))
  }

  verdict(tool: string, subject: Subject): RuleVerdict | undefined {
    const own = this.shelves.get(tool)
    const every = this.shelves.get("*")
    const strict = [
      ...shelvesOn(own, subject).map((shelves) => strictOn(shelves.strict, subject, true)),
      ...shelvesOn(every, subject).map((shelves) => strictOn(shelves.strict, subject, false)),
      ...(subject.declared ? [] : [own, every].map(unknownOn))
    ].reduce(stricter, undefined)
    return (
      strict ??
      shelvesOn(own, subject)
        .map((shelves) => allowedBy(shelves.allow, subject))
        .find((found) => found !== undefined)
    )
  }

  /**
   * What a call that may run must not find below the directories it searches: what rules deny or, with `asking`, would
   * ask about. Undefined if there is nothing.
   */
  withheld(tool: string, subject: Subject, asking: boolean): Withheld | undefined {
    const { namesOf, paths } = subject
    const rules = [this.shelves.get(tool), this.shelves.get("*")]
      .flatMap((shelves) => shelvesOn(shelves, subject))
      .flatMap(({ strict }) => strict.paths)
      .filter(
        ({ path: fits, rule }) => rule.decision === "deny" || (asking && paths.every((path) => fits?.(path) === false))
      )
    if (rules.length === 0) return undefined
    return {
      withheld: (path) => namesOf(path).some((name) => rules.some(({ path: fits }) => fits?.(name) !== false)),
      withheldFrom: [...new Set(rules.map(({ start = "/" }) => start))]
    }
  }
}

/** The rules that name a tool and hold for how bad a call is. */
const shelvesOn = (shelves: Shelves | undefined, subject: Subject): ReadonlyArray<Shelves> => {
  if (shelves === undefined || shelves.risky.size === 0) return shelves === undefined ? [] : [shelves]
  const level = subject.severity()?.level
  const risky = level === undefined ? undefined : shelves.risky.get(level === "forbidden" ? "destructive" : level)
  return risky === undefined ? [shelves] : [shelves, risky]
}

/** What a call must not find. */
export type Withheld = Required<Pick<ToolCall, "withheld" | "withheldFrom">>

const patterned = ({ argv, hosts, paths }: Shelf) => [...paths, ...hosts, ...[...argv.values()].flat()]

/** Asks about a call that may touch anything, wherever a rule that forbids or asks is about some calls of its tool. */
const unknownOn = (shelves: Shelves | undefined): RuleVerdict | undefined => {
  if (shelves === undefined) return undefined
  const risky = [...shelves.risky.values()].flatMap(({ strict }) => [...strict.whole, ...patterned(strict)])
  const [first] = [...patterned(shelves.strict), ...risky]
  return first && unread(first.rule)
}

/**
 * The strictest of the rules that forbid or ask; any part of a call is enough. What
 * the rules cannot read is asked for wherever one of them could mean it.
 */
const strictOn = ({ argv, hosts, paths, whole }: Shelf, subject: Subject, named: boolean): RuleVerdict | undefined => {
  let found: RuleVerdict | undefined
  const consider = (compiled: CompiledRule | undefined, fits: boolean | undefined) => {
    if (compiled !== undefined && fits !== false) {
      found = stricter(found, fits === undefined ? unread(compiled.rule) : says(compiled))
    }
  }
  for (const compiled of whole) consider(compiled, true)
  const [anyPath] = paths
  const [anyHost] = hosts
  const [[anyArgv] = []] = argv.values()
  if (anyArgv !== undefined) {
    for (const command of subject.shape?.commands ?? [])
      for (const compiled of argv.get(command[0] ?? "") ?? []) consider(compiled, begins(command, compiled.rule))
    const invoked = subject.invoked()
    for (const invocation of invoked?.commands ?? [])
      for (const compiled of argv.get(invocation.argv[0] ?? "") ?? []) {
        if (begins(invocation.argv, compiled.rule)) consider(compiled, invocation.sure ? true : undefined)
        else if (mayBegin(invocation, compiled.rule.argv ?? [])) consider(compiled, undefined)
      }
    if (subject.shape?.complete === false || invoked?.whole === false) consider(anyArgv, undefined)
  }
  for (const compiled of paths) {
    for (const path of subject.paths) consider(compiled, compiled.path?.(path))
    const isBelow = subject.places.some(
      ({ below, paths }) => below === "all" && paths.some((place) => mayFitBelow(compiled, place))
    )
    if (isBelow) consider(compiled, undefined)
  }
  if (anyPath !== undefined) {
    const reached = subject.reached()
    if (reached === "unread") consider(anyPath, undefined)
    else {
      for (const compiled of paths) {
        for (const path of reached.named) consider(compiled, compiled.path?.(path))
        const may =
          reached.mentioned.some((path) => compiled.path?.(path) !== false) ||
          reached.descended.some((directory) => mayFitBelow(compiled, directory))
        if (may) consider(compiled, undefined)
      }
    }
  }
  for (const { name, port } of anyHost === undefined ? [] : [...subject.hosts, ...subject.connected()]) {
    for (const compiled of hosts) consider(compiled, compiled.host?.covers(name, port) ?? false)
  }
  if (anyHost !== undefined) {
    // A program reaches hosts that no word names; a rule that names the tool wants to know of each.
    if (subject.more || (named && subject.shape !== undefined)) consider(anyHost, undefined)
    const mentioned = subject.mentionedHosts()
    for (const compiled of hosts) {
      const { host } = compiled
      if (mentioned.some((name) => host?.covers(name, host.port ?? 0) !== false)) consider(compiled, undefined)
    }
  }
  return found
}

/** Programs that move what comes after them to another directory. */
const movers: ReadonlySet<string> = new Set(["cd", "pushd", "popd"])

/**
 * The commands of a call that rules may allow one by one: a plain sequence, run where the rules are, without pipes or
 * redirects. Undefined if the call is more than that.
 */
const commandsOf = ({ isHere, shape }: Subject): ReadonlyArray<Command> | undefined =>
  shape === undefined
    ? []
    : isHere && shape.complete && shape.isList && shape.commands.every(([name = ""]) => !movers.has(name))
      ? shape.commands
      : undefined

/** A rule that allows has to fit every part of the call; the parts may have different ones. */
const allowedBy = (shelf: Shelf, subject: Subject): RuleVerdict | undefined => {
  const [whole] = shelf.whole
  if (whole !== undefined) return says(whole)
  const commands = commandsOf(subject)
  const isMore = !subject.declared || subject.more || subject.places.some(({ below }) => below === "all")
  if (commands === undefined || isMore) return undefined
  const holds = ({ rule }: CompiledRule) => rule.exact !== true || subject.bare
  const found = [
    ...commands.map((command) => shelf.argv.get(command[0] ?? "")?.find((compiled) => begins(command, compiled.rule))),
    ...subject.paths.map((path) => shelf.paths.find((compiled) => holds(compiled) && compiled.path?.(path) === true)),
    ...subject.hosts.map(({ name, port }: Host) =>
      shelf.hosts.find((compiled) => holds(compiled) && compiled.host?.matches(name, port) === true)
    )
  ]
  const [first] = found
  if (first === undefined || found.some((each) => each === undefined)) return undefined
  const basis = found.flatMap((each) => each?.rule.basis ?? [])
  return basis.length === 0 ? says(first) : { ...says(first), basis }
}
