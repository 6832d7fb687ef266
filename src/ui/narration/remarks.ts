import { nameOf } from "../../cost/Budget.ts"
import { format } from "../../cost/Money.ts"
import { makeVisible, visibleLine } from "../../text/visible.ts"
import { many } from "../Words.ts"
import type { Event } from "../../runtime/Event.ts"
import type { Level } from "../Display.ts"

/** Characters of the tag of an event that is not known. */
const maxTag = 64

/** A line about the session rather than about a task or a call. */
export interface Remark {
  readonly level: Level
  readonly text: string
  /** The tag of the error behind it. */
  readonly error?: string
}

const remark = (text: string, level: Level = "info"): ReadonlyArray<Remark> => [{ level, text }]

/** About how much smaller a summary has made the context. */
const smaller = ({ tokens }: Extract<Event, { readonly _tag: "SessionCompacted" }>): string => {
  if (tokens === undefined) return ""
  const [before, now] = [inThousands(tokens.before), inThousands(tokens.after)]
  return before === now
    ? `: about ${now} tokens with the instructions and tools, as before`
    : `: about ${before} tokens before, ${now} now`
}

const inThousands = (tokens: number): string => (tokens < 1000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`)

/** What an event says of its session by itself; nothing for most. */
export const remarks = (event: Event): ReadonlyArray<Remark> => {
  switch (event._tag) {
    case "SessionImported":
      return remark(`imported from a file (${event.format}): ${many(event.messages, "message")}, as data`)
    case "SessionRenamed":
      return remark(`title: ${visibleLine(event.title)}`)
    case "SessionForked":
      return remark(`a copy of ${event.origin.slice(0, 16)}, which stays as it is`)
    case "SessionRewound":
      return [
        {
          level: "info",
          text: `rewound: ${many(event.restored.length, "file")} put back; the model no longer sees what came after`
        },
        ...event.left.map(({ path, reason }) => ({
          level: "warning" as const,
          text: `left as it is: ${visibleLine(path)} · ${visibleLine(reason)}`
        }))
      ]
    case "SessionCleared":
      return remark("the model's context was cleared")
    case "SessionCompacted":
      return remark(`the model's context is now a summary${smaller(event)}`)
    case "SessionEnded":
      return remark("the session has ended")
    case "ModelSwitched":
      return remark(`the next task uses ${event.profile}`)
    case "MemoryKept":
      return event.memories.map(({ id, scope, text }) => ({
        level: "info",
        text: `remembered for this ${scope}: ${makeVisible(text)} · /memory forget ${id}`
      }))
    case "BackgroundStarted":
      return remark(`started in background: ${event.id} · /tasks`)
    case "BackgroundEnded":
      return remark(`${event.id} in the background: ${makeVisible(event.reason)}`)
    case "BudgetAlerted":
      return remark(
        `${event.percent} % of the budget of ${nameOf(event.scope)} is spent: ${format(event.spent)} of ${format(event.limit)}`,
        event.percent < 90 ? "info" : "warning"
      )
    case "BudgetRaised":
      return remark(`the budget of ${nameOf(event.scope)} is now ${format(event.to)}, until Tollgate ends`)
    case "ApprovalPolicySet":
      return remark(`mode: ${event.policy}`)
    case "CommandRejected":
      return [{ level: "error", text: event.reason, ...(event.error === undefined ? {} : { error: event.error }) }]
    case "ErrorRaised":
      return remark(event.message, "error")
    case "UnknownEvent":
      return remark(`${makeVisible(event.tag.slice(0, maxTag))}: an event of a later version of Tollgate`)
    default:
      return []
  }
}
