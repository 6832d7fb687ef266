import type * as Tracer from "effect/Tracer"
import type { Outgoing } from "./Outgoing.ts"

/** Events that one span holds at most. */
export const maxEvents = 128

/**
 * A span for code whose attributes and events may hold content: they are recorded only with `outgoing`. It is a
 * copy: were the span its prototype, the engine would give each span a hidden class of its own, which takes 7 µs.
 */
export const redactedSpan = (
  span: Tracer.Span,
  outgoing: Outgoing | undefined,
  end: Tracer.Span["end"] = (time, exit) => span.end(time, exit)
): Tracer.Span => {
  let events = 0
  const face: Pick<Tracer.Span, "attribute" | "event" | "addLinks" | "end"> = {
    attribute: (key, value) => {
      for (const [name, shown] of Object.entries(outgoing?.attributes({ [key]: value }) ?? {}))
        span.attribute(name, shown)
    },
    event: (name, time, attributes) => {
      if (outgoing === undefined || ++events > maxEvents) return
      span.event(outgoing.text(name), time, attributes && outgoing.attributes(attributes))
    },
    addLinks: (links) => span.addLinks(links.map(({ _tag, span: to }) => ({ _tag, span: to, attributes: {} }))),
    end
  }
  const shown = {
    __proto__: Object.getPrototypeOf(span),
    ...span,
    ...face,
    get status() {
      return span.status
    }
  }
  return shown
}
