import type { Event } from "../../runtime/Event.ts"
import { money } from "../../text/money.ts"
import { advisedOnPage } from "../../ui/advice.ts"
import { many } from "../../ui/Words.ts"

export type Level = "info" | "warning" | "error"

interface Remark {
  readonly text: string
  readonly level: Level
}

const one = (text: string, level: Level = "info"): ReadonlyArray<Remark> => [{ text, level }]

/** What an event that changes no row is worth saying. */
export const remarksOf = (event: Event): ReadonlyArray<Remark> => {
  switch (event._tag) {
    case "SessionImported":
      return one(`Imported from a file: ${many(event.messages, "message")}, as data`)
    case "SessionCleared":
      return one("The model's context was cleared.")
    case "SessionCompacted":
      return one("The model's context is now a summary.")
    case "SessionEnded":
      return one("The session has ended.")
    case "MemoryKept":
      return event.memories.map(({ id, text }) => ({ text: `Remembered (${id}): ${text}`, level: "info" }))
    case "BackgroundStarted":
      return one(`In the background: ${event.command}`)
    case "BackgroundEnded":
      return one(`${event.id} in the background: ${event.reason}`)
    case "BudgetAlerted":
      return one(
        `${event.percent} % of the budget of the ${event.scope} is spent: ${money(event.spent)} of ${money(event.limit)}`,
        event.percent < 90 ? "info" : "warning"
      )
    case "CommandRejected":
      return one(advisedOnPage(event.reason, event.error), "error")
    case "ErrorRaised":
      return one(event.message, "error")
    case "Notified":
      return one(`${event.title}: ${event.message}`, event.level === "success" ? "info" : event.level)
    case "ModelRouted":
      if (event.selected === event.requested) return []
      return one(`${event.selected} answers instead of ${event.requested}: ${event.reason}`)
    default:
      return []
  }
}
