import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Configuration } from "../config/Configuration.ts"
import * as Cases from "../policy/cases/Cases.ts"
import { Processes } from "../process/Processes.ts"
import { makeVisible } from "../redaction/visible.ts"
import { callVerdicts, ofCase } from "./callVerdict.ts"
import { means } from "./caseMeans.ts"
import { UsageError } from "./Outcome.ts"
import * as Records from "./Records.ts"
import { Screen } from "./Screen.ts"
import type { Style } from "./Style.ts"

/** Cases ended otherwise than expected; which has been said. */
export class CasesMismatched extends Schema.TaggedError<CasesMismatched>()("CasesMismatched", {
  file: Schema.String,
  mismatches: Schema.Number
}) {
  override get message() {
    const many = this.mismatches === 1 ? "One case" : `${this.mismatches} cases`
    return `${many} in ${this.file} failed; see above.`
  }
}

export interface TestOptions {
  readonly file: string
  /** Whether the rules of the user have their say. */
  readonly rules: boolean
}

/** Characters of an expectation in words. */
const maxWords = 120

type Judged = Extract<Cases.Outcome, { readonly _tag: "Judged" }>
type Looked = Extract<Cases.Outcome, { readonly _tag: "Looked" }>

const judged = ({ case: { accept, expected, why }, verdict, violated }: Judged) => {
  return {
    what: `expected ${(accept ?? [expected]).join(" or ")}, is ${verdict.decision}`,
    notes: [`${verdict.rule}: ${verdict.reason}`, ...violated.map((words) => `it is not so that ${words}`)],
    why
  }
}

const looked = ({ case: { expected, kind, why }, problem = "" }: Looked) => ({
  what: `expected ${expected.length > maxWords ? `${expected.slice(0, maxWords)}…` : expected}`,
  notes: [`text/${kind}: ${problem}`],
  why
})

const mismatch = (outcome: Judged | Looked, style: Style): string => {
  const { notes, what, why } = outcome._tag === "Judged" ? judged(outcome) : looked(outcome)
  const head = `${style.red("✗")} ${style.bold(makeVisible(outcome.case.id))} ${makeVisible(what)}`
  const said = notes.map((note) => `    ${makeVisible(note)}`)
  const about = why === undefined ? [] : [style.dim(`    ${makeVisible(why)}`)]
  return [head, ...said, ...about].map((line) => `${line}\n`).join("")
}

interface Tally {
  readonly held: number
  readonly mismatches: number
  readonly notRun: ReadonlyMap<string, number>
  readonly unreadable: ReadonlyArray<Cases.CasesInvalid>
}

const none: Tally = { held: 0, mismatches: 0, notRun: new Map(), unreadable: [] }

const count = (tally: Tally, outcome: Cases.Outcome): Tally => {
  if (outcome._tag === "Unreadable") return { ...tally, unreadable: [...tally.unreadable, outcome.error] }
  if (outcome._tag === "NotRun") {
    const before = tally.notRun.get(outcome.needs) ?? 0
    return { ...tally, notRun: new Map(tally.notRun).set(outcome.needs, before + 1) }
  }
  return outcome.holds ? { ...tally, held: tally.held + 1 } : { ...tally, mismatches: tally.mismatches + 1 }
}

const summary = ({ held, mismatches, notRun, unreadable }: Tally): string => {
  const skipped = [...notRun.values()].reduce((sum, many) => sum + many, 0)
  const total = held + mismatches + skipped + unreadable.length
  const needs = [...notRun].map(([needs, many]) => `    ${many} ${many === 1 ? "needs" : "need"} ${needs}\n`)
  const rest = [
    ...(skipped === 0 ? [] : [`, ${skipped} not run here`]),
    ...(unreadable.length === 0 ? [] : [`, ${unreadable.length} no ${unreadable.length === 1 ? "case" : "cases"}`])
  ].join("")
  return [
    `${total} ${total === 1 ? "case" : "cases"}: ${held} as expected, ${mismatches} otherwise${rest}\n`,
    ...needs
  ].join("")
}

const shown = (outcome: Cases.Outcome, style: Style): string => {
  if (outcome._tag === "Unreadable") return `${style.red("✗")} ${makeVisible(outcome.error.message)}\n`
  return outcome._tag === "NotRun" || outcome.holds ? "" : mismatch(outcome, style)
}

/** What becomes of the verdicts of cases by all rules of the user. */
const settle = Effect.map(callVerdicts, (calls): NonNullable<Cases.Means["settle"]> => (given, verdict) => {
  const call = ofCase(given, verdict, calls)
  return call === undefined
    ? Effect.succeed(verdict)
    : Effect.map(calls.at(call.judged, call.workspace), (met) => met.verdict)
}).pipe(Effect.provide(Records.decided), Effect.provide(Configuration.layer()))

/**
 * Judges the cases of a file, each in the world that it describes, and prints those that end otherwise than expected. The
 * user's rules count only where that is asked for.
 */
export const test = ({ file, rules }: TestOptions) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const cases = yield* Cases.load(file)
    const tally = yield* Stream.runFoldEffect(
      Cases.run(cases, rules ? { ...means, settle: yield* settle } : means),
      none,
      (tally, outcome) => Effect.as(answer(shown(outcome, style)), count(tally, outcome))
    )
    yield* answer(summary(tally))
    const [first] = tally.unreadable
    if (first !== undefined) return yield* first
    if (tally.mismatches > 0) return yield* new CasesMismatched({ file, mismatches: tally.mismatches })
  }).pipe(
    Effect.catchTags({
      CasesUnreadable: ({ message }) => new UsageError({ reason: message }),
      CasesInvalid: ({ message }) => new UsageError({ reason: message })
    }),
    Effect.provide(Processes.layer),
    Effect.provide(Screen.layer({ split: false }))
  )
