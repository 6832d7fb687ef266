import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { isUtf8 } from "node:buffer"
import { UsageError } from "./Outcome.ts"

/** A line of standard input; one with a fault has no text. */
export interface InputLine {
  /** From 1. */
  readonly number: number
  readonly text: string
  readonly fault?: "too long" | "not UTF-8"
}

/** Bytes of one line. */
export const lineLimit = 4 * 1024 * 1024

/** The next piece of standard input; none at its end. What nobody asks for stays in the pipe. */
const piece: Effect.Effect<Buffer, Option.Option<UsageError>> = Effect.async((resume) => {
  const { stdin } = process
  const off = () => {
    stdin.off("readable", take)
    stdin.off("end", ended)
    stdin.off("close", ended)
    stdin.off("error", failed)
  }
  const take = () => {
    const found: unknown = stdin.read()
    if (found === null) return
    off()
    resume(Effect.succeed(found as Buffer))
  }
  const ended = () => {
    off()
    resume(Effect.fail(Option.none()))
  }
  const failed = (error: Error) => {
    off()
    resume(Effect.fail(Option.some(new UsageError({ reason: `Standard input cannot be read: ${error.message}` }))))
  }
  if (stdin.readableEnded || stdin.destroyed) return ended()
  stdin.on("readable", take)
  stdin.on("end", ended)
  stdin.on("close", ended)
  stdin.on("error", failed)
  take()
  return Effect.sync(off)
})

/** Standard input line by line; the last one counts without a line break too, empty ones do not. */
export const stdinLines: Stream.Stream<InputLine, UsageError> = Stream.suspend(() => {
  let number = 0
  let kept: Array<Buffer> = []
  let size = 0
  const line = (): ReadonlyArray<InputLine> => {
    number += 1
    const bytes = Buffer.concat(kept)
    const fault = size > lineLimit ? "too long" : isUtf8(bytes) ? undefined : "not UTF-8"
    kept = []
    size = 0
    if (fault !== undefined) return [{ number, text: "", fault }]
    const text = bytes.toString("utf8").replace(/\r$/, "")
    return text.trim() === "" ? [] : [{ number, text }]
  }
  const add = (bytes: Buffer) => {
    size += bytes.length
    if (size <= lineLimit) kept.push(bytes)
    else kept = []
  }
  const lines = (bytes: Buffer): ReadonlyArray<InputLine> => {
    const found: Array<InputLine> = []
    let from = 0
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
      add(bytes.subarray(from, end))
      found.push(...line())
      from = end + 1
    }
    if (from < bytes.length) add(bytes.subarray(from))
    return found
  }
  return Stream.repeatEffectOption(piece).pipe(
    Stream.map(lines),
    Stream.concat(Stream.sync(() => (size === 0 ? [] : line()))),
    Stream.flattenIterables
  )
})
