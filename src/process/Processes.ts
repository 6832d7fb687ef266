import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import * as os from "node:os"
import * as Capture from "./Capture.ts"
import * as Guardian from "./Guardian.ts"
import * as Leader from "./Leader.ts"
import * as Limits from "./Limits.ts"
import * as Output from "./Output.ts"
import * as OutputFeed from "./OutputFeed.ts"
import * as Pipes from "./Pipes.ts"
import * as PrivateDirectory from "../system/PrivateDirectory.ts"
import { defaultDrain, defaultGrace } from "./ProcessCommand.ts"
import type { Channel, OutputChunk, ProcessCommand, ProcessExit } from "./ProcessCommand.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as ProcessTree from "./ProcessTree.ts"
import { now, pause } from "./RealClock.ts"
import type { SpawnFailed } from "./SpawnFailed.ts"
import type { Writable } from "node:stream"

/** A started child. Its tree ends when the scope closes that it was spawned in, and at the latest with the runtime. */
export interface RunningProcess {
  readonly pid: number
  /**
   * For one consumer; ends when both channels end. If another process holds one for `drain` after the leader's exit, it
   * is cut once all that the leader wrote is read. Not reading it stops the child.
   */
  readonly output: Stream.Stream<OutputChunk>
  /** Whether a channel was cut; asked once the output has ended. */
  readonly truncated: (channel: Channel) => boolean
  /** Its standard input, where the command has it open; it ends with the process. */
  readonly input: Writable | undefined
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
  /** What it may use once it has started. */
  readonly limits?: Limits.Limits
  /** Commands wait for each other, and never hold up what decides about them: `deciders` are the default. */
  readonly lane?: Lane
  /** Once `when` returns, it goes on in the lane of the background and under these limits instead, counted from then on. */
  readonly behind?: { readonly when: Effect.Effect<void>; readonly limits: Limits.Limits }
}

export type Lane = "commands" | "deciders" | "background"

export interface ProcessResult extends ProcessExit {
  /** Both channels, in the order of arrival. */
  readonly output: Output.Output
  readonly stdout: Output.Output
  readonly stderr: Output.Output
  /** The limit at which it was ended. */
  readonly exceeded: Limits.Limit | undefined
  /** Background processes that were ended after the leader's exit. */
  readonly survivors: number
}

const defaultLimit = 256 * 1024

/** Commands that run at the same time, by the cores of the machine. */
const commandsAtOnce = Math.max(2, Math.min(2 * os.availableParallelism(), Math.floor(os.totalmem() / 2 ** 29)))
const decidersAtOnce = 4 * commandsAtOnce
/** They run for as long as their sessions do, in places of their own. */
const backgroundAtOnce = 64

/** What a shell says of a program that the signal of its CPU time ended. */
const cpuExit = 128 + os.constants.signals.SIGXCPU

