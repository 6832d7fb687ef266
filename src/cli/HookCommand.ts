import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as path from "node:path"
import { Audit } from "../audit/Audit.ts"
import { isWaiting, spoolOf } from "../audit/AuditSpool.ts"
import { Configuration } from "../config/Configuration.ts"
import { agents } from "../hook/agents.ts"
import {
  type Change,
  forget,
  installing,
  NotInstalled,
  perform,
  remember,
  type State,
  stateOf,
  uninstalling
} from "../hook/install/Installation.ts"
import { type Setup, setups } from "../hook/install/Setup.ts"
import { type Switch, switchesOf } from "../hook/install/Switches.ts"
import { Surroundings } from "../host/Surroundings.ts"
import { isWithin } from "../policy/path/PathText.ts"
import { resolve } from "../policy/path/PhysicalPath.ts"
import * as Records from "../host/Stores.ts"
import { makeVisible } from "../text/visible.ts"
import { unifiedDiff } from "../tools/files/UnifiedDiff.ts"
import { Ui } from "../ui/Ui.ts"
import * as Frontend from "./Frontend.ts"
import { project } from "./here.ts"
import { NobodyToAsk, UsageError } from "./Outcome.ts"
import { wrap } from "./terminal/Layout.ts"
import { Screen } from "./terminal/Screen.ts"
import { isYes } from "../ui/isYes.ts"

export interface Chosen {
  readonly agent: string
  /** In the files of this project instead of the user's. */
  readonly project: boolean
}

export interface Changing extends Chosen {
  /** The change has been read already. */
  readonly yes: boolean
}

const say = (line: string) =>
  Effect.flatMap(Screen, ({ answer, width }) => answer(`${wrap(makeVisible(line), width()).join("\n")}\n`))

const setupOf = (agent: string): Effect.Effect<Setup, UsageError> => {
  const found = setups.find((setup) => setup.agent === agent)
  return found === undefined
    ? new UsageError({
        reason: `unknown agent ${JSON.stringify(agent)}; expected one of ${setups.map((one) => one.agent).join(", ")}`
      })
    : Effect.succeed(found)
}

const titleOf = (agent: string): string => agents.find(({ name }) => name === agent)?.title ?? agent

