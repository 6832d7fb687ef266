import * as Sse from "@effect/experimental/Sse"

/** Turns the bytes of an event stream into the data of its events, however the network cut them. */
export interface EventDecoder {
  /** The events that these bytes complete; undefined once a pending event is larger than the limit. */
  readonly feed: (chunks: Iterable<Uint8Array>) => ReadonlyArray<string> | undefined
  /** What the end of the body completes: a last event without its blank line, but none that was cut short. */
  readonly end: () => ReadonlyArray<string>
}

const isWhole = (data: string): boolean => {
  if (data.trim() === "[DONE]") return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}

/** `limit` is in characters, for one event. */
export const make = (limit: number): EventDecoder => {
  const text = new TextDecoder()
  let events: Array<string> = []
  const parser = Sse.makeParser((event) => event._tag === "Event" && events.push(event.data), { maxEventSize: limit })
  let held = ""
  const take = () => {
    const taken = events
    events = []
    return taken
  }
  /**
   * CR LF is one line end, also where the network cut between the two: a trailing CR waits. Line by line, because the
   * parser scans all of a piece for each of its lines.
   */
  const parse = (piece: string): boolean => {
    const all = held + piece
    held = all.endsWith("\r") ? "\r" : ""
    const end = all.length - held.length
    for (let start = 0; start < end;) {
      const next = all.indexOf("\n", start)
      const stop = next === -1 || next >= end ? end : next + 1
      if (parser.feed(all.slice(start, stop)) !== undefined) return false
      start = stop
    }
    return true
  }
  return {
    feed: (chunks) => {
      for (const bytes of chunks) if (!parse(text.decode(bytes, { stream: true }))) return undefined
      return take()
    },
    end: () => {
      parse(`${text.decode()}\n\n`)
      return take().filter(isWhole)
    }
  }
}
