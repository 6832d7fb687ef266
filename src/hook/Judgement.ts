import * as Either from "effect/Either"
import type { RuleVerdict } from "../approval/RuleBook.ts"
import { judgeUrl } from "../policy/network/UrlPolicy.ts"
import type { PathContext } from "../policy/path/PathContext.ts"
import { forCall } from "../policy/path/HardLink.ts"
import type { PathOp } from "../policy/path/PathOp.ts"
import { judgeNow, protectedChange } from "../policy/path/PathPolicy.ts"
import { isWithin } from "../policy/path/PathText.ts"
import { resolve } from "../policy/path/PhysicalPath.ts"
import { effectsOf } from "../policy/shell/Effects.ts"
import { pushReason } from "../policy/shell/HardDenials.ts"
import { onDisk } from "../policy/shell/OnDisk.ts"
import { judgeDoing } from "../policy/shell/doing/DoingJudged.ts"
import type { ShellContext } from "../policy/shell/ShellContext.ts"
import { severity } from "../policy/shell/Severity.ts"
import { classify } from "../policy/shell/ShellPolicy.ts"
import { excerpt } from "../text/excerpt.ts"
import type { PathTouch } from "../tool/Touches.ts"
import { type Deed, type ForeignCall, isData } from "./ForeignCall.ts"
import { nothing, of, type Outcome, stricter } from "./Outcome.ts"
import { gitShown } from "./gitShown.ts"
import { promptsOf } from "./Prompts.ts"
import { keptFrom, openedBy } from "./Searched.ts"
import type { Standing } from "./Standing.ts"
import { beyond } from "./Words.ts"

/** What ours denies to the shell because it has a tool for it, which the other agent does not have: there a person is asked. */
const pushes = { rule: "shell/git-push", reason: "Pushes commits to where others see them" }

/** What the policy says of a shell text. */
const ofCommand = (text: string, cwd: string, standing: Standing): Outcome => {
  const context = forCall({ ...standing.context, cwd })
  const shell: ShellContext = { ...onDisk(context), isIgnored: standing.isIgnored, cdPath: standing.cdPath }
  const verdict = classify(text, shell)
  if (verdict.decision === "deny") return verdict.rule === pushes.rule ? of("ask", pushes) : of("deny", verdict)
  const doing = judgeDoing(text, shell)
  // The shell of another agent may be one that computes what ours takes for text.
  if (verdict.decision === "allow" && doing.verdict === undefined) return of("allow", verdict)
  const found = [
    doing.verdict,
    beyond(effectsOf(text), text, context, doing.texts),
    gitShown(doing.shown, standing)
  ].flatMap((one) => (one === undefined ? [] : [of(one.decision, one)]))
  const reached = doing.urls.map((url) => ofAddress(url, standing))
  const [typed] = standing.typesUnseen ? promptsOf(text, "typed") : []
  const [fed] = promptsOf(text, "fed")
  const prompted = [
    ...(typed === undefined
      ? []
      : [
          of("ask", {
            rule: "shell/prompt",
            reason: `${excerpt(typed)} opens a prompt, and what is typed into it is judged by nobody.`
          })
        ]),
    ...(fed === undefined
      ? []
      : [
          of("ask", {
            rule: "shell/fed",
            reason: `${excerpt(fed)} runs what a pipe or a file brings, which is judged by nobody.`
          })
        ])
  ]
  // From inside, places outside are judged by what is done there.
  const isPath = verdict.rule.startsWith("path/")
  const isHeld = isPath ? verdict.rule !== "path/outside" || !isInside(context) : held.test(verdict.rule)
  const own = isHeld ? [of("ask", verdict)] : []
  return [ofSeverity(text, shell, standing), ...found, ...own, ...reached, ...prompted, of("defer", verdict)].reduce(
    stricter
  )
}

const isInside = (context: PathContext): boolean =>
  Either.match(judgeNow(context.cwd, "grep", context), {
    onLeft: () => false,
    onRight: ({ verdict }) => verdict.decision === "allow"
  })

/** What our own shell asks about for the secrets that it could show. */
const held = /^shell\/(?:too-many-files|whole-workspace)$/

const ofSeverity = (text: string, { cwd, home, roots }: ShellContext, { isIgnored }: Standing): Outcome => {
  const { because, level } = severity(text, { cwd, roots, home, isIgnored })
  const [worst] = because
  const why = worst?.reason === pushReason.slice(0, -1) ? pushes.reason : worst?.reason
  const told = worst === undefined ? "" : `${why}${worst.command === "" ? "" : `: ${worst.command}`}`
  if (level === "forbidden") return of("deny", { rule: "shell/forbidden", reason: told })
  return of(level === "destructive" ? "ask" : "defer", { rule: `shell/${level}`, reason: told })
}

