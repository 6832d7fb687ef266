import type { Fold } from "../../hook/Outcome.ts"
import type { Was } from "../../host/PastCall.ts"

/** What would become of it; `unjudged` where that cannot be said. */
export type Now = Fold | "unjudged"

/** What is said of a call. */
export interface Judged {
  readonly now: Now
  /** The id of the rule, or what else decides. */
  readonly by?: string
  /** One sentence. */
  readonly reason: string
}

export const unjudged = (reason: string): Judged => ({ now: "unjudged", reason })

const same: Readonly<Record<Was, ReadonlyArray<Now>>> = {
  ran: ["allow", "defer"],
  approved: ["ask"],
  refused: ["ask", "deny"],
  failed: ["allow", "defer", "ask", "deny"],
  unknown: ["allow", "defer", "ask", "deny"]
}

/** Whether the call would go another way than it went. */
export const changes = (was: Was, now: Now): boolean => now !== "unjudged" && !same[was].includes(now)
