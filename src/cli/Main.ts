// @effect-diagnostics globalTimers:off processEnv:off - the last resort when the program does not end; the edge of the process
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { parseArgs } from "node:util"
import { NoProfile } from "../config/ConfigError.ts"
import { Notice } from "../host/Notice.ts"
import { Surroundings } from "../host/Surroundings.ts"
import { systemReason } from "../system/errno.ts"
import { makeVisible } from "../text/visible.ts"
import { version } from "../version.ts"
import { advised } from "../ui/advice.ts"
import { root, tree } from "./command/root.ts"
import { end, exitNow } from "./end.ts"
import { similar } from "./Guard.ts"
import { type CommandTree, help } from "./Help.ts"
import { parserConsole, type Said } from "./parserConsole.ts"
import { codeOf, exitCodeOf, exitCodes, UsageError } from "./Outcome.ts"
import { checked } from "./commandLine.ts"
import { spoken } from "./toolWords.ts"
import { Stopping } from "./Stopping.ts"
import { type Style, styleFor } from "./terminal/Style.ts"
import { warn } from "./warn.ts"

const parse = Command.run(root, { name: "tollgate", version, executable: "tollgate" })

/** Follows the words down the tree of commands; a word that is none of them must be meant for the last. */
const locate = (words: ReadonlyArray<string>): { readonly node: CommandTree; readonly path: ReadonlyArray<string> } => {
  let node = tree
  const path = ["tollgate"]
  for (const word of words) {
    const next = node.below !== undefined && Object.hasOwn(node.below, word) ? node.below[word] : undefined
    if (next === undefined) break
    node = next
    path.push(word)
  }
  return { node, path }
}

/** The words that can be options. */
const options = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.indexOf("--")
  return end < 0 ? words : words.slice(0, end)
}

/** Where commands can follow, the next word must be one or an option: a prompt without `run` would be a guess. */
const checkCommand = (words: ReadonlyArray<string>): Effect.Effect<void, UsageError> => {
  const { node, path } = locate(words)
  const word = words[path.length - 1]
  if (words.includes("--wizard")) return new UsageError({ reason: "unknown option --wizard" })
  if (word === undefined || word.startsWith("-") || node.below === undefined) return Effect.void
  const near = similar(word, Object.keys(node.below))
  const what = `${path.join(" ")} has no command ${JSON.stringify(word)}.`
  return new UsageError({
    reason:
      near !== undefined
        ? `${what} Did you mean ${near}?`
        : path.length === 1
          ? `${what} To send it as a prompt: tollgate run ${JSON.stringify(word)}`
          : `${what} Commands: ${Object.keys(node.below).join(", ")}.`
  })
}

/** The words as the parser must be given them. */
const checkOptions = (words: ReadonlyArray<string>) =>
  Either.mapLeft(
    checked(tree, spoken(tree, words)),
    ({ command, problem }) => new UsageError({ reason: `${problem}\nSee ${command} --help` })
  )

const asksForHelp = (words: ReadonlyArray<string>): boolean =>
  options(words).some((word) => word === "--help" || word === "-h")

const environment = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeTerminal.layer,
  CliConfig.layer({ showBuiltIns: false, finalCheckBuiltIn: true })
)

const silent = Logger.replace(Logger.defaultLogger, Logger.none)

/** Logs what `--log-level` lets through, and nothing where it is not given. */
const logging =
  (level: string | undefined) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    level === undefined
      ? Effect.provide(self, silent)
      : Effect.flatMap(
          Effect.promise(() => import("./log.ts")),
          (log) => self.pipe(Logger.withMinimumLogLevel(log.levelOf(level)), Effect.provide(log.layer))
        )

const say = (message: string) =>
  Effect.flatMap(styleFor(process.stderr.isTTY), ({ bold, red }) =>
    Effect.sync(() => void process.stderr.write(`${bold(red("tollgate:"))} ${makeVisible(message)}\n`))
  )

/** What is wrong, in a sentence. */
const complaint = (said: Said): string =>
  said.errors.join(" ").replace(/^Received unknown argument: '(-[^']*)'/, "unknown option $1")

/** The profile that the words name, wherever it stands among them. */
const askedFor = (words: ReadonlyArray<string>): { readonly profile?: string } => {
  const { values } = parseArgs({
    args: [...words],
    options: { profile: { type: "string", short: "p" } },
    strict: false
  })
  return typeof values["profile"] === "string" ? { profile: values["profile"] } : {}
}

/** Errors of commands have a tag and a message that says what to do. */
interface Told {
  readonly _tag: string
  readonly message: string
}

