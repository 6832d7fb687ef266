import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import * as Capture from "./Capture.ts"
import * as Guardian from "./Guardian.ts"
import * as Leader from "./Leader.ts"
import * as OutputFeed from "./OutputFeed.ts"
import * as Pipes from "./Pipes.ts"
import * as PrivateDirectory from "./PrivateDirectory.ts"
import { defaultDrain, defaultGrace } from "./ProcessCommand.ts"
import type { OutputChunk, ProcessCommand, ProcessExit } from "./ProcessCommand.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as ProcessTree from "./ProcessTree.ts"
import { pause } from "./RealClock.ts"
import type { SpawnFailed } from "./SpawnFailed.ts"

/** A started child. Its tree ends when the scope closes that it was spawned in, and at the latest with the runtime. */
export interface RunningProcess {
  readonly pid: number
  /** For one consumer; ends at the end of both channels, or `drain` after the leader's exit. Not reading it stops the child. */
  readonly output: Stream.Stream<OutputChunk>
  /** The leader's exit. */
  readonly exit: Effect.Effect<ProcessExit>
  /** Ends the whole tree: SIGTERM, grace, SIGKILL. Says how many processes the leader had left behind. */
  readonly end: Effect.Effect<number>
}

export interface RunOptions {
  /** Slow consumers slow the child down. */
  readonly onOutput?: (chunk: OutputChunk) => Effect.Effect<void>
  /** Bytes kept of each capture; 256 KiB by default. */
  readonly limit?: number
}

export interface ProcessResult extends ProcessExit {
  /** Both channels, in the order of arrival. */
  readonly output: Capture.Captured
  readonly stdout: Capture.Captured
  readonly stderr: Capture.Captured
  /** Background processes that were ended after the leader's exit. */
  readonly survivors: number
}

const defaultLimit = 256 * 1024

/**
 * The one door for child processes. Every child is without a terminal, in a session of its own, and ends with all that it
 * started: at its leader's exit, at an interruption (within `grace` and a second, whatever it does), and when the runtime is
 * killed. On Linux that includes processes that left the session, unless they also cleared their environment and lost their
 * parent: only a sandbox with a process namespace holds those.
 */
export class Processes extends Context.Tag("tollgate/process/Processes")<
  Processes,
  {
    readonly spawn: (command: ProcessCommand) => Effect.Effect<RunningProcess, SpawnFailed, Scope.Scope>
    /** Runs a command to its end and keeps the beginning and the end of what it printed. */
    readonly run: (command: ProcessCommand, options?: RunOptions) => Effect.Effect<ProcessResult, SpawnFailed>
  }
>() {
  static readonly layer = Layer.scoped(
    Processes,
    Effect.gen(function* () {
      const runtime = randomUUID()
      const directory = yield* PrivateDirectory.make
      const guardian = yield* Guardian.make(`${ProcessTree.markerName}=${runtime}.`, directory.existing)
      const pipe = yield* Pipes.make(directory.ensure)
      let count = 0

      const spawn = Effect.fn("Processes.spawn")(function* (command: ProcessCommand) {
        if (command.held) yield* command.held
        const making: Leader.Making = { directory: directory.ensure, pipe, marker: `${runtime}.${++count}.` }
        const running = yield* Effect.acquireRelease(
          Effect.map(Leader.start(command, making), (leader) => {
            guardian.watch(leader.pid)
            return tend(leader, command, making.marker, guardian)
          }),
          ({ end, feed }) => Effect.ensuring(end, Effect.sync(feed.destroy))
        )
        yield* Effect.forkScoped(running.drain)
        const { pid, feed, exit, end } = running
        return { pid, output: feed.output, exit, end } satisfies RunningProcess
      })

      const run = Effect.fn("Processes.run")(function* (command: ProcessCommand, options: RunOptions = {}) {
        const { onOutput, limit = defaultLimit } = options
        const captures = { output: Capture.make(limit), stdout: Capture.make(limit), stderr: Capture.make(limit) }
        const keep = ({ channel, text }: OutputChunk): void => {
          const piece = Capture.piece(text)
          captures.output.append(piece)
          captures[channel].append(piece)
        }
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const { output, exit, end } = yield* spawn(command)
            yield* Stream.runForEach(output, (chunk) => {
              keep(chunk)
              return onOutput ? onOutput(chunk) : Effect.void
            })
            const { exitCode, signal } = yield* exit
            const survivors = yield* end
            const [both, stdout, stderr] = [
              captures.output.result(),
              captures.stdout.result(),
              captures.stderr.result()
            ]
            return { exitCode, signal, survivors, output: both, stdout, stderr } satisfies ProcessResult
          })
        )
      })

      return { spawn, run }
    })
  )
}

/** What is done for a leader from its start to the end of its tree. */
const tend = (leader: Leader.Leader, command: ProcessCommand, marker: string, guardian: Guardian.Guardian) => {
  const { pid, hasExited, exit, sources } = leader
  const feed = OutputFeed.make(sources)
  const started = ProcessTable.startOf(pid) ?? 0
  const tree = { leader: pid, started, marker, hasExited, supervised: command.supervised ?? false }
  const ender = ProcessTree.ender(tree, command.grace ?? defaultGrace)
  let ended: number | undefined
  const end = Effect.uninterruptible(
    Effect.gen(function* () {
      if (ended !== undefined) return ended
      const { survivors, complete } = yield* ender
      // What SIGKILL could not end stays in the guardian's care.
      if (complete) guardian.release(pid)
      else yield* Effect.logWarning(`Process ${pid} (${command.file}) did not end after SIGKILL.`)
      const left = yield* leader.leftBehind
      return (ended ??= survivors + left)
    })
  )
  const drain = Effect.gen(function* () {
    yield* exit
    feed.exited()
    yield* pause(command.drain ?? defaultDrain)
    feed.cut()
  })
  return { pid, exit, end, drain, feed }
}
