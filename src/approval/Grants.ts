import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as path from "node:path"
import type { PreviewTarget } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { runFilesOf } from "../policy/shell/RunFiles.ts"
import { unwrapped } from "../policy/shell/Unwrapped.ts"
import { memo } from "../system/memo.ts"
import type { FileHash } from "./FileHash.ts"
import type { ProjectRules } from "./ProjectRules.ts"
import type { Rule } from "./Rule.ts"
import { literal } from "./CompiledRule.ts"
import { RuleBook } from "./RuleBook.ts"
import type { Subject } from "./Subject.ts"

/** Whose later calls a grant covers: those of the root worker, or those of every sub-worker of the session. */
export type GrantedWorkers = "root" | "sub-workers"

export const workersOf = (path: ReadonlyArray<string>): GrantedWorkers => (path.length > 1 ? "sub-workers" : "root")

/** An answer that holds for later calls in the same session, in memory alone. */
export interface Grant {
  readonly id: string
  readonly sessionId: string
  /** How long it holds. */
  readonly scope: "task" | "session"
  readonly workers: GrantedWorkers
  readonly tool: string
  /** What it covers; see `Subject`. */
  readonly key: string
  readonly words: string
  /** What it covers instead of its key: all calls that the rule fits; see `Wider`. */
  readonly rule?: Rule
  /** Files that it relies on. */
  readonly basis: ReadonlyArray<PreviewTarget>
  /** Milliseconds of the deadline clock. */
  readonly grantedAt: number
  readonly expiresAt: number
}

export interface GrantLimits {
  /** Grants of one session; the oldest goes first. */
  readonly max: number
  readonly ttlMillis: number
}

export const defaultLimits: GrantLimits = { max: 1000, ttlMillis: 8 * 60 * 60 * 1000 }

/** Which calls a grant is looked up for. */
type Covered = Pick<Grantable, "subject" | "tool" | "workers">

/** The grants of one session, looked up by exactly what they cover. */
export class Grants {
  private readonly byPlace = new Map<string, Grant>()
  readonly limits: GrantLimits

  constructor(limits: GrantLimits = defaultLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.byPlace.size
  }

  add(grant: Grant): void {
    const at = `${grant.workers} ${grant.key}`
    // One for the session is not shortened by one for the task.
    if (grant.scope === "task" && this.find(grant.workers, grant.key, grant.grantedAt)?.scope === "session") return
    this.byPlace.delete(at)
    this.byPlace.set(at, grant)
    for (const oldest of this.byPlace.keys()) {
      if (this.byPlace.size <= this.limits.max) break
      this.byPlace.delete(oldest)
    }
  }

  find(workers: GrantedWorkers, key: string, now: number): Grant | undefined {
    if (this.byPlace.size === 0) return undefined
    const at = `${workers} ${key}`
    const grant = this.byPlace.get(at)
    if (grant === undefined || grant.expiresAt > now) return grant
    this.byPlace.delete(at)
    return undefined
  }

  /** The one for exactly this call, or a wider one unless `exact`. */
  covering({ subject, tool, workers }: Covered, project: Plainness, now: number, exact: boolean): Grant | undefined {
    const found = this.find(workers, subject.key, now)
    if (found !== undefined || exact) return found
    for (const grant of this.byPlace.values()) {
      const { expiresAt, rule } = grant
      if (rule === undefined || grant.workers !== workers || grant.tool !== tool || expiresAt <= now) continue
      if (covers(rule, tool, subject, project)) return grant
    }
    return undefined
  }

  /** Those that hold now. */
  list(now: number): ReadonlyArray<Grant> {
    return [...this.byPlace.values()].filter(({ expiresAt }) => expiresAt > now)
  }

  /** Removes those that fit and gives them. */
  remove(fits: (grant: Grant) => boolean): ReadonlyArray<Grant> {
    const removed = [...this.byPlace].filter(([, grant]) => fits(grant))
    for (const [at] of removed) this.byPlace.delete(at)
    return removed.map(([, grant]) => grant)
  }
}

/** What an answer covers beyond the call itself: other files of its directory, or other commands that begin as it does. */
interface Wider {
  readonly kind: "directory" | "beginning"
  readonly rule: Rule
}

/** Programs whose later words are programs themselves, so that a common beginning says nothing. */
const open: ReadonlySet<string> = new Set(
  (
    "sh bash zsh dash ksh fish node deno bun python python2 python3 ruby perl php lua awk gawk sed find xargs parallel ssh " +
    "docker podman kubectl su doas chroot unshare watch strace gdb eval source . make npx pnpx bunx uvx pipx tsx ts-node"
  ).split(" ")
)

/** Words behind which the word comes that says what runs. */
const running: ReadonlySet<string> = new Set(["run", "run-script", "exec", "x", "dlx", "tool"])

/** Programs that make something new and do nothing else, whatever they are told to make. */
const creating: ReadonlySet<string> = new Set(["mkdir", "touch"])

/** A word that names a thing and is no option, path or pattern. */
const plainWord = /^[A-Za-z][A-Za-z0-9:_-]*$/

/** The words of a command that a person takes for what it does, e.g. `npm run build`; none where they say too little. */
const beginningOf = (command: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [program = "", first = "", second = ""] = command
  if (unwrapped(command) !== command || program.includes("/") || open.has(program)) return undefined
  if (creating.has(program)) return [program]
  if (!plainWord.test(first)) return undefined
  if (!running.has(first)) return [program, first]
  return plainWord.test(second) ? [program, first, second] : undefined
}

/** One command, wholly understood, that neither destroys nor is forbidden. */
const isTame = (subject: Subject): boolean => {
  const level = subject.severity()?.level
  return subject.isHere && subject.shape?.commands.length === 1 && (level === "reads" || level === "ordinary")
}

