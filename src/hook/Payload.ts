import { isUtf8 } from "node:buffer"

/** Bytes of a payload: what can be judged in time, whatever it holds. */
export const maximumPayload = 2 * 1024 * 1024

/** What an agent has written, or why that is no payload, as the end of a sentence. */
export type Read = { readonly text: string } | { readonly problem: string }

/** Standard input, which is read once however many ask. */
export interface Payload {
  /** Tells once what was read, at once if that is known. */
  readonly onRead: (hear: (read: Read) => void) => void
}

/** Begins to read. */
export const standardInput = (): Payload => {
  let read: Read | undefined
  const waiting: Array<(read: Read) => void> = []
  const settle = (found: Read): void => {
    if (read !== undefined) return
    read = found
    for (const hear of waiting.splice(0)) hear(found)
  }
  const pieces: Array<Buffer> = []
  let size = 0
  process.stdin.on("error", () => settle({ problem: "its payload cannot be read." }))
  process.stdin.on("data", (piece: Buffer) => {
    size += piece.length
    if (size > maximumPayload) settle({ problem: `its payload is larger than ${maximumPayload / 1024 / 1024} MiB.` })
    else pieces.push(piece)
  })
  process.stdin.on("end", () => {
    const bytes = Buffer.concat(pieces)
    settle(isUtf8(bytes) ? { text: bytes.toString("utf8") } : { problem: "its payload is not UTF-8." })
  })
  return { onRead: (hear) => (read === undefined ? void waiting.push(hear) : hear(read)) }
}
