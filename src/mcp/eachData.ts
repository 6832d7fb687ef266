/** Changes the data of a stream of events, line by line; no string of a JSON text goes on in another line. */
export const eachData = (change: (data: string) => string): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const pending: Array<string> = []
  const taken = (): Uint8Array => {
    const parts = pending
      .splice(0)
      .join("")
      .split(/([\r\n])/)
    const changed = parts.map((line) => (line.startsWith("data:") ? `data:${change(line.slice(5))}` : line))
    return encoder.encode(changed.join(""))
  }
  return new TransformStream({
    transform: (chunk, controller) => {
      const piece = decoder.decode(chunk, { stream: true })
      const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r")) + 1
      pending.push(piece.slice(0, end))
      if (end > 0) controller.enqueue(taken())
      pending.push(piece.slice(end))
    },
    flush: (controller) => controller.enqueue(taken())
  })
}
