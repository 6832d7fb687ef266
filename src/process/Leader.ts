import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ChildProcess from "node:child_process"
import * as fs from "node:fs"
import { Readable, type Writable } from "node:stream"
import type { Channel, ProcessCommand, ProcessExit } from "./ProcessCommand.ts"
import * as Pipes from "./Pipes.ts"
import { markerName } from "./ProcessTree.ts"
import { turn, until } from "./RealClock.ts"
import { SpawnFailed, spawnFailed, stdinLimit } from "./SpawnFailed.ts"

/** The child that was started, in a session and a group of its own. */
export interface Leader {
  readonly pid: number
  readonly sources: Readonly<Record<Channel, Readable>>
  readonly hasExited: () => boolean
  readonly exit: Effect.Effect<ProcessExit>
  /** Its standard input, where that is open. */
  readonly input: Writable | undefined
  /** How many background processes ended with it; read after its exit. */
  readonly leftBehind: Effect.Effect<number>
}

export interface Making {
  /** Mode of files that only the owner may read. */
  readonly directory: () => string
  /** The name of a fresh pipe. */
  readonly pipe: Effect.Effect<string | undefined>
  /** The value of `markerName` in the environment of the child. */
  readonly marker: string
}

const input = (stdin: ProcessCommand["stdin"], directory: () => string): number | "ignore" | "pipe" =>
  stdin === undefined || stdin === "closed"
    ? "ignore"
    : stdin === "open"
      ? "pipe"
      : Pipes.reading(directory(), stdin instanceof Uint8Array ? stdin : stdin.text)

const inputBytes = (stdin: ProcessCommand["stdin"]): number =>
  stdin === undefined || typeof stdin === "string"
    ? 0
    : Buffer.byteLength(stdin instanceof Uint8Array ? stdin : stdin.text)

const ignore = (): void => {}

/** Characters of what a leader tells. */
const maxTold = 16

/** Milliseconds to wait for the end of what a leader tells once it has exited, and a turn of the event loop in any case. */
const patience = 200

const spawn = (
  command: ProcessCommand,
  making: Making,
  names: ReadonlyArray<string | undefined>,
  exit: Deferred.Deferred<ProcessExit>
): Effect.Effect<Leader, SpawnFailed> =>
  Effect.async((resume) => {
    const descriptors: Array<number> = []
    const readers: Array<Readable> = []
    const fail = (error: unknown): void => {
      for (const reader of readers) reader.destroy()
      resume(Effect.fail(spawnFailed(command, error)))
    }
    const output = (name: string | undefined): number | "pipe" => {
      const pipe = name === undefined ? undefined : Pipes.open(name)
      if (pipe === undefined) return "pipe"
      readers.push(pipe.reader)
      descriptors.push(pipe.writer)
      return pipe.writer
    }
    try {
      const stdin = input(command.stdin, making.directory)
      if (typeof stdin === "number") descriptors.push(stdin)
      const [stdout, stderr] = [output(names[0]), output(names[1])]
      const child = ChildProcess.spawn(command.file, [...command.args], {
        cwd: command.cwd,
        env: { ...command.env, [markerName]: making.marker },
        detached: true,
        stdio: command.tells === true ? [stdin, stdout, stderr, "pipe"] : [stdin, stdout, stderr]
      })
      // Before anything else is read of it: a child without descriptors has no channels, and tells why a turn later.
      child.on("error", fail)
      const { pid } = child
      if (pid === undefined) return
      const told = child.stdio[3]
      let left = ""
      if (told instanceof Readable) {
        told.setEncoding("utf8").on("error", ignore)
        told.on("data", (text: string) => {
          left = (left + text).slice(0, maxTold)
        })
      }
      child.off("error", fail).on("error", ignore)
      let exited = false
      child.on("exit", (exitCode, signal) => {
        exited = true
        Deferred.unsafeDone(exit, Effect.succeed({ exitCode, signal }))
      })
      const sources = { stdout: child.stdout ?? readers.shift()!, stderr: child.stderr ?? readers.shift()! }
      // What it does not read any more is lost, as its exit says.
      child.stdin?.on("error", ignore)
      const hasTold = Effect.sync(() => !(told instanceof Readable) || told.readableEnded || told.destroyed)
      const leftBehind = Effect.map(Effect.zipRight(until(hasTold, patience), turn), () => {
        if (told instanceof Readable) told.destroy()
        return /^\d+$/.test(left) ? Number(left) : 0
      })
      resume(
        Effect.succeed({
          pid,
          sources,
          input: child.stdin ?? undefined,
          hasExited: () => exited,
          exit: Deferred.await(exit),
          leftBehind
        })
      )
    } catch (error) {
      fail(error)
    } finally {
      for (const descriptor of descriptors) fs.closeSync(descriptor)
    }
  })

/** Starts a child; uninterruptible, and leaves nothing open where it fails. */
export const start = (command: ProcessCommand, making: Making): Effect.Effect<Leader, SpawnFailed> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      if (inputBytes(command.stdin) > stdinLimit)
        return yield* new SpawnFailed({
          file: command.file,
          cwd: command.cwd,
          code: "E2BIG",
          reason: "input-too-large"
        })
      const exit = yield* Deferred.make<ProcessExit>()
      const names = [yield* making.pipe, yield* making.pipe]
      return yield* spawn(command, making, names, exit)
    })
  )