const widerRuleOf = (call: Pick<ToolCall, "name" | "tool">, subject: Subject): Wider | undefined => {
  const common = { id: "", decision: "allow", level: "session", tool: call.name } as const
  const { places, shape } = subject
  if (shape !== undefined) {
    const [command] = shape.commands
    const argv = command === undefined || !isTame(subject) ? undefined : beginningOf(command)
    return argv === undefined ? undefined : { kind: "beginning", rule: { ...common, argv } }
  }
  const [place, ...others] = places
  const [said = ""] = place?.paths ?? []
  if (place === undefined || others.length > 0 || !subject.bare || place.op === "remove" || place.op === "list")
    return undefined
  if (call.tool.category !== "files") return undefined
  return { kind: "directory", rule: { ...common, path: `${literal(path.posix.dirname(said))}/**` } }
}

const bookOf = memo(new WeakMap<Rule, RuleBook>(), (rule) =>
  Either.getOrElse(RuleBook.make([rule], { root: "/", trusted: true }), () => RuleBook.empty)
)

type Plainness = Pick<ProjectRules, "isPlain">

/**
 * Whether a wider answer covers a call: its rule fits, nothing that the call touches is protected or outside of the project, and a
 * command is one alone and no destructive one.
 */
const covers = (rule: Rule, tool: string, subject: Subject, { isPlain }: Plainness): boolean =>
  bookOf(rule).verdict(tool, subject)?.decision === "allow" &&
  (subject.shape === undefined || isTame(subject)) &&
  isPlain(subject)

/** The widest answer that may be given to a call; none where it would not cover the call itself. */
const widerOf = (call: Pick<ToolCall, "name" | "tool">, subject: Subject, project: Plainness): Wider | undefined => {
  const wider = widerRuleOf(call, subject)
  return wider !== undefined && covers(wider.rule, call.name, subject, project) ? wider : undefined
}

/** What an answer to a call could cover beyond it. */
export interface Grantable {
  readonly sessionId: string
  readonly workers: GrantedWorkers
  readonly tool: string
  readonly subject: Subject
  /** The files that determine what the call does, as they were when it was requested; unset if not all are known. */
  readonly basis: ReadonlyArray<PreviewTarget> | undefined
  /** The rule that `always` would save, without its id; unset if no rule matches exactly this call. */
  readonly rule: Rule | undefined
  /** What more than the call an answer for longer could cover. */
  readonly wider: Wider | undefined
}

type Hash = FileHash["Type"]["hash"]

/** The current hashes of the files; unset if one is unknown. */
const hashes = (hash: Hash, paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<PreviewTarget> | undefined> =>
  paths.length === 0
    ? Effect.succeed([])
    : Effect.map(
        Effect.forEach(paths, (path) => Effect.map(hash(path), (baseHash) => ({ path, baseHash }))),
        (found) => (found.every((target): target is PreviewTarget => target.baseHash !== undefined) ? found : undefined)
      )

/** The same files as they are now. */
export const rehashed = (
  hash: Hash,
  basis: ReadonlyArray<PreviewTarget>
): Effect.Effect<ReadonlyArray<PreviewTarget> | undefined> =>
  hashes(
    hash,
    basis.map(({ path }) => path)
  )

/** Whether the files are what they were. */
export const unchanged = (hash: Hash, basis: ReadonlyArray<PreviewTarget> | undefined): Effect.Effect<boolean> =>
  basis === undefined || basis.length === 0
    ? Effect.succeed(true)
    : Effect.map(
        Effect.forEach(basis, ({ baseHash, path }) => Effect.map(hash(path), (now) => now === baseHash)),
        (same) => same.every(Boolean)
      )

/** The rule that covers just this; commands are saved word for word, not as a beginning. */
const ruleOf = (
  tool: string,
  { bare, hosts, isHere, paths, shape }: Subject,
  basis: ReadonlyArray<PreviewTarget>
): Rule | undefined => {
  const common = { id: "", decision: "allow", level: "user", tool, exact: true } as const
  const rule: Rule | undefined =
    shape !== undefined
      ? isHere && shape.complete && shape.isList && shape.commands.length === 1 && shape.commands[0] !== undefined
        ? { ...common, argv: shape.commands[0], ...(basis.length === 0 ? {} : { basis }) }
        : undefined
      : !bare
        ? undefined
        : paths.length === 1 && paths[0] !== undefined
          ? { ...common, path: literal(paths[0]) }
          : hosts.length === 1 && hosts[0] !== undefined
            ? { ...common, host: `${hosts[0].name}:${hosts[0].port}` }
            : undefined
  if (rule === undefined || Either.isLeft(RuleBook.make([rule], { root: "/", trusted: true }))) return undefined
  return rule
}

/** The files that an answer to the call relies on; unset if not all are known. */
const basisOf = (
  { directory, shape }: Subject,
  files: FileHash["Type"]
): Effect.Effect<ReadonlyArray<PreviewTarget> | undefined> =>
  shape === undefined
    ? Effect.succeed([])
    : !shape.complete
      ? Effect.succeed(undefined)
      : Effect.flatMap(runFilesOf(shape.commands, directory, files), (paths) =>
          paths === undefined ? Effect.succeed(undefined) : hashes(files.hash, paths)
        )

export const grantable = (
  call: ToolCall,
  subject: Subject,
  files: FileHash["Type"],
  project: ProjectRules
): Effect.Effect<Grantable> =>
  Effect.map(basisOf(subject, files), (basis) => ({
    sessionId: call.sessionId,
    workers: workersOf(call.workerPath),
    tool: call.name,
    subject,
    basis,
    rule: basis === undefined ? undefined : ruleOf(call.name, subject, basis),
    wider: basis === undefined ? undefined : widerOf(call, subject, project)
  }))
