import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { AgentEvent } from "../agent/AgentEvent.ts"
import { ToolEvent } from "../tool/ToolEvent.ts"
import { lenient } from "./Lenient.ts"
import { RuntimeEvent, type TaskCompleted, type TaskFailed, type TaskInterrupted } from "./RuntimeEvent.ts"

export * from "./RuntimeEvent.ts"

/** Everything that happens, in the past tense. */
export const Event = Schema.Union(...RuntimeEvent.members, ...AgentEvent.members, ...ToolEvent.members)
export type Event = typeof Event.Type | UnknownEvent
export type EventTag = Event["_tag"]

/** An event of a later version, which is kept and passed on as it is. */
export class UnknownEvent {
  readonly _tag = "UnknownEvent"
  readonly tag: string
  /** Its JSON. */
  readonly json: object

  constructor(tag: string, json: object) {
    this.tag = tag
    this.json = json
  }
  toJSON(): object {
    return this.json
  }
}

const decodeKnown = lenient(Event)

/** The event in some JSON; one of a later version is unknown, and what has no tag is none. */
export const decodeEvent = (json: unknown): Either.Either<Event, ParseError> =>
  Either.orElse(decodeKnown(json), (error) =>
    typeof json === "object" && json !== null && "_tag" in json && typeof json._tag === "string"
      ? Either.right(new UnknownEvent(json._tag, json))
      : Either.left(error)
  )

/** Deltas: they coalesce, may be skipped and are never stored; every other event is durable and numbered. */
export const transientTags = [
  "TextDelta",
  "ReasoningDelta",
  "ArgumentsDelta",
  "ToolOutput",
  "ToolProgressed"
] as const satisfies ReadonlyArray<EventTag>
export type TransientTag = (typeof transientTags)[number]
export type TransientEvent = Extract<Event, { readonly _tag: TransientTag }>
export type DurableEvent = Exclude<Event, { readonly _tag: TransientTag }>

const transient: ReadonlySet<EventTag> = new Set(transientTags)
export const isTransient = (event: Event): event is TransientEvent => transient.has(event._tag)

/** Ends its task; there is exactly one for every `TaskQueued`. */
export type TerminalEvent = TaskCompleted | TaskFailed | TaskInterrupted
export const isTerminal = (event: Event): event is TerminalEvent =>
  event._tag === "TaskCompleted" || event._tag === "TaskFailed" || event._tag === "TaskInterrupted"
