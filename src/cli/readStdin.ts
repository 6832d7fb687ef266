import * as Effect from "effect/Effect"
import { UsageError } from "./Outcome.ts"

/** Bytes of a prompt. */
const limit = 4 * 1024 * 1024

/** Standard input to its end. */
export const readStdin: Effect.Effect<string, UsageError> = Effect.async<string, UsageError>((resume) => {
  const { stdin } = process
  const chunks: Array<Buffer> = []
  let size = 0
  const off = () => {
    stdin.off("data", onData)
    stdin.off("end", onEnd)
    stdin.off("error", onError)
    stdin.pause()
  }
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size <= limit) return
    off()
    resume(new UsageError({ reason: `Standard input is larger than ${limit} bytes.` }))
  }
  const onEnd = () => {
    off()
    resume(Effect.succeed(Buffer.concat(chunks).toString("utf8")))
  }
  const onError = (error: Error) => {
    off()
    resume(new UsageError({ reason: `Standard input cannot be read: ${error.message}` }))
  }
  stdin.on("data", onData)
  stdin.on("end", onEnd)
  stdin.on("error", onError)
  return Effect.sync(off)
})
