import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import { Approvals } from "../approval/Approvals.ts"
import { Audit } from "../audit/Audit.ts"
import { Disk } from "../approval/Disk.ts"
import { describe, type Rule } from "../approval/Rule.ts"
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
import { place, ruleOptions } from "./here.ts"

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

/** Who explains calls by the rules of the directory, in a mode; nobody is asked and nothing is kept. */
export const explaining = (policy: ApprovalPolicy) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { directory: root } = yield* place
      const { home } = yield* Configuration
      return Approvals.layerAudited({ policy, root, home: home.user, ...(yield* ruleOptions) }).pipe(
        Layer.provide([Audit.layerMemory, Disk.layerLocal(isIgnoredDirectory)])
      )
    })
  )

/** The file that a rule is written in. */
export const sourceOf = (
  known: ReadonlyArray<KnownRules.KnownRule>,
  found: Rule | undefined
): { readonly source?: string } => {
  const source = known.find(({ rule }) => rule.id === found?.id && rule.decision === found.decision)?.source
  return source === undefined ? {} : { source }
}

/** What calls meet by all rules of the user: those of the configuration, of a trusted project, and saved ones. */
export const callVerdicts = Effect.gen(function* () {
  const approvals = yield* Approvals
  const known = yield* KnownRules.all
  const { project } = yield* place
  /** A policy that denies has the first and last word, as it does when a tool runs. */
  const here = ({ asks, parameters, tool, verdict }: Judged): Effect.Effect<Met> =>
    Effect.gen(function* () {
      if (verdict.decision === "deny") return { verdict }
      const own = verdict.decision === "ask" ? verdict : asks
      const found = yield* approvals.explain({ tool, parameters, project, asks: own !== undefined })
      const { rule, unread = false } = found
      if (rule === undefined) return { verdict: own ?? verdict }
      const why = unread ? "the call is not fully understood, so this rule applies: " : ""
      const made = { allow, ask, deny, fail: deny }[found.verdict]
      return {
        verdict: made(rule.id, `${why}${describe(rule)} (a rule, ${rule.level} level)`),
        ...sourceOf(known, rule)
      }
    })
  return {
    /** Where the tools of a run from here would work. */
    here,
    /** Rules do not count, each for a reason of its own. */
    ignored: known.some(({ ignored }) => ignored !== undefined)
  }
})

export type CallVerdicts = Effect.Effect.Success<typeof callVerdicts>
