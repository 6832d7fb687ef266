import * as Effect from "effect/Effect"
import * as ChildProcess from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import type { Readable } from "node:stream"
import { systemPath } from "./Environment.ts"
import { errnoOf } from "../system/errno.ts"

/** The reading end is ours, the writing end a descriptor for the child, to be closed here once the child has it. */
export interface Pipe {
  readonly reader: Readable
  readonly writer: number
}

const batch = 32

const mkfifo = (names: ReadonlyArray<string>): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    ChildProcess.spawn("mkfifo", ["-m", "600", "--", ...names], { env: { PATH: systemPath }, stdio: "ignore" })
      .on("error", () => resume(Effect.succeed(false)))
      .on("exit", (code) => resume(Effect.succeed(code === 0)))
  })

const outOfDescriptors = (error: unknown): boolean => ["EMFILE", "ENFILE"].includes(errnoOf(error))

/**
 * The reader opens first and without blocking, or each end would wait for the other. Undefined if the name is gone;
 * throws if no descriptors are left, since Node would lose those of a child that it cannot start.
 */
export const open = (name: string): Pipe | undefined => {
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(name, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    const writer = fs.openSync(name, fs.constants.O_WRONLY)
    fs.unlinkSync(name)
    return { reader: new net.Socket({ fd: descriptor, readable: true, writable: false }), writer }
  } catch (error) {
    if (descriptor !== undefined) fs.closeSync(descriptor)
    if (outOfDescriptors(error)) throw error
    return undefined
  }
}

/**
 * Names of pipes for children on Linux, made in batches and opened once. Node's own are sockets, which a script cannot
 * open as /dev/stdout or /dev/stderr. Undefined if the system has no `mkfifo`.
 */
export const make = (directory: () => string): Effect.Effect<Effect.Effect<string | undefined>> =>
  Effect.gen(function* () {
    const names: Array<string> = []
    const semaphore = yield* Effect.makeSemaphore(1)
    const refill = Effect.gen(function* () {
      if (names.length > 0 || process.platform !== "linux") return
      const place = yield* Effect.try(directory)
      const fresh = Array.from({ length: batch }, () => path.join(place, randomUUID()))
      if (yield* mkfifo(fresh)) names.push(...fresh)
    })
    return semaphore.withPermits(1)(Effect.map(Effect.ignore(refill), () => names.pop()))
  })

/** A descriptor that reads as these bytes: an unlinked file, which needs no writer. */
export const reading = (directory: string, bytes: Uint8Array | string): number => {
  const name = path.join(directory, randomUUID())
  fs.writeFileSync(name, bytes, { mode: 0o600, flag: "wx" })
  try {
    return fs.openSync(name, "r")
  } finally {
    fs.unlinkSync(name)
  }
}
