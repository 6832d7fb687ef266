import * as Schema from "effect/Schema"

/**
 * The verdict of a policy on an input: `allow` runs without asking, `ask` needs a decision, `deny` never runs.
 * A case of a shell text may say `auto` for `allow`.
 */
export const Decision = Schema.Literal("allow", "ask", "deny")
export type Decision = typeof Decision.Type

/** A decision with the rule that made it and a reason that a person can act on. */
export class Verdict extends Schema.Class<Verdict>("Verdict")({
  decision: Decision,
  /** The stable id of the rule, e.g. `shell/flag-not-listed`. */
  rule: Schema.String,
  reason: Schema.String
}) {}

const make =
  (decision: Decision) =>
  (rule: string, reason: string): Verdict =>
    new Verdict({ decision, rule, reason }, { disableValidation: true })

export const allow = make("allow")
export const ask = make("ask")
export const deny = make("deny")

const severity: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 }

/** The stricter of two verdicts; the first where they are equally strict. */
export const strictest = (self: Verdict, that: Verdict): Verdict =>
  severity[that.decision] > severity[self.decision] ? that : self