/** Says what went wrong, unless it has been said, and gives the exit code. */
const concluded = (cause: Cause.Cause<unknown>, said: Said, words: ReadonlyArray<string>): Effect.Effect<number> => {
  const failure = Cause.failureOption(cause)
  if (Option.isNone(failure)) {
    if (Cause.isInterruptedOnly(cause)) return Effect.succeed(exitCodes.interrupted)
    const defect = Cause.squash(cause)
    const what = defect instanceof Error ? defect.message : String(defect)
    return Effect.as(
      say(`internal error: ${what.split("\n")[0] ?? ""}. This is a bug in Tollgate; --log-level error shows where.`),
      exitCodes.internal
    )
  }
  if (ValidationError.isValidationError(failure.value)) {
    const help = [...locate(words).path, "--help"].join(" ")
    return Effect.as(say(`${complaint(said)}\nSee ${help}`), exitCodes.usage)
  }
  const error = failure.value as Told
  if (error._tag === "TaskEndedEarly") return Effect.succeed(codeOf(error))
  const bug = error._tag === "Crashed" ? ". This is a bug in Tollgate; --log-level error shows where." : ""
  // Nothing else is required of commands.
  const message =
    error._tag === "ConfigMissing" ? new NoProfile(askedFor(words)).message : advised(error.message, error)
  return Effect.as(say(`${message}${bug}`), codeOf(error))
}

/** Of a tool that is named behind its command. */
const aboutTool = (name: string, style: Style) =>
  Effect.map(
    Effect.promise(() => import("./toolHelp.ts")),
    ({ toolHelp }) => toolHelp(name, style)
  )

const showHelp = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const style = yield* styleFor(process.stdout.isTTY)
    const others = options(words).filter((word) => word !== "--help" && word !== "-h")
    const inOrder = Either.match(checkOptions(others), { onLeft: () => others, onRight: (line) => line.words })
    const { node, path } = locate(inOrder)
    const named = path.join(" ") === "tollgate tool" ? inOrder[path.length - 1] : undefined
    process.stdout.write(help(node, path, style) + (named === undefined ? "" : yield* aboutTool(named, style)))
  })

/** `tollgate help COMMAND`, which `--help` behind the command is as well. */
const showNamed = (words: ReadonlyArray<string>) => Effect.zipRight(checkCommand(words), showHelp(words))

const program = (words: ReadonlyArray<string>): Effect.Effect<number> => {
  const said: Said = { errors: [] }
  const command = Effect.zipRight(checkCommand(words), checkOptions(words)).pipe(
    Effect.zip(workingDirectory),
    Effect.flatMap(([line, directory]) =>
      logging(line.logLevel)(parse(["node", "tollgate", ...line.words])).pipe(
        Effect.provideService(Surroundings, { directory, env: process.env })
      )
    ),
    Effect.provide(environment),
    Effect.provideService(Notice, { say: warn }),
    Console.withConsole(parserConsole(said))
  )
  const helping = words[0] === "help" ? showNamed(words.slice(1)) : asksForHelp(words) ? showHelp(words) : undefined
  const whole = Effect.suspend(() => helping ?? command)
  return Effect.flatMap(Effect.exit(whole), (exit) =>
    Exit.isSuccess(exit) ? Effect.succeed(exitCodes.ok) : concluded(exit.cause, said, words)
  )
}

/** Nothing can be said of files where the working directory is gone. */
const workingDirectory = Effect.try({
  try: () => process.cwd(),
  catch: () =>
    new UsageError({ reason: "The working directory has been removed. Change to one that exists, e.g. with: cd" })
})

/** How long a stopped program may take to clean up; longer than what it waits for has its own bounds. */
const lastResortMillis = 15_000

/** Runs the command line. The first signal stops everything in good order, the second at once, but for hangups. */
export const main = (words: ReadonlyArray<string>): void => {
  /** How an output that broke ends the program. */
  let broken: number | undefined
  /** How a signal ends it. */
  let stopped: number | undefined
  const by = () => (broken === undefined && stopped === exitCodeOf("SIGINT") ? "user" : "shutdown")
  /** Who hears of Ctrl-C while the terminal itself reads lines. */
  let claimed: (() => void) | undefined
  const claim = (interrupted: () => void) => {
    claimed = interrupted
    return () => {
      claimed = undefined
    }
  }
  const stopper = { by, claim, interrupt: () => stop("SIGINT") }
  const fiber = Effect.runFork(Effect.provideService(program(words), Stopping, stopper))
  let stopping = false
  let impatient = false
  const interrupt = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => exitNow(broken ?? stopped ?? exitCodes.interrupted), lastResortMillis).unref()
    fiber.unsafeInterruptAsFork(fiber.id())
  }
  const stop = (signal: "SIGINT" | "SIGTERM" | "SIGQUIT") => {
    stopped ??= exitCodeOf(signal)
    if (impatient) exitNow(stopped)
    impatient = true
    interrupt()
  }
  process.on("SIGINT", (signal: "SIGINT") => (claimed === undefined ? stop(signal) : claimed()))
  process.on("SIGTERM", stop)
  process.on("SIGQUIT", stop)
  // The shell and the system both say that the terminal has gone.
  process.on("SIGHUP", () => {
    stopped ??= exitCodeOf("SIGHUP")
    interrupt()
  })
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (broken !== undefined) return
      broken = error.code === "EPIPE" ? exitCodes.unread : exitCodes.failed
      if (broken === exitCodes.failed)
        process.stderr.write(`tollgate: The output cannot be written: ${systemReason(error)}.\n`)
      interrupt()
    })
  }
  fiber.addObserver((exit) => {
    const code = () =>
      broken ??
      stopped ??
      Exit.getOrElse(exit, (cause) => (Cause.isInterruptedOnly(cause) ? exitCodes.interrupted : exitCodes.internal))
    // A stream says only in the next turn that its last write failed.
    setImmediate(() => end(code()))
  })
}
