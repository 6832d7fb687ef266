import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Configuration } from "../config/Configuration.ts"
import { severity, type Severity } from "../policy/shell/Severity.ts"
import { judgeUrl } from "../policy/network/UrlPolicy.ts"
import type { PathOp } from "../policy/path/PathOp.ts"
import { judgeNow } from "../policy/path/PathPolicy.ts"
import { allow, type Verdict } from "../policy/Verdict.ts"
import { makeVisible } from "../redaction/visible.ts"
import { Processes } from "../process/Processes.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { isIgnoredDirectory } from "../tools/files/Ignored.ts"
import { judgeCommand } from "../tools/shell/JudgedCommand.ts"
import { Workspace } from "../tools/Workspace.ts"
import { type CallVerdicts, callVerdicts, type Judged, ofPath, ofShell, ofUrl } from "./callVerdict.ts"
import { UsageError } from "./Outcome.ts"
import * as Records from "./Records.ts"
import { Screen } from "./Screen.ts"
import type { Style } from "./Style.ts"
import * as Toolbox from "./Toolbox.ts"

export { test } from "./PolicyTest.ts"

/** A group of commands by itself does nothing. */
export const incomplete = (name: string, below: ReadonlyArray<string>) =>
  Effect.fail(new UsageError({ reason: `tollgate ${name} has commands: ${below.join(", ")}.` }))

/** Where the tools of a run from here would work. */
const workspace = Effect.map(Configuration, ({ home, settings }) =>
  Workspace.layer(Toolbox.workspaceOf({ home, settings, workspace: process.cwd() }))
)

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
  /** The call that it would be, and the policy's verdict. */
  readonly judged: Judged
  readonly more?: object
  readonly severity?: Severity
}

/** What a call meets in the end, and the policy's own verdict where that is another. */
const explain = ({ input, judged, kind, more, severity }: Explained, calls: CallVerdicts, json: boolean) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { source, verdict } = calls.here(judged)
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
      ...(calls.ignored ? [style.dim("Some rules do not count here; tollgate approvals rules says why.")] : [])
    ]
    yield* answer(lines.map((line) => `${line}\n`).join(""))
  }).pipe(Effect.provide(Screen.layer({ split: false })))

/** Says what a command meets that is to run in the working directory. */
export const explainShell = ({ json, text }: { readonly text: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const verdict = yield* judgeCommand(text, undefined).pipe(
      Effect.map((judged) => judged.verdict),
      Effect.catchTag("CommandRefused", (refused) => Effect.succeed(refused.verdict)),
      Effect.provide(Sandbox.layerDetect.pipe(Layer.provideMerge(Processes.layer))),
      Effect.provide(yield* workspace)
    )
    const { context } = yield* Effect.provide(Workspace, yield* workspace)
    const judged = ofShell(text, verdict)
    const bad = severity(text, { ...context, isIgnored: isIgnoredDirectory(context.cwd) })
    yield* explain({ kind: "shell", input: text, judged, severity: bad }, yield* callVerdicts, json)
  }).pipe(Effect.provide(Records.decided), Effect.provide(Configuration.layer()))

/** Says what a call meets that does something with a path, by what it says and where it leads now; opens nothing. */
export const explainPath = (given: { readonly path: string; readonly op: PathOp; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { context } = yield* Effect.provide(Workspace, yield* workspace)
    const { verdict, ...more } = Either.match(judgeNow(given.path, given.op, context), {
      onLeft: (verdict) => ({ verdict, op: given.op }),
      onRight: ({ path, verdict }) => ({ verdict, op: given.op, path })
    })
    const judged = ofPath(given.path, given.op, verdict)
    yield* explain({ kind: "path", input: given.path, judged, more }, yield* callVerdicts, given.json)
  }).pipe(Effect.provide(Records.decided), Effect.provide(Configuration.layer()))

const unresolved = (host: string) =>
  allow(
    "network/url",
    `nothing in the URL forbids it; ${host} is looked up and every address judged when it is fetched`
  )

/** Says what a fetch of a URL meets; looks nothing up and sends nothing. */
export const explainUrl = ({ json, url }: { readonly url: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const calls = yield* callVerdicts
    const { unasked, verdict } = Either.match(judgeUrl(url, Toolbox.webOf(settings).rules), {
      onLeft: (verdict) => ({ verdict, unasked: false }),
      onRight: ({ host, literal, port }) => ({
        verdict: literal === undefined ? unresolved(host) : allow("network/literal", `${literal} may be fetched from`),
        unasked: calls.isUnasked(host, port)
      })
    })
    yield* explain({ kind: "url", input: url, judged: ofUrl(url, verdict, unasked) }, calls, json)
  }).pipe(Effect.provide(Records.decided), Effect.provide(Configuration.layer()))
