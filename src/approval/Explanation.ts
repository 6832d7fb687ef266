import type { PreviewTarget } from "../tool/Preview.ts"
import { type ApprovalPolicy, modes, planned, plannedRead, type PolicyVerdict } from "./ApprovalPolicy.ts"
import type { Grant } from "./Grants.ts"
import { repeatedText } from "./rendering/Prompt.ts"
import { describe, type Rule } from "./Rule.ts"
import type { RuleVerdict } from "./RuleBook.ts"

/** Why a call is decided as it is. */
export interface Explanation {
  readonly verdict: PolicyVerdict
  /** One sentence. */
  readonly because: string
  readonly rule?: Rule
  readonly grant?: Grant
  /** What the model is told where the mode itself denies the call, whatever else would allow it. */
  readonly refusal?: string
  /** The rule could not be judged on this call, which is asked about because of it. */
  readonly unread?: true
  /** Files that the answer relies on: it is void once one has changed. */
  readonly basis?: ReadonlyArray<PreviewTarget>
}

export interface Facts {
  readonly tool: string
  readonly asks: boolean
  /** The call may run in a mode that only reads; true in every other mode. */
  readonly reads: boolean
  readonly ruled: RuleVerdict | undefined
  readonly grant: Grant | undefined
  readonly policy: ApprovalPolicy
  /** What the mode makes of a call that needs a decision. */
  readonly byPolicy: PolicyVerdict
  /** The call is so many in a row with the same parameters and the same outcome. */
  readonly repeats?: number | undefined
}

/** Modes that ask no one, except the one that allows everything. */
const silent: ReadonlySet<ApprovalPolicy> = new Set(["deny", "fail", "plan"])

/**
 * The order in which a call is decided: a rule that denies, a mode that only reads, a grant, a rule that asks, a rule that
 * allows, the tool's own word, the mode. A call that repeats those before it is allowed only by a person or by `allow`.
 */
export const explain = (facts: Facts): Explanation => {
  const found = decided(facts)
  const { policy, repeats } = facts
  if (repeats === undefined || policy === "allow" || found.verdict === "deny" || found.verdict === "fail") return found
  return { verdict: silent.has(policy) ? "deny" : "ask", because: `This is ${repeatedText(repeats)}.` }
}

/** A mode that only reads denies by its own word what it does not ask about. */
const byMode = (policy: ApprovalPolicy, verdict: PolicyVerdict): Pick<Explanation, "verdict" | "refusal"> => ({
  verdict,
  ...(verdict === "deny" && modes[policy].readsOnly === true && { refusal: plannedRead })
})

const decided = ({ asks, byPolicy, grant, policy, reads, ruled, tool }: Facts): Explanation => {
  const said = ruled === undefined ? "" : `${describe(ruled.rule)} (${ruled.rule.id}, ${ruled.rule.level} level)`
  const by = ruled === undefined ? {} : { rule: ruled.rule }
  if (ruled?.decision === "deny") return { verdict: "deny", because: `Rule: ${said}.`, ...by }
  if (!reads) {
    return { verdict: "deny", because: `${tool} does more than read; the mode is ${policy}.`, refusal: planned }
  }
  if (grant !== undefined) {
    return {
      verdict: "allow",
      because: `Granted for this ${grant.scope}: ${grant.words} (${grant.id}).`,
      grant,
      basis: grant.basis
    }
  }
  if (ruled?.decision === "ask") {
    const why =
      ruled.unread === true ? `The call is not fully understood, so this rule applies: ${said}` : `Rule: ${said}`
    // What a rule forbids runs in no mode, so that a call that it may mean is asked about even where all else is allowed.
    const mayBeForbidden = ruled.unread === true && ruled.rule.decision === "deny"
    return {
      ...byMode(policy, mayBeForbidden && byPolicy === "allow" ? "ask" : byPolicy),
      because: `${why}; the mode is ${policy}.`,
      ...by,
      ...(ruled.unread && { unread: true })
    }
  }
  if (ruled?.decision === "allow") {
    const { basis = [] } = ruled
    return { verdict: "allow", because: `Rule: ${said}.`, ...by, basis }
  }
  return asks
    ? { ...byMode(policy, byPolicy), because: `${tool} asks before this call; the mode is ${policy}.` }
    : { verdict: "allow", because: `${tool} runs this call without asking.` }
}