/** Variables that say where Tollgate has its files; the environment of an agent may have others. */
const places = ["TOLLGATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] as const

/** The words by which an agent starts this very program, for the files that it has now. */
const argvFor = (agent: string, env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const given = places.flatMap((name) => {
    const value = env[name]
    return value !== undefined && path.isAbsolute(value) ? [`${name}=${value}`] : []
  })
  const own = given.filter((one) => one.startsWith("TOLLGATE_HOME="))
  const told = own.length > 0 ? own : given
  return [
    ...(told.length > 0 ? ["env", ...told] : []),
    process.execPath,
    path.resolve(process.argv[1] ?? "tollgate"),
    "hook",
    agent
  ]
}

/** Where a change of that file is made. A link out of a project is not followed: the project's author has made it. */
const targetOf = (file: string, inProject: boolean) =>
  Effect.gen(function* () {
    const target = yield* Effect.mapError(resolve(file), ({ reason }) => new NotInstalled({ file, reason }))
    if (!inProject) return target.path
    const here = Either.getOrUndefined(resolve(yield* project))
    return here !== undefined && isWithin(target.path, here.path)
      ? target.path
      : yield* new NotInstalled({ file, reason: `it leads to ${target.path}, which is outside of the project` })
  })

/** A file, and where it leads if that is another place. */
const withTarget = (file: string, target: string): string => (target === file ? file : `${file}, which is ${target}`)

const fileOf = (setup: Setup, inProject: boolean) =>
  Effect.gen(function* () {
    const { home } = yield* Configuration
    const { env } = yield* Surroundings
    return inProject ? setup.project(yield* project) : setup.user(home.user, env)
  })

/** What keeps an agent from running its hooks, in the files of the user and of this project. */
const switchesHere = (setup: Setup) =>
  Effect.flatMap(Effect.all([fileOf(setup, false), project]), ([file, here]) => switchesOf(setup, file, here))

const sayOff = (agent: string, switches: ReadonlyArray<Switch>) =>
  Effect.forEach(
    switches,
    ({ file, setting }) =>
      say(`${titleOf(agent)} does not run the hook here: ${setting} in ${file}. Remove that setting.`),
    { discard: true }
  )

const stateDirectory = Effect.map(Configuration, ({ home }) => path.dirname(home.database))

/** Shows a change and makes it once the person says so; whether it was made. */
const confirmed = (change: Change, question: string, yes: boolean) =>
  Effect.gen(function* () {
    const { answer, interactive, style } = yield* Screen
    const diff = unifiedDiff(change.before, change.after, change.file.slice(1))
    const painted = diff
      .trimEnd()
      .split("\n")
      .map((line) => makeVisible(line))
      .map((line) => (line.startsWith("+") ? style.green(line) : line.startsWith("-") ? style.red(line) : line))
    yield* answer(`${painted.join("\n")}\n\n`)
    if (yes) return true
    if (!interactive) {
      return yield* new NobodyToAsk({
        reason: "No terminal to confirm in. Read the change, then run the command again with --yes."
      })
    }
    const line = yield* (yield* Ui).question(`${question} y/N`)
    return Option.exists(line, isYes)
  })

/** Enters the hook in the configuration of an agent, once its change has been seen. */
export const install = ({ agent, project: inProject, yes }: Changing) =>
  Effect.gen(function* () {
    const setup = yield* setupOf(agent)
    const file = yield* fileOf(setup, inProject)
    const target = yield* targetOf(file, inProject)
    const state = yield* stateDirectory
    const { env } = yield* Surroundings
    const change = yield* installing(setup, file, argvFor(agent, env))
    const switches = yield* switchesHere(setup)
    if (change.before === change.after) {
      if (switches.length > 0) return yield* sayOff(agent, switches)
      return yield* say(`${titleOf(agent)} already runs the hook (${file}).`)
    }
    if (!(yield* confirmed(change, `Enter the hook in ${withTarget(file, target)}?`, yes)))
      return yield* say("Nothing was changed.")
    yield* remember(change, state)
    yield* perform(change, state)
    if (switches.length === 0) yield* say(`${titleOf(agent)} runs the hook before each call from now on (${file}).`)
    else yield* say(`The hook is entered in ${file}.`)
    yield* sayOff(agent, switches)
    if (setup.note !== undefined) yield* say(setup.note)
  }).pipe(Effect.provide(Frontend.layer({ split: false, keys: !yes })), Effect.provide(Configuration.layer()))

/** Removes the hook; a file that nobody has changed since is as it was before. */
export const uninstall = ({ agent, project: inProject, yes }: Changing) =>
  Effect.gen(function* () {
    const setup = yield* setupOf(agent)
    const file = yield* fileOf(setup, inProject)
    const target = yield* targetOf(file, inProject)
    const state = yield* stateDirectory
    const change = yield* uninstalling(setup, file, state)
    if (change.before === change.after) return yield* say(`${titleOf(agent)} does not run the hook (${file}).`)
    if (!(yield* confirmed(change, `Remove the hook from ${withTarget(file, target)}?`, yes)))
      return yield* say("Nothing was changed.")
    yield* perform(change, state)
    yield* forget(file, state)
    yield* say(`${titleOf(agent)} no longer runs the hook (${file}).`)
  }).pipe(Effect.provide(Frontend.layer({ split: false, keys: !yes })), Effect.provide(Configuration.layer()))

/** Where no hook of ours is entered, as far as can be read. */
const nowhere: ReadonlySet<State["_tag"]> = new Set(["Absent", "Foreign", "Unreadable"])

const words = (state: State): string => {
  switch (state._tag) {
    case "Absent":
      return "not installed"
    case "Installed":
      return "installed"
    case "Duplicated":
      return `entered ${state.times} times, so that each call is judged more than once; install it again`
    case "Foreign":
      return `not installed; it has a command that Tollgate did not write: ${state.command}`
    case "Unreadable":
      return `cannot be read: ${state.reason}`
    case "Changed":
      return "entered, but not as it has to be, so that calls may run unjudged; install it again"
    case "Other":
      return `installed with another command: ${state.command}`
  }
}

interface Standing {
  readonly agent: string
  readonly scope: "user" | "project"
  readonly file: string
  /** Where that leads. */
  readonly target: string
  readonly state: State["_tag"]
  readonly words: string
  /** Settings by which the agent runs no hooks, wherever they are entered. */
  readonly off: ReadonlyArray<Switch>
}

/** Says how it stands with the hook in the files of the user and of this project. */
export const status = ({ agent, json }: { readonly agent: Option.Option<string>; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const chosen = Option.isSome(agent) ? [yield* setupOf(agent.value)] : setups
    const { home } = yield* Configuration
    const spool = spoolOf(home.database)
    const { env } = yield* Surroundings
    const rows: Array<Standing> = []
    for (const setup of chosen) {
      const off = yield* switchesHere(setup)
      for (const scope of ["user", "project"] as const) {
        const file = yield* fileOf(setup, scope === "project")
        const state = yield* stateOf(setup, file, argvFor(setup.agent, env))
        const { path: target } = Either.getOrElse(resolve(file), () => ({ path: file }))
        rows.push({ agent: setup.agent, scope, file, target, state: state._tag, words: words(state), off })
      }
    }
    if (json) return yield* answer(`${JSON.stringify({ hooks: rows, waiting: isWaiting(spool) })}\n`)
    for (const { agent: name, file, off, scope, state, words: said } of rows) {
      if (Option.isNone(agent) && state === "Absent") continue
      const runs = state === "Installed" && off.length === 0
      const paint = runs ? style.green : state === "Absent" ? style.dim : style.yellow
      yield* say(`${paint(runs ? "✓" : "·")} ${titleOf(name)}, ${scope}: ${said} (${file})`)
    }
    for (const { agent: name } of chosen) {
      const entered = rows.find((row) => row.agent === name && !nowhere.has(row.state))
      if (entered !== undefined) yield* sayOff(name, entered.off)
    }
    const twice = chosen.filter(({ agent: name }) => {
      const entered = rows.filter((row) => row.agent === name && !nowhere.has(row.state))
      return new Set(entered.map(({ target }) => target)).size > 1
    })
    for (const setup of twice) {
      yield* say(
        `${titleOf(setup.agent)} has it for the user and for this project, so that each call here is judged twice.`
      )
    }
    if (Option.isNone(agent) && rows.every(({ state }) => state === "Absent")) {
      yield* say(
        `No agent runs the hook. tollgate hook install AGENT enters it; agents: ${setups.map((one) => one.agent).join(", ")}.`
      )
    }
    const codex = rows.find((row) => row.agent === "codex" && row.state === "Installed")
    if (codex !== undefined) yield* say("Only Codex knows whether it trusts the hook: see /hooks there.")
    if (isWaiting(spool))
      yield* say("Records of hooks wait for the audit; tollgate hook collect adds them, as does any other run.")
  }).pipe(Effect.provide(Screen.layer({ split: false })), Effect.provide(Configuration.layer()))

/** Puts into the audit what hooks have taken down. */
export const collect = Effect.gen(function* () {
  const { home } = yield* Configuration
  const waited = isWaiting(spoolOf(home.database))
  yield* Effect.provide(Audit, Records.audit)
  yield* say(waited ? "What hooks recorded is in the audit." : "No records of hooks wait.")
}).pipe(Effect.provide(Screen.layer({ split: false })), Effect.provide(Configuration.layer()))

/** Answers the payload on standard input, where the launcher has not done so. */
export const answer = (agent: string) =>
  Effect.zipRight(
    Effect.flatMap(
      Effect.promise(() => import("../hook/main.ts")),
      ({ main }) => Effect.sync(() => main(agent))
    ),
    Effect.never
  )
