import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { afterwards } from "../middleware/afterwards.ts"
import { endOf } from "../middleware/endOf.ts"
import { Redactor } from "../redaction/Redactor.ts"
import * as Outgoing from "./Outgoing.ts"
import { maxEvents, redactedSpan } from "./redactedSpan.ts"

/** Marks the spans that Tollgate itself describes. */
export class Described extends Context.Reference<Described>()("tollgate/telemetry/Described", {
  defaultValue: (): boolean => false
}) {}

const none: Outgoing.Attributes = {}
const described = Context.make(Described, true)

/** What was taken along from where a layer was built, but for the span that was open there: calls have parents of their own. */
export const withoutSpan = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.omit(Tracer.ParentSpan)(context as Context.Context<R | Tracer.ParentSpan>) as Context.Context<R>

export interface SpanDescription {
  readonly name: string
  readonly attributes?: Outgoing.Attributes
  /** Attributes that are the same object in every span of a kind, which are redacted once. */
  readonly fixed?: Outgoing.Attributes
  readonly kind?: Tracer.SpanKind
  /** Whether the span may hold content, e.g. the text of a failure. Default: false. */
  readonly content?: boolean
}

/** A span that takes redacted, bounded attributes while it is open. */
export interface OpenSpan {
  readonly annotate: (attributes: Outgoing.Attributes, limit?: number) => void
  readonly event: (name: string, attributes: Outgoing.Attributes) => void
}

/** A failure as a tracer sees it. */
class SpanFailure extends Data.Error<{ readonly name: string; readonly message: string; readonly stack: string }> {}

const tagOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error) return String(error._tag)
  return error instanceof Error ? error.name : "_OTHER"
}

/** The class of what went wrong; nothing where the effect was interrupted. */
const errorType = (cause: Cause.Cause<unknown>): string | undefined => {
  const end = endOf(cause)
  if (end === "interrupted") return undefined
  return end === "crashed" ? "Crashed" : tagOf(Option.getOrUndefined(Cause.failureOption(cause)))
}

const messageOf = (cause: Cause.Cause<unknown>): string => Cause.prettyErrors(cause)[0]?.message ?? ""

/** The message of a foreign error, if reading it does not throw. */
const said = (say: () => string): string => {
  try {
    return say()
  } catch {
    return ""
  }
}

/** How a span ends: as the effect did, and in its words only where content may leave. */
export const ending = (
  exit: Exit.Exit<unknown, unknown>,
  outgoing: Outgoing.Outgoing,
  content: boolean
): { readonly type?: string; readonly exit: Exit.Exit<void, unknown> } => {
  if (Exit.isSuccess(exit)) return { exit: Exit.void }
  const { cause } = exit
  const found = errorType(cause)
  if (found === undefined) return { exit: Exit.failCause(Cause.interrupt(FiberId.none)) }
  const type = outgoing.text(found)
  const shown = (say: () => string) => outgoing.text(said(say), Outgoing.maxContent)
  const crashed = endOf(cause) === "crashed"
  const failure = new SpanFailure({
    name: type,
    message: content ? shown(() => messageOf(cause)) : type,
    stack: content && crashed ? shown(() => Cause.pretty(cause)) : ""
  })
  return { type, exit: Exit.fail(failure) }
}

/**
 * Runs an effect in a span that ends when it does, exactly once. Without `content` the span holds its description and,
 * for a failure, `error.type`; the exit of the effect is not changed.
 */
export const traced = <A, E, R>(
  { attributes = {}, content = false, fixed = none, kind = "internal", name }: SpanDescription,
  use: (span: OpenSpan) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Redactor, (redactor) => {
    const outgoing = Outgoing.by(redactor)
    const made = Effect.makeSpan(outgoing.text(name), {
      kind,
      attributes: { ...outgoing.fixed(fixed), ...outgoing.attributes(attributes) },
      context: described,
      captureStackTrace: false
    })
    const open = (span: Tracer.Span, clock: Clock.Clock): OpenSpan => {
      let events = 0
      return {
        annotate: (more, limit) => {
          for (const [key, value] of Object.entries(outgoing.attributes(more, limit))) span.attribute(key, value)
        },
        event: (event, detail) => {
          if (++events > maxEvents) return
          span.event(outgoing.text(event), clock.unsafeCurrentTimeNanos(), outgoing.attributes(detail))
        }
      }
    }
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(made, (span) =>
        Effect.clockWith((clock) => {
          const used = Effect.suspend(() => use(open(span, clock)))
          const below = Effect.withParentSpan(used, redactedSpan(span, content ? outgoing : undefined))
          return afterwards(restore(below), (exit) => {
            const end = ending(exit, outgoing, content)
            if (end.type !== undefined) span.attribute("error.type", end.type)
            span.end(clock.unsafeCurrentTimeNanos(), end.exit)
          })
        })
      )
    )
  })
