import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ask } from "../policy/Verdict.ts"
import { BoundaryInvalid } from "../policy/path/PathContext.ts"
import { cutWords } from "../text/excerpt.ts"
import { inLocale } from "../process/Environment.ts"
import * as Limits from "../process/Limits.ts"
import { BackgroundCommands, BackgroundRefused } from "../process/BackgroundCommands.ts"
import type { OutputChunk, ProcessCommand } from "../process/ProcessCommand.ts"
import { Processes } from "../process/Processes.ts"
import { SpawnFailed } from "../process/SpawnFailed.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { makeVisible } from "../text/visible.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { sentence } from "../text/sentence.ts"
import * as Tool from "../tool/Tool.ts"
import { confine } from "./Confinement.ts"
import * as Git from "./git/Git.ts"
import { optional, optionalCount } from "./Parameter.ts"
import { failureOf, Reported } from "./Reported.ts"
import { EditorTerminal, EditorTerminalFailed } from "./shell/EditorTerminal.ts"
import { failure, offline, status, survivors } from "./shell/ended.ts"
import { runInForeground } from "./shell/foreground.ts"
import { runInTerminal } from "./shell/inTerminal.ts"
import { isConfined, tidyUp } from "./shell/confined.ts"
import { guardedIn, placesOf, unguarded } from "./shell/Guarded.ts"
import { usesGit } from "./shell/ReadOnlyGit.ts"
import { CommandRefused, judgeCommand } from "./shell/JudgedCommand.ts"
import { ShellSettings, type ShellSettingsShape } from "./shell/ShellSettings.ts"
import * as Transcript from "./shell/Transcript.ts"
import { environmentHere } from "./ToolEnvironment.ts"
import { Workspace } from "./Workspace.ts"

const parameters = Schema.Struct({
  command: Schema.String.annotations({ description: "The bash command." }),
  cwd: optional(Schema.String, "The directory to run it in, inside the workspace. Default: the workspace."),
  timeout: optionalCount(
    1,
    3600,
    "Seconds after which the command and its processes are ended. Default: 120; none in the background."
  ),
  background: optional(
    Schema.Boolean,
    "Start it and go on, e.g. for a server or a watcher. Answers with an id for read_output and stop_command."
  )
})

const firstLine = (command: string): string => {
  const [line = "", ...more] = command.trim().split("\n")
  const text = cutWords(line, 200)
  return makeVisible(more.length === 0 ? text : `${text} … (${more.length + 1} lines)`)
}

/** What a command may use besides time, by who let it run. */
const boundsOf = (asked: boolean, held: boolean, { confined, unasked }: ShellSettingsShape): Limits.Limits =>
  held ? confined : asked ? {} : unasked

/** What a command may use: its time as the call says, and the bounds. */
const limitsOf = (
  timeout: number | undefined,
  bounds: Limits.Limits,
  { idle, maxTimeout, timeout: usual }: ShellSettingsShape
): Limits.Limits => {
  const time = Duration.min(timeout === undefined ? usual : Duration.seconds(timeout), maxTimeout)
  return {
    ...(Duration.isFinite(time) && { time }),
    ...(Duration.isFinite(idle) && { idle }),
    ...bounds
  }
}

/** The same in the background: it takes its time unless the call limits it. */
const limitsBehind = (
  timeout: number | undefined,
  bounds: Limits.Limits,
  { maxTimeout }: ShellSettingsShape
): Limits.Limits => {
  const time = timeout === undefined ? Duration.infinity : Duration.min(Duration.seconds(timeout), maxTimeout)
  return { ...(Duration.isFinite(time) && { time }), ...bounds }
}

const confinedBehind = "what runs unasked in the sandbox is looked through when it ends; it stays in the foreground."

const terminalBehind = "it runs in the editor's terminal; it stays in the foreground."

const gitBehind = "git commands that only read do not run in the background. Run it without background."

/** The repository of the workspace, read as the git tools read it. */
const openGit = Effect.mapError(
  Git.open({ filters: "none", writes: false }),
  ({ message }) => new CommandRefused({ verdict: ask("shell/git-untrusted", `git cannot be run safely: ${message}.`) })
)

