import * as Effect from "effect/Effect"
import { severity, type Severity } from "../policy/shell/Severity.ts"
import type { PathOp } from "../policy/path/PathOp.ts"
import type { Verdict } from "../policy/Verdict.ts"
import { makeVisible } from "../text/visible.ts"
import { isIgnoredDirectory } from "../tools/files/Ignored.ts"
import { Workspace } from "../tools/Workspace.ts"
import { type CallVerdicts, callVerdicts, explaining, type Judged } from "./callVerdict.ts"
import { judgedPath, judgedShell, judgedUrl, shell, workspace } from "./policyJudged.ts"
import * as Records from "../host/Stores.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import { Screen } from "./terminal/Screen.ts"
import type { Style } from "./terminal/Style.ts"

export { test } from "./PolicyTest.ts"

type Kind = "shell" | "path" | "url"

const said = ({ decision, rule }: Verdict, { bold, green, red, yellow }: Style): string => {
  const paint = { allow: green, ask: yellow, deny: red }[decision]
  return `${bold(paint(decision))}  ${makeVisible(rule)}`
}

const levelWords = {
  reads: "only reads",
  ordinary: "ordinary",
  destructive: "destructive",
  forbidden: "forbidden"
} as const

/** How bad a command is, with the commands that make it so. */
const howBad = ({ because, level }: Severity, { bold, dim, red, yellow }: Style): ReadonlyArray<string> => {
  const paint = level === "reads" ? dim : level === "ordinary" ? yellow : red
  return [
    `severity: ${bold(paint(levelWords[level]))}`,
    ...(level === "ordinary"
      ? []
      : because.map(({ command, reason }) => `  ${makeVisible(reason)}: ${makeVisible(command)}`))
  ]
}

interface Explained {
  readonly kind: Kind
  readonly input: string
  /** The corresponding call, and the policy's verdict. */
  readonly judged: Judged
  readonly more?: object
  readonly severity?: Severity
}

/** What a call meets in the end, and the policy's own verdict where that is another. */
const explain = ({ input, judged, kind, more, severity }: Explained, calls: CallVerdicts, json: boolean) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { source, verdict } = yield* calls.here(judged)
    const { verdict: policy } = judged
    const plain = ({ decision, reason, rule }: Verdict) => ({ decision, rule, reason })
    if (json) {
      const whole = {
        kind,
        input,
        ...more,
        ...(severity && { severity }),
        ...plain(verdict),
        ...(source && { source }),
        policy: plain(policy)
      }
      return yield* answer(`${JSON.stringify(whole)}\n`)
    }
    const lines = [
      said(verdict, style),
      makeVisible(verdict.reason),
      ...(source === undefined ? [] : [`It is written in ${makeVisible(source)}.`]),
      ...(verdict === policy
        ? []
        : [style.dim(`The policy by itself: ${said(policy, style)}, ${makeVisible(policy.reason)}`)]),
      ...(severity === undefined ? [] : howBad(severity, style)),
      ...(calls.ignored ? [style.dim("Some rules are ignored here; tollgate approvals rules says why.")] : [])
    ]
    yield* answer(lines.map((line) => `${line}\n`).join(""))
  }).pipe(Effect.provide(Screen.layer({ split: false })))

const verdicts = Effect.provide(callVerdicts, explaining("ask"))

/** Says what a command meets that is to run in the working directory. */
export const explainShell = ({ json, text }: { readonly text: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const judged = yield* judgedShell(text)
    const { context } = yield* Workspace
    const bad = severity(text, { ...context, isIgnored: isIgnoredDirectory(context.cwd) })
    yield* explain({ kind: "shell", input: text, judged, severity: bad }, yield* verdicts, json)
  }).pipe(Effect.provide(shell), Effect.provide(Records.decided), Effect.provide(ReadOnlyHome.reading))

/** Says what a call meets that does something with a path, by what it says and where it leads now; opens nothing. */
export const explainPath = (given: { readonly path: string; readonly op: PathOp; readonly json: boolean }) =>
  Effect.gen(function* () {
    const found = yield* judgedPath(given.path, given.op)
    yield* explain({ kind: "path", input: given.path, ...found }, yield* verdicts, given.json)
  }).pipe(Effect.provide(workspace), Effect.provide(Records.decided), Effect.provide(ReadOnlyHome.reading))

/** Says what a fetch of a URL meets; looks nothing up and sends nothing. */
export const explainUrl = ({ json, url }: { readonly url: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    yield* explain({ kind: "url", input: url, judged: yield* judgedUrl(url) }, yield* verdicts, json)
  }).pipe(Effect.provide(Records.decided), Effect.provide(ReadOnlyHome.reading))