/** An address as programs take it, which may have no scheme; a port that is not listed is a reason to ask. */
const ofAddress = (address: string, standing: Standing): Outcome => {
  if (/[{}]|\[(?![0-9a-f:.]+\])/i.test(address))
    return of("ask", { rule: "network/many", reason: `${excerpt(address)} can stand for several addresses` })
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const outcome = ofHost(url, standing)
  if (outcome.by !== "network/port") return outcome.decision === "deny" ? outcome : nothing(outcome.by, outcome.reason)
  const host = ofHost(url.replace(/^([a-z0-9+.-]*:\/\/[^/?#]*):\d+(?=[/?#]|$)/i, "$1"), standing)
  return host.decision === "deny" ? host : { ...outcome, decision: "ask" }
}

const opOf = ({ below, op }: PathTouch): PathOp => (op === "read" && below !== undefined ? "grep" : op)

const isOwn = (touch: PathTouch, { context, own }: Standing): boolean =>
  Either.match(resolve(touch.path), {
    onLeft: () => false,
    onRight: ({ path }) =>
      (touch.op === "read" || touch.op === "list" ? own.see : own.change).some((name) =>
        isWithin(path, `${context.home}/${name}`)
      )
  })

/** What the policy says of a path; a change that it lets pass is the agent's own affair. */
const ofPath = (touch: PathTouch, standing: Standing): Outcome => {
  const changes = touch.op === "write" || touch.op === "remove"
  const verdict = Either.match(judgeNow(touch.path, opOf(touch), forCall(standing.context)), {
    onLeft: (refused) => refused,
    onRight: (judged) => judged.verdict
  })
  const told = { rule: verdict.rule, reason: `${excerpt(touch.path)}: ${verdict.reason}` }
  if (verdict.decision === "allow") return of(changes ? "defer" : "allow", told)
  const elsewhere = verdict.rule === "path/outside"
  const home = elsewhere || verdict.rule === "path/startup" || verdict.rule === "path/home-settings"
  if (home && isOwn(touch, standing)) return of("defer", told)
  const special = elsewhere && changes ? protectedChange(touch.path, standing.context) : undefined
  if (special?.decision === "deny")
    return of("deny", { rule: special.rule, reason: `${excerpt(touch.path)}: ${special.reason}` })
  if (elsewhere) return of("ask", { rule: verdict.rule, reason: `${excerpt(touch.path)} is outside the workspace` })
  return of(verdict.decision, told)
}

/** What the policy says of an address that is fetched; nothing is looked up. */
const ofHost = (url: string, { network, unasked }: Standing): Outcome =>
  Either.match(judgeUrl(url, network), {
    onLeft: (verdict) => of("deny", verdict),
    onRight: ({ host, port }) =>
      unasked.some((pattern) => pattern.matches(host, port))
        ? of("allow", { rule: "network/listed", reason: `${host} may be fetched from without asking` })
        : of("defer", { rule: "network/host-not-listed", reason: `${host} is on no list` })
  })

const unknownTool = (tool: string) => ({
  rule: "tool/unknown",
  reason: `What ${excerpt(tool)} does is not known; a rule for this tool decides it for good`
})

const unsandboxed = { rule: "tool/unsandboxed", reason: "It asks to run outside of the agent's sandbox." }

/** What the policy says of all that a deed touches. */
const byPolicy = (deed: Deed, input: unknown, standing: Standing): Outcome => {
  const { isUnknown, isUnsandboxed, tool, touches } = deed
  if (isUnsandboxed === true) return of("ask", unsandboxed)
  if (touches === undefined) {
    if (tool === "apply_patch") {
      return of("ask", {
        rule: "tool/patch-unread",
        reason: "The patch cannot be read, so what it changes is unknown."
      })
    }
    if (tool === "run_shell") {
      return of("ask", { rule: "tool/shell-unread", reason: "It is for a shell whose commands cannot be judged." })
    }
    const found = ofTexts(input, standing)
    return isUnknown === true && found.decision !== "ask" ? of("ask", unknownTool(tool)) : found
  }
  const found = [
    ...(touches.command === undefined
      ? []
      : [ofCommand(touches.command.text, touches.command.cwd ?? standing.context.cwd, standing)]),
    ...(touches.paths ?? []).map((touch) => ofPath(touch, standing)),
    ...(tool === "grep" ? (touches.paths ?? []).map((touch) => openedBy(touch.path, deed, standing)) : []),
    ...(touches.hosts ?? []).map((url) => ofHost(url, standing))
  ]
  const [first, ...others] = found
  return first === undefined
    ? nothing("tool/nothing", "It touches nothing that is judged.")
    : others.reduce(stricter, first)
}

const maximumTexts = 256

const textsIn = (value: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const waiting: Array<unknown> = [value]
  for (
    let one = waiting.shift();
    waiting.length + found.length < maximumTexts && one !== undefined;
    one = waiting.shift()
  ) {
    if (typeof one === "string") found.push(one)
    else if (Array.isArray(one)) waiting.push(...one.slice(0, maximumTexts))
    else if (isData(one)) waiting.push(...Object.values(one).slice(0, maximumTexts))
  }
  return found
}

const pathLike = /^(?:~?\/|file:\/\/\/|\.{1,2}\/)[^\s\0]{1,512}$/

/** What nobody has said of a tool: a text among its parameters that is the path of something protected is asked about. */
const ofTexts = (input: unknown, { context }: Standing): Outcome => {
  for (const text of textsIn(input)) {
    if (!pathLike.test(text)) continue
    const place = text.replace(/^file:\/\//, "").replace(/^~(?=\/)/, context.home)
    const verdict = Either.match(judgeNow(place, "grep", context), {
      onLeft: (no) => no,
      onRight: (yes) => yes.verdict
    })
    const harmless =
      verdict.decision === "allow" || verdict.rule === "path/outside" || verdict.rule.startsWith("path/not-")
    if (!harmless) return of("ask", { rule: verdict.rule, reason: `It names ${excerpt(text)}: ${verdict.reason}` })
  }
  return nothing("tool/unknown-touches", "Nobody has said what the tool touches.")
}

/** Whose word a rule is, without the name of a tool that the agent does not have. */
const said = ({ decision, rule, unread }: RuleVerdict): string => {
  const what = rule.argv?.join(" ") ?? rule.path ?? rule.host
  const about = what === undefined ? "" : ` on ${excerpt(what)}`
  const why = unread === true ? "The call is not fully understood, and a" : "A"
  return `${why} rule of the ${rule.level}${about} says ${unread === true ? rule.decision : decision} (${rule.id}).`
}

const byRule = (verdict: RuleVerdict): Outcome => ({
  decision: verdict.decision,
  by: `rule ${verdict.rule.id}`,
  reason: said(verdict),
  ruled: true
})

/** What rules and the policy say of a deed, in the order in which calls of our own are decided. */
const ofDeed = (deed: Deed, input: unknown, standing: Standing): Outcome => {
  const { book, isUnchanged, subjects } = standing
  const policy = byPolicy(deed, input, standing)
  if (policy.decision === "deny" || !book.concerns(deed.tool)) return policy
  const touched = deed.touches === undefined ? {} : { touches: deed.touches }
  const subject = subjects.of({
    name: deed.tool,
    tool: foreign(deed.tool),
    params: input,
    rawParams: input,
    ...touched
  })
  const ruled = book.verdict(deed.tool, subject)
  const isStale = ruled?.decision === "allow" && !isUnchanged(ruled.basis ?? [])
  const outcome = ruled === undefined || isStale ? policy : byRule(ruled)
  const kept = keptFrom(deed, subject, standing)
  return kept === undefined ? outcome : stricter(outcome, kept)
}

/** A tool of another agent, whose definition nobody knows. */
const foreign = (name: string) => ({
  name,
  description: "",
  location: "server" as const,
  readOnly: false,
  idempotent: false,
  touches: undefined,
  codec: { jsonSchema: () => ({}) }
})

/** A deed with its paths as they are where the home directory is known. */
const placed = (deed: Deed, home: string): Deed =>
  deed.isOfHome !== true || deed.touches === undefined
    ? deed
    : {
        ...deed,
        touches: {
          ...deed.touches,
          paths: (deed.touches.paths ?? []).map((touch) => ({ ...touch, path: `${home}/${touch.path}` }))
        }
      }

/** What is said of a call: the strictest word on any of its deeds. */
export const judged = ({ deeds, input }: ForeignCall, standing: Standing): Outcome => {
  const [first, ...others] = deeds.map((deed) =>
    ofDeed(placed(deed, standing.context.home), deed.input ?? input, standing)
  )
  return first === undefined
    ? nothing("tool/harmless", "The tool touches nothing outside of the agent.")
    : others.reduce(stricter, first)
}
