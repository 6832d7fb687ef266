import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { errnoOf, systemReason } from "../system/errno.ts"
import { ImportRefused } from "./ImportProblem.ts"
import { maxBytes } from "./Limits.ts"

const tooLong = `it is larger than ${maxBytes / 1024 / 1024} MiB`

/** What shows that a file is still the one that was opened. */
const identity = ({ ctimeMs, dev, ino, mtimeMs, size }: fs.Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(" ")

const signatures: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["compressed (gzip); unpack it first", [0x1f, 0x8b]],
  ["compressed (zip); unpack it first", [0x50, 0x4b, 0x03, 0x04]],
  ["UTF-16 text; save it as UTF-8", [0xff, 0xfe]],
  ["UTF-16 text; save it as UTF-8", [0xfe, 0xff]]
]

/** The text of some bytes in pieces; no byte is replaced by another. */
const decoded = <E>(bytes: Stream.Stream<Uint8Array, E>, file: string): Stream.Stream<string, E | ImportRefused> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    let read = 0
    const refused = (problem: string) => new ImportRefused({ file, problem })
    const text = (chunk: Uint8Array | undefined) =>
      Effect.try({
        try: () => (chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })),
        catch: () => refused(`it is not UTF-8, at or before byte ${read}`)
      })
    return Stream.concat(
      Stream.mapEffect(bytes, (chunk) => {
        const known =
          read === 0 ? signatures.find(([, sign]) => sign.every((byte, at) => chunk[at] === byte)) : undefined
        if (known !== undefined) return refused(`it is ${known[0]}`)
        read += chunk.length
        return read > maxBytes ? refused(tooLong) : text(chunk)
      }),
      Stream.fromEffect(Effect.suspend(() => text(undefined)))
    )
  })

/** The text of standard input. */
export const standardInput = (input: AsyncIterable<Uint8Array>): Stream.Stream<string, ImportRefused> => {
  const file = "standard input"
  return decoded(
    Stream.fromAsyncIterable(input, (error) => new ImportRefused({ file, problem: systemReason(error) })),
    file
  )
}

/** Bytes that are read at once. */
const chunk = 64 * 1024

/** The text of a regular file, which must not change while it is read; `path` has no link in its last name. */
export const textOf = (file: string, path: string): Stream.Stream<string, ImportRefused> => {
  const refused = (problem: string) => new ImportRefused({ file, problem })
  const failed = (error: unknown) =>
    refused(errnoOf(error) === "ELOOP" ? "it was replaced by a link" : `it cannot be read: ${systemReason(error)}`)
  const bytes = Stream.unwrapScoped(
    Effect.gen(function* () {
      const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants
      const opened = yield* Effect.acquireRelease(
        Effect.tryPromise({ try: () => fs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), catch: failed }),
        (handle) => Effect.promise(() => handle.close().catch(() => {}))
      )
      const stat = Effect.tryPromise({ try: () => opened.stat(), catch: failed })
      const before = yield* stat
      if (!before.isFile()) return yield* refused("it is not a regular file")
      if (before.size > maxBytes) return yield* refused(tooLong)
      const piece = Effect.tryPromise({ try: () => opened.read(Buffer.allocUnsafe(chunk), 0, chunk), catch: failed })
      let read = 0
      const unchanged = Effect.gen(function* () {
        const after = yield* stat
        const there = yield* Effect.tryPromise({ try: () => fs.promises.lstat(path), catch: failed })
        if (identity(after) !== identity(before) || there.ino !== before.ino || there.dev !== before.dev) {
          yield* refused("it changed while it was read; import it once it is complete")
        }
      })
      return Stream.concat(
        Stream.repeatEffect(piece).pipe(
          // One that grows meanwhile is not followed.
          Stream.takeWhile(({ bytesRead }) => bytesRead > 0 && (read += bytesRead) <= before.size),
          Stream.map(({ buffer, bytesRead }) => buffer.subarray(0, bytesRead))
        ),
        Stream.drain(Stream.fromEffect(unchanged))
      )
    })
  )
  return decoded(bytes, file)
}
