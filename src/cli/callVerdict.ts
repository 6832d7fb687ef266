import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { explain } from "../approval/Explanation.ts"
import { describe } from "../approval/Rule.ts"
import { RuleBook } from "../approval/RuleBook.ts"
import { Disk } from "../approval/Disk.ts"
import { describing, type Describing } from "../approval/Subject.ts"
import { access, type PathOp } from "../policy/path/PathOp.ts"
import { allow, ask, deny, type Verdict } from "../policy/Verdict.ts"
import type * as Tool from "../tool/Tool.ts"
import { ApplyPatch } from "../tools/ApplyPatch.ts"
import { FetchUrl, unlisted } from "../tools/FetchUrl.ts"
import { isIgnoredDirectory } from "../tools/files/Ignored.ts"
import { Glob } from "../tools/Glob.ts"
import { Grep } from "../tools/Grep.ts"
import { ListDir } from "../tools/ListDir.ts"
import { ReadFile } from "../tools/ReadFile.ts"
import { RunShell } from "../tools/RunShell.ts"
import { WriteFile } from "../tools/WriteFile.ts"
import { Configuration } from "../config/Configuration.ts"
import * as KnownRules from "./KnownRules.ts"
import { place, projectConfig } from "./here.ts"

/** A call of a tool, and the verdict of the policy that it is subject to. */
export interface Judged {
  readonly tool: Tool.Any
  readonly parameters: Readonly<Record<string, unknown>>
  readonly verdict: Verdict
  /** What the tool itself says where it asks although the policy allows. */
  readonly asks?: Verdict
}

/** What a call would meet, and the file of the rule that decides where it is the user's. */
export interface Met {
  readonly verdict: Verdict
  readonly source?: string
}

const always = ({ name }: Tool.Any): Verdict => ask(`tool/${name}`, `${name} asks before every call`)

export const ofShell = (command: string, verdict: Verdict): Judged => ({
  tool: RunShell,
  parameters: { command },
  verdict
})

const deletion = (path: string): string => `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch`

/** The call for an operation on a path; for `glob` the path is a pattern. */
export const ofPath = (path: string, op: PathOp, verdict: Verdict): Judged => {
  const call = (tool: Tool.Any, parameters: Judged["parameters"]): Judged => ({
    tool,
    parameters,
    verdict,
    ...(access(op) === "change" ? { asks: always(tool) } : {})
  })
  switch (op) {
    case "read":
      return call(ReadFile, { path })
    case "write":
      return call(WriteFile, { path, content: "" })
    case "remove":
      return call(ApplyPatch, { patch: deletion(path) })
    case "list":
      return call(ListDir, { path })
    case "glob":
      return call(Glob, { pattern: path })
    case "grep":
      return call(Grep, { pattern: ".", path })
  }
}

export const ofUrl = (url: string, verdict: Verdict, unasked: boolean): Judged => ({
  tool: FetchUrl,
  parameters: { url },
  verdict,
  ...(unasked ? {} : { asks: unlisted })
})

/** What the rules say of a call; a policy that denies has the first and last word, as it does when a tool runs. */
const weigh = (
  { asks, parameters, tool, verdict }: Judged,
  book: RuleBook,
  subjects: Describing,
  known: ReadonlyArray<KnownRules.KnownRule>
): Met => {
  if (verdict.decision === "deny") return { verdict }
  const { name } = tool
  const own = verdict.decision === "ask" ? verdict : asks
  const ruled = book.verdict(name, subjects.of({ name, tool, params: parameters, rawParams: parameters }))
  const facts = {
    tool: name,
    asks: own !== undefined,
    ruled,
    grant: undefined,
    policy: "ask",
    byPolicy: "ask"
  } as const
  const { rule, verdict: decision } = explain(facts)
  if (ruled === undefined || rule === undefined) return { verdict: own ?? verdict }
  const unread = ruled.unread === true ? "the call is not fully understood, so this rule applies: " : ""
  const made = { allow, ask, deny, fail: deny }[decision]
  const source = known.find((one) => one.rule === rule)?.source
  return {
    verdict: made(rule.id, `${unread}${describe(rule)} (a rule, ${rule.level} level)`),
    ...(source === undefined ? {} : { source })
  }
}

/** What calls meet by all rules of the user: those of the configuration, of a trusted project, and saved ones. */
export interface CallVerdicts {
  /** Where the tools of a run from here would work. */
  readonly here: (judged: Judged) => Met
  /** Rules do not count, each for a reason of its own. */
  readonly ignored: boolean
}

export const callVerdicts = Effect.gen(function* () {
  const { trusted } = yield* projectConfig
  const all = yield* KnownRules.all
  const counted = all.filter(({ ignored }) => ignored === undefined)
  const { directory: root } = yield* place
  const { home } = yield* Configuration
  const rules = counted.map(({ rule }) => rule)
  const book = Either.getOrElse(RuleBook.make(rules, { root, trusted }), () => RuleBook.empty)
  const subjects = describing(root, home.user, { ...(yield* Disk), ignoredBelow: isIgnoredDirectory })
  return {
    here: (judged) => weigh(judged, book, subjects, counted),
    ignored: counted.length < all.length
  } satisfies CallVerdicts
})
