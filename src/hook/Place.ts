import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { local } from "../approval/Disk.ts"
import type { Rule } from "../approval/Rule.ts"
import { RuleBook } from "../approval/RuleBook.ts"
import { describing } from "../approval/Subject.ts"
import { inspect } from "../config/Configuration.ts"
import { directories, type Home } from "../config/Home.ts"
import * as ProjectFile from "../config/ProjectFile.ts"
import type { Settings } from "../config/Settings.ts"
import { projectOf } from "../host/projectOf.ts"
import { rooted } from "../host/rootedRule.ts"
import { webOf } from "../host/webOf.ts"
import * as PathContext from "../policy/path/PathContext.ts"
import { isWithin } from "../policy/path/PathText.ts"
import type { PreviewTarget } from "../tool/Preview.ts"
import { isIgnoredDirectory } from "../tools/files/Ignored.ts"
import { decidedOf } from "./Decided.ts"
import type { ForeignCall } from "./ForeignCall.ts"
import { judged } from "./Judgement.ts"
import type { Outcome } from "./Outcome.ts"
import type { OwnPlaces, Standing } from "./Standing.ts"

/** Nothing can be judged here, for a reason that the user can mend. */
export class NotJudged extends Schema.TaggedError<NotJudged>()("NotJudged", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The part of the user's configuration that calls of other agents are judged by. */
export interface Configured {
  readonly home: Home
  readonly settings: Settings
}

/** The user's configuration; none of it counts where any of it is wrong. */
export const configured: Effect.Effect<Configured, NotJudged> = Effect.flatMap(
  Effect.mapError(inspect(), ({ message }) => new NotJudged({ reason: message })),
  ({ configuration: { home, settings }, problems: [problem], unreadable }) =>
    unreadable !== undefined
      ? new NotJudged({ reason: unreadable.message })
      : problem !== undefined
        ? new NotJudged({
            reason: `The configuration is not valid: ${problem.key} in ${problem.source}: ${problem.problem}.`
          })
        : Effect.succeed({ home, settings })
)

/** What is to be known of an agent to judge its calls. */
export interface Judged {
  readonly own: OwnPlaces
  readonly typesUnseen: boolean
  readonly cdPath?: ReadonlyArray<string>
}

/** Bytes; a larger file was not written by hand. */
const maxBasis = 4 * 1024 * 1024

const hashOf = (file: string): string | null | undefined => {
  try {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return null
    if (!found.isFile() || found.size > maxBasis) return undefined
    return crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex")
  } catch {
    return undefined
  }
}

const isUnchanged = (basis: ReadonlyArray<PreviewTarget>): boolean =>
  basis.every(({ baseHash, path }) => hashOf(path) === baseHash)

const physical = (directory: string): Effect.Effect<string, NotJudged> =>
  Effect.try({
    try: () => {
      const found = fs.realpathSync(directory)
      if (!path.isAbsolute(directory) || !fs.statSync(found).isDirectory()) throw new Error("it is not a directory")
      return found
    },
    catch: () => new NotJudged({ reason: `The directory of the call, ${directory}, is not there.` })
  })

/**
 * The project that a call belongs to: the one that the agent names if the call runs in it, else the one around the call. An agent
 * that knows of none may name the whole file system.
 */
const rootOf = (cwd: string, named: string | undefined): string => {
  if (named === undefined || !path.isAbsolute(named)) return projectOf(cwd)
  const real = Either.getOrElse(
    Either.try(() => fs.realpathSync(named)),
    () => cwd
  )
  return real !== "/" && isWithin(cwd, real) ? projectOf(real) : projectOf(cwd)
}

/** The directory that the user has opened and a call runs in; the first one where it runs in none of them. */
const openedAround = (cwd: string, opened: ReadonlyArray<string>): Effect.Effect<string, NotJudged> =>
  Effect.flatMap(
    Effect.forEach(opened, (one) => Effect.option(physical(one))),
    (found) => {
      const there = found.flatMap(Option.toArray)
      const around = there.find((one) => isWithin(cwd, one)) ?? there[0]
      return around === undefined
        ? new NotJudged({ reason: "None of the directories that are open in the agent is there." })
        : Effect.succeed(around)
    }
  )

const rulesIn = (file: Option.Option<ProjectFile.ProjectFile>): ReadonlyArray<Rule> =>
  Option.match(file, {
    onNone: () => [],
    onSome: ({ settings }) => Either.getOrElse(settings, (): ProjectFile.ProjectSettings => ({})).approvals?.rules ?? []
  })

/** Judges a call by all that counts where it runs: the policy, the user's rules, those of a trusted project, and saved ones. */
export const judge = (
  call: ForeignCall,
  { cdPath = [], own, typesUnseen }: Judged,
  { home, settings }: Configured,
  more: ReadonlyArray<Rule> = []
): Effect.Effect<Outcome, NotJudged> =>
  Effect.gen(function* () {
    const cwd = yield* physical(call.cwd)
    const opened = call.opened === undefined ? undefined : yield* openedAround(cwd, call.opened)
    const project = opened === undefined ? rootOf(cwd, call.project) : projectOf(opened)
    const workspace = opened ?? project
    const context = yield* Effect.mapError(
      PathContext.make({
        cwd: workspace,
        roots: [workspace, ...(settings.roots ?? [])],
        home: home.user,
        trusted: false,
        stateDirs: directories(home)
      }),
      ({ message }) => new NotJudged({ reason: message })
    )
    const place = { directory: project, project }
    const written = [...(settings.approvals?.rules ?? []), ...more]
    const file = yield* ProjectFile.read(project)
    const brought = rulesIn(file)
    const decided = yield* Effect.cached(
      Effect.mapError(decidedOf(home.database, project), ({ message }) => new NotJudged({ reason: message }))
    )
    const isTrusted = (accepted: string | undefined): boolean =>
      accepted !== undefined && Option.exists(file, (one) => ProjectFile.isAccepted(one, accepted))
    const trusted = brought.length > 0 && isTrusted((yield* decided).accepted)
    const { rules: network, unasked } = webOf(settings)
    const subjects = describing(project, home.user, { ...local, ignoredBelow: isIgnoredDirectory })
    const under = (rules: ReadonlyArray<Rule>) =>
      Effect.map(
        Effect.mapError(
          RuleBook.make(rules.map(rooted(place)), { root: project, trusted, resolve: local.resolve }),
          ({ message }) => new NotJudged({ reason: message })
        ),
        (book): Standing => ({
          context: { ...context, cwd },
          book,
          subjects,
          network,
          unasked,
          isIgnored: isIgnoredDirectory(project),
          isUnchanged,
          own,
          typesUnseen,
          cdPath
        })
      )
    const first = judged(call, yield* under([...written, ...brought]))
    if (first.decision === "deny") return first
    // Also of what is allowed already: a saved rule may deny it.
    const { rules: saved } = yield* decided
    const usable = saved.filter((rule) => Either.isRight(RuleBook.make([rule], { root: project, trusted })))
    return usable.length === 0 ? first : judged(call, yield* under([...written, ...brought, ...usable]))
  })