/**
 * The one door for child processes. Every child has no terminal and its own session, and ends with all that it started:
 * at its leader's exit, at an interruption (within `grace` and a second), and when the runtime is killed. On Linux that
 * includes processes that left the session, unless they also cleared their environment and lost their parent: only a
 * sandbox with a process namespace holds those.
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
      const lanes: Readonly<Record<Lane, Effect.Semaphore>> = {
        commands: yield* Effect.makeSemaphore(commandsAtOnce),
        deciders: yield* Effect.makeSemaphore(decidersAtOnce),
        background: yield* Effect.makeSemaphore(backgroundAtOnce)
      }
      /** A place in a lane until the scope closes; the effect that it gives changes it for one in another lane. */
      const place = (lane: Lane) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend(() => {
            let held = lane
            const move = (to: Lane) =>
              Effect.uninterruptibleMask((restore) =>
                Effect.zipRight(
                  restore(lanes[to].take(1)),
                  Effect.suspend(() => {
                    const before = held
                    held = to
                    return lanes[before].release(1)
                  })
                )
              )
            return Effect.zipRight(
              restore(lanes[lane].take(1)),
              Effect.as(
                Effect.addFinalizer(() => lanes[held].release(1)),
                move
              )
            )
          })
        )

      const start = Effect.fnUntraced(function* (command: ProcessCommand, lane?: Lane) {
        if (command.held) yield* command.held
        // Acquired after the resources of the command: releasing those may take a process, which must not wait for this slot.
        const move = lane === undefined ? () => Effect.void : yield* place(lane)
        const making: Leader.Making = { directory: directory.ensure, pipe, marker: `${runtime}.${++count}.` }
        const running = yield* Effect.acquireRelease(
          Effect.flatMap(Leader.start(command, making), (leader) => {
            guardian.watch(leader.pid)
            return tend(leader, command, making.marker, guardian)
          }),
          ({ end, feed }) => Effect.ensuring(end, Effect.sync(feed.destroy))
        )
        yield* Effect.forkScoped(running.drain)
        const { pid, feed, exit, end, input, usage } = running
        return { pid, input, output: feed.output, truncated: feed.truncated, exit, end, usage, move }
      })

      const spawn = Effect.fn("Processes.spawn")(function* (command: ProcessCommand) {
        const running: RunningProcess = yield* start(command)
        return running
      })

      const run = Effect.fn("Processes.run")(function* (command: ProcessCommand, options: RunOptions = {}) {
        const { behind, lane = "deciders", limit = defaultLimit, limits = {}, onOutput } = options
        const captures = { output: Capture.make(limit), stdout: Capture.make(limit), stderr: Capture.make(limit) }
        let exceeded: Limits.Limit | undefined
        let bytes = 0
        let printed = 0
        const keep = ({ channel, text }: OutputChunk): void => {
          const piece = Capture.piece(text)
          bytes += piece.bytes
          printed = now()
          captures.output.append(piece)
          captures[channel].append(piece)
        }
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const { output, exit, end, truncated, usage, move } = yield* start(command, lane)
            const over = yield* Deferred.make<void>()
            const stop = (limit: Limits.Limit) =>
              Effect.suspend(() => {
                exceeded ??= limit
                return Effect.zipRight(Deferred.succeed(over, undefined), end)
              })
            const take = (chunk: OutputChunk) =>
              Effect.suspend(() => {
                if (exceeded === "output") return Effect.void
                keep(chunk)
                const told = onOutput ? onOutput(chunk) : Effect.void
                return bytes > (limits.output ?? Number.POSITIVE_INFINITY)
                  ? Effect.zipRight(told, stop("output"))
                  : told
              })
            const taken = Stream.runForEach(output, take)
            if (options.limits === undefined) yield* taken
            else {
              // All three end by interruption, also where the caller cannot be interrupted.
              const watch = (limits: Limits.Limits) => Limits.watch({ limits, printed: () => printed, usage })
              const first =
                behind === undefined
                  ? watch(limits)
                  : Effect.raceFirst(watch(limits), Effect.as(behind.when, undefined))
              const reached = Effect.flatMap(first, (limit) =>
                limit === undefined && behind !== undefined
                  ? Effect.raceFirst(watch(behind.limits), Effect.zipRight(move("background"), Effect.never))
                  : Effect.succeed(limit)
              )
              const watched = Effect.flatMap(reached, (limit) => (limit === undefined ? Effect.void : stop(limit)))
              yield* Effect.forkScoped(Effect.interruptible(watched))
              // A reader that does not take the rest of the output does not delay the end.
              const late = Effect.zipRight(Deferred.await(over), Effect.zipRight(end, pause(leftover)))
              yield* Effect.raceFirst(Effect.interruptible(taken), Effect.interruptible(late))
            }
            const { exitCode, signal } = yield* exceeded === undefined
              ? exit
              : Effect.raceFirst(Effect.interruptible(exit), Effect.interruptible(unended))
            const survivors = yield* end
            if (limits.cpu !== undefined && (signal === "SIGXCPU" || exitCode === cpuExit)) exceeded ??= "cpu"
            const isCut = { stdout: truncated("stdout"), stderr: truncated("stderr") }
            return {
              exitCode,
              signal,
              survivors,
              exceeded,
              output: Output.make(captures.output.result(), isCut.stdout || isCut.stderr),
              stdout: Output.make(captures.stdout.result(), isCut.stdout),
              stderr: Output.make(captures.stderr.result(), isCut.stderr)
            } satisfies ProcessResult
          })
        )
      })

      return { spawn, run }
    })
  )
}

/** How long output is still taken of a command that was ended at a limit. */
const leftover = "1 second"

/** What sleeps in the kernel when it is ended at a limit is not awaited for ever. */
const unended: Effect.Effect<ProcessExit> = Effect.as(pause(leftover), { exitCode: null, signal: "SIGKILL" })

/** What is done for a leader from its start to the end of its tree. */
const tend = Effect.fnUntraced(function* (
  leader: Leader.Leader,
  command: ProcessCommand,
  marker: string,
  guardian: Guardian.Guardian
) {
  const { pid, hasExited, exit, sources } = leader
  const feed = OutputFeed.make(sources)
  const started = ProcessTable.startOf(pid) ?? 0
  const tree = { leader: pid, started, marker, hasExited, supervised: command.supervised ?? false }
  const ender = ProcessTree.ender(tree, command.grace ?? defaultGrace)
  const end = yield* Effect.cached(
    Effect.uninterruptible(
      Effect.gen(function* () {
        const { survivors, complete } = yield* ender
        // What SIGKILL could not end stays in the guardian's care.
        if (complete) guardian.release(pid)
        else yield* Effect.logWarning(`Process ${pid} (${command.file}) did not end after SIGKILL.`)
        return survivors + (yield* leader.leftBehind)
      })
    )
  )
  const drain = Effect.gen(function* () {
    yield* exit
    feed.exited()
    yield* pause(command.drain ?? defaultDrain)
    yield* feed.settled
    feed.cut()
  })
  return { pid, exit, end, drain, feed, input: leader.input, usage: ProcessTree.usage(tree) }
})
