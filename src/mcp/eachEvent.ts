import { createParser } from "eventsource-parser"

export const tooLong = (most: number): Error => new Error(`a message had more than ${most} bytes`)

const lines = (name: string, text: string): string =>
  text
    .split("\n")
    .map((line) => `${name}: ${line}\n`)
    .join("")

/**
 * Changes the data of each event of a stream, however it is broken into lines, and leaves comments out. More than `most` bytes without
 * the end of an event break the stream off.
 */
export const eachEvent = (
  change: (data: string) => string,
  most = Number.POSITIVE_INFINITY
): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let since = 0
  let made = ""
  let held = ""
  const parser = createParser({
    onEvent: ({ data, event, id }) => {
      since = 0
      made += `${id === undefined ? "" : lines("id", id)}${event === undefined ? "" : lines("event", event)}${lines("data", change(data))}\n`
    },
    onRetry: (millis) => {
      made += `${lines("retry", String(millis))}\n`
    }
  })
  /** CR LF is one end of a line, also where it comes in two pieces; of lines that end in CR alone the parser looks at all for each. */
  const feed = (piece: string): void => {
    const all = held + piece
    const end = all.endsWith("\r") ? all.length - 1 : all.length
    held = all.slice(end)
    parser.feed(all.slice(0, end).replaceAll(/\r\n?/g, "\n"))
  }
  const tell = (controller: TransformStreamDefaultController<Uint8Array>): void => {
    if (made !== "") controller.enqueue(encoder.encode(made))
    made = ""
  }
  return new TransformStream({
    transform: (chunk, controller) => {
      since += chunk.length
      feed(decoder.decode(chunk, { stream: true }))
      if (since > most) controller.error(tooLong(most))
      else tell(controller)
    },
    flush: (controller) => {
      if (held !== "") parser.feed("\n")
      tell(controller)
    }
  })
}
