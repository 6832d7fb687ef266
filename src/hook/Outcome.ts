import type { Verdict } from "../policy/Verdict.ts"
import { sentence } from "../text/sentence.ts"

/** What becomes of a call; `defer` leaves it to the agent's own way with calls, as if nobody had looked. */
export type Fold = "allow" | "defer" | "ask" | "deny"

/** What is said of a call of another agent. */
export interface Outcome {
  readonly decision: Fold
  /** The id of the rule of the policy or of the user that decides. */
  readonly by: string
  /** One sentence, for a person and for a model. */
  readonly reason: string
  /** The user has written this down. */
  readonly ruled: boolean
}

const rank: Readonly<Record<Fold, number>> = { allow: 0, defer: 1, ask: 2, deny: 3 }

/** The stricter of two; the first where they are equally strict. */
export const stricter = (self: Outcome, that: Outcome): Outcome =>
  rank[that.decision] > rank[self.decision] ? that : self

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** What a verdict of the policy says of a call. */
export const of = (decision: Fold, { reason, rule }: Pick<Verdict, "reason" | "rule">): Outcome => ({
  decision,
  by: rule,
  reason: sentence(capital(reason)),
  ruled: false
})

/** Nothing speaks for the call or against it. */
export const nothing = (by: string, reason: string): Outcome => ({ decision: "defer", by, reason, ruled: false })
