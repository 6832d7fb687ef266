// @effect-diagnostics globalFetch:off - the library of the protocol takes a function like fetch
import type { FetchLike } from "@modelcontextprotocol/client"

const newline = 10

/** Counts what comes without a line's end in a stream of events, or at all in any other answer. */
export const counting = (most: number, isEvents: boolean): TransformStream<Uint8Array, Uint8Array> => {
  let since = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      const end = isEvents ? chunk.lastIndexOf(newline) : -1
      since = end < 0 ? since + chunk.length : chunk.length - end - 1
      if (since > most) controller.error(new Error(`a message had more than ${most} bytes`))
      else controller.enqueue(chunk)
    }
  })
}

/** A fetch whose answers have messages of at most so many bytes; a longer one breaks the answer off. */
export const boundedFetch =
  (most: number): FetchLike =>
  (url, init) =>
    fetch(url, init).then((response) => {
      const { body, headers, ok, status, statusText } = response
      if (body === null || !ok) return response
      const isEvents = headers.get("content-type")?.startsWith("text/event-stream") === true
      return new Response(body.pipeThrough(counting(most, isEvents)), { status, statusText, headers })
    })
