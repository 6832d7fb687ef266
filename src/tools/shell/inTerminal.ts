import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fs from "node:fs"
import * as AdoptedTree from "../../process/AdoptedTree.ts"
import * as Limits from "../../process/Limits.ts"
import * as Output from "../../process/Output.ts"
import type { OutputChunk, ProcessCommand } from "../../process/ProcessCommand.ts"
import type { ProcessResult } from "../../process/Processes.ts"
import { now, pause } from "../../process/RealClock.ts"
import { type SpawnFailed, spawnFailed } from "../../process/SpawnFailed.ts"
import * as PrivateDirectory from "../../system/PrivateDirectory.ts"
import { cutWords } from "../../text/excerpt.ts"
import { visibleLine } from "../../text/visible.ts"
import { progress, type ToolCall } from "../../tool/ToolCall.ts"
import { EditorTerminalFailed, type RunningInTerminal, type TerminalOfEditor } from "./EditorTerminal.ts"
import { placeIn, programOf, scriptIn, terminalScript } from "./terminalScript.ts"

interface InTerminal {
  /** Time and silence; an editor measures nothing else. */
  readonly limits: Pick<Limits.Limits, "time" | "idle">
  /** Bytes of output that are wanted. */
  readonly outputLimit: number
  /** Takes what it has printed, once it has ended. */
  readonly onOutput: (chunk: OutputChunk) => Effect.Effect<void>
}

/** How long a command may take to end once it was killed. */
const grace = "5 seconds"

/** Milliseconds between two looks at the output of a command that must not be silent for long. */
const glance = { least: 100, most: 5000 }

/** Characters of a line that the editor's program has said. */
const maxLine = 200

const nothing = Output.whole("")
const unmeasured = Effect.succeed({ processes: 0, memory: 0 })

/** Watches when the output changes; gives when it did last. */
const watched = (terminal: RunningInTerminal, idle: Duration.Duration | undefined) =>
  Effect.gen(function* () {
    let printed = now()
    if (idle === undefined) return () => printed
    const step = Math.min(glance.most, Math.max(glance.least, Duration.toMillis(idle) / 4))
    let before = ""
    const look = Effect.tap(terminal.output, ({ text }) =>
      Effect.sync(() => {
        if (text !== before) printed = now()
        before = text
      })
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(pause(step), Effect.ignore(look))))
    return () => printed
  })

const unended = new EditorTerminalFailed({
  operation: "end",
  reason: `it was killed and had not ended after ${grace}`,
  outcome: "unknown"
})

const cut = "[the beginning of the output is missing: the editor keeps only the end]\n"

/** Lines as the command wrote them: a terminal puts a carriage return before each end. */
const asWritten = (text: string, place: "terminal" | "pipe"): string =>
  place === "terminal" ? text.replaceAll("\r\n", "\n") : text

/** Nothing is left of what the script notes first: it was not run, or the command has removed the note. */
const unseen = (script: string, text: string) => {
  const [line = ""] = text.trim().split("\n", 1)
  const said = line === "" ? "It said nothing" : `It said: ${cutWords(visibleLine(line), maxLine)}`
  return new EditorTerminalFailed({
    operation: "start",
    reason: `nothing shows that it has read ${script}. Does the editor run on this machine, with its files? ${said}`,
    outcome: "unknown"
  })
}

/** Runs a command in the editor's terminal, with the result that it has when we run it. */
export const runInTerminal = (
  { start }: TerminalOfEditor,
  call: ToolCall,
  command: ProcessCommand,
  { limits, onOutput, outputLimit }: InTerminal
): Effect.Effect<ProcessResult, EditorTerminalFailed | SpawnFailed> =>
  Effect.gen(function* () {
    const tree = yield* AdoptedTree.make
    const marked = { ...command, env: { ...command.env, ...tree.variables } }
    const directory = yield* PrivateDirectory.filled(
      (made) => {
        const script = terminalScript(marked, made)
        // A shell would leave it out, and run something else.
        if (script.includes("\0")) throw Object.assign(new Error("a NUL character"), { code: "EINVAL" })
        fs.writeFileSync(scriptIn(made), script, { mode: 0o400, flag: "wx" })
      },
      (error) => spawnFailed(command, error)
    )
    const terminal = yield* start(call, programOf(command, directory), outputLimit)
    yield* progress(call, { label: "in the editor's terminal" })
    const ending = yield* Effect.forkScoped(terminal.exit)
    const printed = yield* watched(terminal, limits.idle)
    const exceeded = yield* Effect.raceFirst(
      Effect.as(Fiber.join(ending), undefined),
      Limits.watch({ limits, printed, usage: unmeasured })
    )
    if (exceeded !== undefined) yield* Effect.ignore(terminal.kill)
    const { survivors } = yield* tree.end
    const { exitCode, signal } = yield* exceeded === undefined
      ? Fiber.join(ending)
      : Effect.raceFirst(Fiber.join(ending), Effect.zipRight(pause(grace), unended))
    const { text, truncated } = yield* terminal.output
    const place = placeIn(directory)
    if (place === undefined && exceeded === undefined) return yield* unseen(scriptIn(directory), text)
    const written = asWritten(text, place ?? "pipe")
    const gap = written === "" || written.endsWith("\n") ? "" : "\n"
    yield* onOutput({ channel: "stdout", text: truncated ? `${written}${gap}${cut}` : written })
    return { exitCode, signal, survivors, exceeded, output: nothing, stdout: nothing, stderr: nothing }
  }).pipe(Effect.scoped)
