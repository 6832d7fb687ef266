import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { Outgoing } from "./Outgoing.ts"
import { Described, ending } from "./traced.ts"
import { redactedSpan } from "./redactedSpan.ts"

/**
 * Exports the spans that Tollgate describes and those below them, of libraries and tools: without content only the
 * name, the time and the class of a failure. Other spans of libraries are not exported.
 */
export const selective = (tracer: Tracer.Tracer, outgoing: Outgoing, content: boolean): Tracer.Tracer => {
  const made = Symbol("made")
  /** The next span above that is exported too; not one of a tracer that was there before. */
  const above = (parent: Option.Option<Tracer.AnySpan>): Option.Option<Tracer.AnySpan> =>
    Option.flatMap(parent, (span) => (span._tag === "ExternalSpan" || made in span ? parent : above(span.parent)))
  return Tracer.make({
    context: tracer.context,
    span: (name, given, context, links, startTime, kind) => {
      const parent = above(given)
      const described = Context.get(context, Described)
      const span = tracer.span(outgoing.text(name), parent, context, described ? links : [], startTime, kind)
      if (!described && Option.isNone(parent)) return redactedSpan(span, undefined, () => {})
      Object.assign(span, { [made]: true })
      if (described) return span
      return redactedSpan(span, content ? outgoing : undefined, (time, exit) => {
        const end = ending(exit, outgoing, content)
        if (end.type !== undefined) span.attribute("error.type", end.type)
        span.end(time, end.exit)
      })
    }
  })
}