export const RunShell = Tool.make("run_shell", {
  description:
    "Runs a bash command without a terminal or input, and returns its exit code and output, the middle " +
    "left out if it is long. What a command leaves running ends with it; with background it keeps running itself, until the session " +
    "ends. Commands that only read run at once; the user " +
    "decides on others. In a sandbox only the workspace is writable; files in /tmp are lost, the " +
    "rest of the system is read-only, and there is no network unless the user has configured it. Prefer read_file, grep, glob and the git tools if they suffice.",
  label: "Run command",
  category: "shell",
  mode: "both",
  parameters,
  success: Reported,
  failed: failureOf,
  failure: Schema.Union(CommandRefused, BoundaryInvalid, SpawnFailed, EditorTerminalFailed, BackgroundRefused),
  risk: "high",
  timeout: 0,
  idleTimeout: 0,
  resultLimit: 32 * 1024,
  touches: ({ command, cwd }) => ({ command: { text: command, cwd }, complete: true }),
  approval: ({ background = false, command, cwd }) =>
    Effect.flatMap(judgeCommand(command, cwd), (judged) =>
      // What it creates in the background could not be looked at before somebody uses it.
      judged.asks && background
        ? Effect.succeed<Tool.Asks>(true)
        : judged.asks
          ? Effect.map(isConfined(command, judged), (held): Tool.Asks => (held ? "confined" : true))
          : Effect.succeed<Tool.Asks>(false)
    ),
  preview: ({ background = false, command, cwd }) =>
    Effect.gen(function* () {
      const { shown } = yield* Workspace
      const { context, verdict } = yield* judgeCommand(command, cwd)
      const place = cwd === undefined ? "" : ` in ${shown(context.cwd)}`
      return {
        summary: `run \`${firstLine(command)}\`${place}${background ? " in the background, until the session ends" : ""}. ${sentence(verdict.reason)}`,
        targets: [{ path: context.cwd, baseHash: null }]
      }
    }),
  handler: ({ background = false, command, cwd, timeout }, call) =>
    Effect.gen(function* () {
      const { asks, context, verdict } = yield* judgeCommand(command, cwd)
      const place = call.preview?.targets[0]?.path ?? context.cwd
      if (asks && (call.decided !== true || place !== context.cwd)) return yield* new CommandRefused({ verdict })
      const [processes, sandbox, settings] = yield* Effect.all([Processes, Sandbox, ShellSettings])
      const redactor = yield* Redactor
      const bounds = boundsOf(asks, call.confined === true, settings)
      const limits = background ? limitsBehind(timeout, bounds, settings) : limitsOf(timeout, bounds, settings)
      const here = yield* environmentHere
      // Commands that run without asking read a repository as the git tools do, regardless of its configuration.
      const git = asks || !usesGit(command) ? undefined : yield* openGit
      const bash: ProcessCommand = {
        file: "bash",
        args: ["--noprofile", "--norc", "-c", command],
        cwd: context.cwd,
        env: asks ? here : { ...inLocale(here), ...git?.env }
      }
      const boundary = (yield* Workspace).context
      const held = confine(boundary, { write: asks, network: asks && call.confined !== true && settings.network })
      if (call.confined === true && !sandbox.describe.isolated) return yield* new CommandRefused({ verdict })
      const guarded = call.confined === true ? yield* guardedIn(boundary, call) : unguarded
      const places = placesOf(guarded)
      const confined = {
        ...held,
        protected: [...held.protected, ...places.protected],
        hidden: [...(held.hidden ?? []), ...places.hidden]
      }
      const wrapped = sandbox.wrap(
        asks ? bash : Limits.enforced(bash, limits),
        // The policy may be wrong about a command that it lets run without asking.
        git === undefined ? confined : { ...confined, readable: [...(confined.readable ?? []), ...git.readable] }
      )
      if (background) {
        const commands = yield* BackgroundCommands
        // What git reads ends with the call; a command behind it would lose it.
        if (git !== undefined) return yield* new BackgroundRefused({ reason: gitBehind })
        const { id } = yield* commands.start(
          call.sessionId,
          { command: redactor.deed(command), directory: context.cwd },
          (print) => {
            const streams = { stdout: redactor.stream(), stderr: redactor.stream() }
            const onOutput = ({ channel, text }: OutputChunk) => print(streams[channel].push(text))
            return processes.run(wrapped, { onOutput, limit: 0, limits, lane: "background" }).pipe(
              Effect.tap(() => print(streams.stdout.flush() + streams.stderr.flush())),
              Effect.map((result) => ({ reason: status(result, limits), exitCode: result.exitCode }))
            )
          }
        )
        return { text: `running in the background as ${id}; read_output gives its output, stop_command ends it` }
      }
      const transcript = Transcript.make(call, redactor, settings.outputLimit)
      const notes: Array<string> = []
      const startedAt = yield* monotonicMillis
      const look = Effect.suspend(() =>
        call.confined === true
          ? Effect.map(tidyUp(guarded, boundary, call, startedAt), (found) => void notes.push(...found))
          : Effect.void
      )
      const released = yield* Deferred.make<void>()
      const behind = { when: Deferred.await(released), limits: limitsBehind(undefined, bounds, settings) }
      // An editor cannot confine: what is held here, or runs unasked, is run here.
      const terminal = asks && sandbox.describe.target === "none" ? yield* EditorTerminal : undefined
      const { outputLimit } = settings
      const running =
        terminal === undefined
          ? processes.run(wrapped, { onOutput: transcript.add, limit: 0, limits, lane: "commands", behind })
          : runInTerminal(terminal, call, bash, { limits, outputLimit, onOutput: transcript.add })
      const refused =
        call.confined === true
          ? confinedBehind
          : git !== undefined
            ? gitBehind
            : terminal === undefined
              ? undefined
              : terminalBehind
      const outcome = yield* runInForeground(call, Effect.ensuring(running, look), {
        command: redactor.deed(command),
        directory: context.cwd,
        refused,
        moved: (print) => Effect.zipRight(transcript.divert(print), Deferred.succeed(released, undefined)),
        end: (result) => Effect.as(transcript.end, { reason: status(result, behind.limits), exitCode: result.exitCode })
      })
      if (outcome._tag === "Moved") {
        const { id, text } = outcome
        const head = `the user moved it to the background, where it keeps running as ${id}; read_output gives what it prints from here on, stop_command ends it`
        return { text: `${head}\n${text === "" ? "[no output so far]" : text}` }
      }
      const { result } = outcome
      const output = yield* transcript.end
      const ended = status(result, limits)
      const failed = failure(result, ended)
      const alone = sandbox.describe.isolated && !confined.network && failed !== undefined && offline.test(output)
      const network = alone ? ["[the sandbox has no network; the user can allow it: sandbox.network true]"] : []
      const text = [ended, output === "" ? "[no output]" : output, ...network, ...notes, ...survivors(result)].join(
        "\n"
      )
      return { text, ...(failed && { failed }) }
    }).pipe(Effect.scoped)
})
