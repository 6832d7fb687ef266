import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as os from "node:os"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import * as Cases from "../policy/cases/Cases.ts"
import { judgeUrl } from "../policy/network/UrlPolicy.ts"
import type { PathOp } from "../policy/path/PathOp.ts"
import { judgeNow } from "../policy/path/PathPolicy.ts"
import { allow, type Verdict } from "../policy/Verdict.ts"
import { Processes } from "../process/Processes.ts"
import { makeVisible } from "../redaction/visible.ts"
import { parsePatch, patchTargets } from "../tools/files/Patch.ts"
import { judgeCommand } from "../tools/shell/JudgedCommand.ts"
import { WebSettings } from "../tools/web/WebSettings.ts"
import { Workspace } from "../tools/Workspace.ts"
import { UsageError } from "./Outcome.ts"
import { Screen } from "./Screen.ts"
import type { Style } from "./Style.ts"

/** Cases ended otherwise than expected; which has been said. */
export class CasesMismatched extends Schema.TaggedError<CasesMismatched>()("CasesMismatched", {
  file: Schema.String,
  mismatches: Schema.Number
}) {
  override get message() {
    const many = this.mismatches === 1 ? "One case" : `${this.mismatches} cases`
    return `${many} of ${this.file} ended otherwise than expected; see above.`
  }
}

/** A group of commands by itself does nothing. */
export const incomplete = (name: string, below: ReadonlyArray<string>) =>
  Effect.fail(new UsageError({ reason: `tollgate ${name} has commands: ${below.join(", ")}.` }))

/** Where the tools of a run from here would work. */
const workspace = Effect.map(Configuration, ({ home, settings: { roots = [] } }) =>
  Workspace.layer({
    root: process.cwd(),
    extraRoots: roots,
    home: os.homedir(),
    stateDirs: [path.dirname(home.config), path.dirname(home.database)],
    trusted: false
  })
)

const shown = (verdict: Verdict, { bold, green, red, yellow }: Style, spoken: string): string => {
  const paint = { allow: green, ask: yellow, deny: red }[verdict.decision]
  return `${bold(paint(spoken))}  ${verdict.rule}\n${makeVisible(verdict.reason)}\n`
}

interface Explained {
  readonly kind: "shell" | "path" | "url"
  readonly input: string
  readonly verdict: Verdict
  readonly more?: object
}

const explain = ({ input, kind, more, verdict }: Explained, json: boolean) =>
  Effect.flatMap(Screen, ({ answer, style }) => {
    const { decision, reason, rule } = verdict
    if (json) return answer(`${JSON.stringify({ kind, input, ...more, decision, rule, reason })}\n`)
    return answer(shown(verdict, style, kind === "shell" && decision === "allow" ? "auto" : decision))
  }).pipe(Effect.provide(Screen.layer({ split: false })))

/** Says what the shell policy decides of a text that is to run in the working directory. */
export const explainShell = ({ json, text }: { readonly text: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const verdict = yield* judgeCommand(text, undefined).pipe(
      Effect.map((judged) => judged.verdict),
      Effect.catchTag("CommandRefused", (refused) => Effect.succeed(refused.verdict)),
      Effect.provide(yield* workspace)
    )
    yield* explain({ kind: "shell", input: text, verdict }, json)
  }).pipe(Effect.provide(Configuration.layer()))

/** Says what the path policy decides, by what a path says and where it leads now; opens nothing. */
export const explainPath = (given: { readonly path: string; readonly op: PathOp; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { context } = yield* Effect.provide(Workspace, yield* workspace)
    const { verdict, ...more } = Either.match(judgeNow(given.path, given.op, context), {
      onLeft: (verdict) => ({ verdict, op: given.op }),
      onRight: ({ path, verdict }) => ({ verdict, op: given.op, path })
    })
    yield* explain({ kind: "path", input: given.path, verdict, more }, given.json)
  }).pipe(Effect.provide(Configuration.layer()))

const unresolved = (host: string) =>
  allow(
    "network/url",
    `nothing in the URL forbids it; ${host} is looked up and every address judged when it is fetched`
  )

/** Says what the network policy decides of a URL by itself; looks nothing up and sends nothing. */
export const explainUrl = ({ json, url }: { readonly url: string; readonly json: boolean }) =>
  Effect.gen(function* () {
    const { rules } = yield* WebSettings
    const verdict = Either.match(judgeUrl(url, rules), {
      onLeft: (refused) => refused,
      onRight: ({ host, literal }) =>
        literal === undefined ? unresolved(host) : allow("network/literal", `${literal} may be fetched from`)
    })
    yield* explain({ kind: "url", input: url, verdict }, json)
  })

const mismatch = (
  { case: { _tag, accept, expected, id, why }, verdict }: Extract<Cases.Outcome, { _tag: "Judged" }>,
  style: Style
): string => {
  const spoken = (decision: string) => (_tag === "shell" && decision === "allow" ? "auto" : decision)
  const wanted = (accept ?? [expected]).map(spoken).join(" or ")
  const about = why === undefined ? [] : [style.dim(`    ${makeVisible(why)}`)]
  const said = `    ${verdict.rule}: ${makeVisible(verdict.reason)}`
  const head = `${style.red("✗")} ${style.bold(makeVisible(id))} expected ${wanted}, is ${spoken(verdict.decision)}`
  return [head, said, ...about].map((line) => `${line}\n`).join("")
}

interface Tally {
  readonly held: number
  readonly mismatches: number
  readonly notRun: ReadonlyMap<string, number>
}

const count = (tally: Tally, outcome: Cases.Outcome): Tally =>
  outcome._tag === "NotRun"
    ? { ...tally, notRun: new Map(tally.notRun).set(outcome.needs, (tally.notRun.get(outcome.needs) ?? 0) + 1) }
    : outcome.holds
      ? { ...tally, held: tally.held + 1 }
      : { ...tally, mismatches: tally.mismatches + 1 }

const summary = ({ held, mismatches, notRun }: Tally): string => {
  const skipped = [...notRun].reduce((sum, [, many]) => sum + many, 0)
  const total = held + mismatches + skipped
  const needs = [...notRun].map(([needs, many]) => `    ${many} need ${needs}\n`)
  const rest = skipped === 0 ? "" : `, ${skipped} not run here`
  return [
    `${total} ${total === 1 ? "case" : "cases"}: ${held} as expected, ${mismatches} otherwise${rest}\n`,
    ...needs
  ].join("")
}

const readPatch = (text: string) => Either.map(parsePatch(text), patchTargets)

/** Judges the cases of a file with the policies that tools have, and prints each that ends otherwise than expected. */
export const test = (file: string) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const cases = yield* Cases.load(file)
    const tally = yield* Stream.runFoldEffect(
      Cases.run(cases, readPatch),
      { held: 0, mismatches: 0, notRun: new Map() } satisfies Tally as Tally,
      (tally, outcome) =>
        Effect.as(
          outcome._tag === "Judged" && !outcome.holds ? answer(mismatch(outcome, style)) : Effect.void,
          count(tally, outcome)
        )
    )
    yield* answer(summary(tally))
    if (tally.mismatches > 0) return yield* new CasesMismatched({ file, mismatches: tally.mismatches })
  }).pipe(
    Effect.catchTags({
      CasesUnreadable: ({ message }) => new UsageError({ reason: message }),
      CasesInvalid: ({ message }) => new UsageError({ reason: message })
    }),
    Effect.provide(Processes.layer),
    Effect.provide(Screen.layer({ split: false }))
  )
