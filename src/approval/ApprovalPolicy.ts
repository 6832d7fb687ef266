import * as Schema from "effect/Schema"
import type * as Tool from "../tool/Tool.ts"

/**
 * What happens to a call that needs a decision: a person is asked, it is denied, the task fails, or it is allowed, wholly
 * or in part. Whoever cannot ask must choose one of the others; `allow` is for whoever asked for danger by name.
 */
export const ApprovalPolicy = Schema.Literal(
  "ask",
  "edits",
  "plan",
  "sandboxed",
  "deny",
  "fail",
  "allow-read-only",
  "allow"
)
export type ApprovalPolicy = typeof ApprovalPolicy.Type

/** Earlier names that configurations, flags and commands may still have. */
export const aliases = { "allow-edits": "edits" } as const satisfies Record<string, ApprovalPolicy>

const isAlias = (name: string): name is keyof typeof aliases => Object.hasOwn(aliases, name)

/** A mode under any name that it may be written by. */
export const WrittenPolicy = Schema.transform(
  Schema.Literal(...ApprovalPolicy.literals, "allow-edits"),
  ApprovalPolicy,
  { strict: true, decode: (name) => (isAlias(name) ? aliases[name] : name), encode: (name) => name }
)

export type PolicyVerdict = "ask" | "deny" | "fail" | "allow"

/** What is known of a call that a mode judges. */
export interface Judged {
  readonly tool: Tool.Traits
  /** All that it touches lies plainly inside the workspace, none of it is protected, and no rule asks. */
  readonly contained: () => boolean
  /** The sandbox holds whatever it does to the workspace, without network, and no rule asks. */
  readonly confined: () => boolean
  /** It reads outside the workspace: nothing that it touches is protected, and no rule asks. */
  readonly outside: () => boolean
}

/** How much a mode lets run without a person. */
export type Tone = "calm" | "caution" | "alarm"

export interface Mode {
  /** In front of everything else that is said of a session. */
  readonly mark: string
  /** What it does, for a person. */
  readonly words: string
  readonly tone: Tone
  /** What runs without asking of what would ask; nothing else is lifted by any mode but a blanket `allow`. */
  readonly lifts: (call: Judged) => boolean
  /** What a person is asked about although other calls that need a decision are denied; nothing if unset. */
  readonly asks?: (call: Judged) => boolean
  /** What happens to all other calls that need a decision. */
  readonly otherwise: PolicyVerdict
  /** How much can run in it, by whatever decision: a mode with a lower number lets nothing run that one with a higher would not. */
  readonly reach: number
  /** Only calls that change nothing run, whatever rules, grants and persons say. */
  readonly readsOnly?: true
  /** What it means for the calls of a model. */
  readonly told: string
}

const nothing = () => false
const isEdit = ({ category, readOnly }: Tool.Traits) => readOnly || category === "files"

/** Every mode there is, and all that they differ in. */
export const modes: Readonly<Record<ApprovalPolicy, Mode>> = {
  ask: {
    mark: "ASK",
    words: "asks before acting",
    tone: "calm",
    lifts: nothing,
    otherwise: "ask",
    reach: 3,
    told: "Calls that change something wait for the user's decision."
  },
  edits: {
    mark: "EDITS",
    words: "allows edits without asking",
    tone: "caution",
    lifts: ({ contained, tool }) => isEdit(tool) && contained(),
    otherwise: "ask",
    reach: 4,
    told: "Changes of files inside the workspace run unasked; other calls that change something wait for the user's decision."
  },
  plan: {
    mark: "PLAN",
    words: "reads only, and plans",
    tone: "calm",
    lifts: nothing,
    asks: ({ outside }) => outside(),
    otherwise: "deny",
    reach: 0,
    readsOnly: true,
    told: "Only calls that read run; the user is asked about reads outside the workspace, and every other call is denied. Look at what you need, then answer with a plan of what you would change. The user decides whether you go on."
  },
  sandboxed: {
    mark: "SANDBOXED",
    words: "runs what the sandbox contains without asking",
    tone: "caution",
    lifts: ({ confined, contained, tool }) => confined() || (isEdit(tool) && contained()),
    otherwise: "ask",
    reach: 5,
    told: "Changes of files inside the workspace and commands that the sandbox contains (they write to the workspace only and have no network) run unasked; other calls that change something wait for the user's decision."
  },
  deny: {
    mark: "DENY",
    words: "denies what needs approval",
    tone: "calm",
    lifts: nothing,
    otherwise: "deny",
    reach: 1,
    told: "Calls that need approval are denied; nobody is asked."
  },
  fail: {
    mark: "FAIL",
    words: "fails where approval is needed",
    tone: "calm",
    lifts: nothing,
    otherwise: "fail",
    reach: 1,
    told: "Nobody is attached to approve calls: one that needs approval ends the task."
  },
  "allow-read-only": {
    mark: "READ-ONLY",
    words: "allows reading without asking",
    tone: "calm",
    lifts: ({ contained, tool }) => tool.readOnly && contained(),
    otherwise: "deny",
    reach: 2,
    told: "Calls that only read inside the workspace run; others that need approval are denied."
  },
  allow: {
    mark: "ALLOW ALL",
    words: "RUNS EVERY CALL WITHOUT ASKING",
    tone: "alarm",
    lifts: () => true,
    otherwise: "allow",
    reach: 6,
    told: "Every call runs without being asked about."
  }
}

/** What a person can choose without asking for danger by name. */
export const ordinary = ApprovalPolicy.literals.filter((mode) => mode !== "allow")

/** The modes that one key goes through, in its order. */
const cycle = ["ask", "edits", "plan"] as const satisfies ReadonlyArray<ApprovalPolicy>

/** The mode after this one; one that is not in the cycle is followed by its first. */
export const following = (mode: ApprovalPolicy): ApprovalPolicy =>
  cycle[(cycle.findIndex((each) => each === mode) + 1) % cycle.length] ?? "ask"

/** What the model is told with a call that plan mode denies. */
export const planned =
  "Plan mode is on, and this call does more than read. Finish the plan and answer with it; the user then decides whether to go on."

/** What the model is told with a read that plan mode denies. */
export const plannedRead =
  "Plan mode is on, and this read needs an approval that nobody is asked for in it. Plan without it, and say in the plan what you could not read."

/** What a user is told with a call of their own that plan mode denies. */
export const plannedForUser = "plan mode only reads; switch to another mode to run it"

/** Whether a mode lets something run that another would not. */
export const exceeds = (policy: ApprovalPolicy, most: ApprovalPolicy): boolean =>
  modes[policy].reach > modes[most].reach

/** What a mode makes of a call that needs a decision. */
export const judge = (policy: ApprovalPolicy, call: Judged): PolicyVerdict => {
  const { asks, lifts, otherwise } = modes[policy]
  return lifts(call) ? "allow" : asks?.(call) === true ? "ask" : otherwise
}
