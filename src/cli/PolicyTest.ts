import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Pace from "../system/Pace.ts"
import type { Verdict } from "../policy/Verdict.ts"
import { makeVisible } from "../text/visible.ts"
import { callVerdicts, explaining, type Judged } from "./callVerdict.ts"
import { document } from "./jsonOutput.ts"
import { UsageError } from "./Outcome.ts"
import { accepted, load, type PolicyCase } from "./PolicyCases.ts"
import { judgedPath, judgedShell, judgedUrl, shell } from "./policyJudged.ts"
import * as ReadOnlyHome from "./ReadOnlyHome.ts"
import * as Records from "../host/Stores.ts"
import { Screen } from "./terminal/Screen.ts"
import type { Style } from "./terminal/Style.ts"
import { warn } from "./warn.ts"

/** Cases failed, and have been printed. */
export class CasesMismatched extends Schema.TaggedError<CasesMismatched>()("CasesMismatched", {
  file: Schema.String,
  mismatches: Schema.Number
}) {
  override get message() {
    const many = this.mismatches === 1 ? "One case" : `${this.mismatches} cases`
    return `${many} in ${this.file} failed; see above.`
  }
}

/** Rows are no cases, and have been printed. */
export class CasesRejected extends Schema.TaggedError<CasesRejected>()("CasesRejected", {
  file: Schema.String,
  invalid: Schema.Number
}) {
  override get message() {
    const rows = this.invalid === 1 ? "One row of" : `${this.invalid} rows of`
    return `${rows} ${this.file} cannot be judged; see above.`
  }
}

export interface TestOptions {
  readonly file: string
  /** Whether the rules of the user count. */
  readonly rules: boolean
  readonly json: boolean
}

const judgedOf = (given: PolicyCase) => {
  switch (given.kind) {
    case "shell":
      return judgedShell(given.input.command)
    case "path":
      return Effect.map(judgedPath(given.input.path, given.input.op), ({ judged }) => judged)
    case "url":
      return judgedUrl(given.input.url)
  }
}

/** What a call meets by the policy alone. */
const byPolicy = ({ verdict }: Judged): Effect.Effect<Verdict> => Effect.succeed(verdict)

/** What a call meets by the rules of the user as well. */
const byRules = Effect.map(
  callVerdicts,
  ({ here }) =>
    (judged: Judged) =>
      Effect.map(here(judged), ({ verdict }) => verdict)
).pipe(Effect.provide(explaining("ask")), Effect.provide(Records.decided))

const mismatch = (given: PolicyCase, { decision, reason, rule }: Verdict, { bold, dim, red }: Style): string =>
  [
    `${red("✗")} ${bold(makeVisible(given.id))} expected ${accepted(given).join(" or ")}, is ${decision}\n`,
    `    ${makeVisible(`${rule}: ${reason}`)}\n`,
    ...(given.why === undefined ? [] : [`${dim(`    ${makeVisible(given.why)}`)}\n`])
  ].join("")

const summary = (cases: number, failed: number, invalid: number): string =>
  `${cases} ${cases === 1 ? "case" : "cases"}: ${cases - failed - invalid} passed, ${failed} failed${
    invalid === 0 ? "" : `, ${invalid} invalid`
  }\n`

/**
 * Judges the cases of a file as calls of a run from here, and prints those that fail. The user's rules count only if asked
 * for.
 */
export const test = ({ file, json, rules }: TestOptions) =>
  Effect.gen(function* () {
    const { answer, style } = yield* Screen
    const { cases, ignored } = yield* load(file)
    if (ignored.length > 0) yield* warn(`ignored columns: ${ignored.join(", ")}`)
    const met = rules ? yield* byRules : byPolicy
    const pace = Pace.make()
    const invalid: Array<object> = []
    const failed: Array<object> = []
    for (const one of cases) {
      yield* pace
      if (Either.isLeft(one)) {
        const { id, problem, row } = one.left
        invalid.push({ row, ...(id === undefined ? {} : { id }), problem })
        if (!json) yield* answer(`${style.red("✗")} ${makeVisible(one.left.message)}\n`)
        continue
      }
      const verdict = yield* met(yield* judgedOf(one.right))
      if (accepted(one.right).includes(verdict.decision)) continue
      const { id, why } = one.right
      failed.push({ id, expected: accepted(one.right), ...verdict, ...(why === undefined ? {} : { why }) })
      if (!json) yield* answer(mismatch(one.right, verdict, style))
    }
    const passed = cases.length - failed.length - invalid.length
    yield* json
      ? document({ cases: cases.length, passed, failed, invalid })
      : answer(summary(cases.length, failed.length, invalid.length))
    if (invalid.length > 0) return yield* new CasesRejected({ file, invalid: invalid.length })
    if (failed.length > 0) return yield* new CasesMismatched({ file, mismatches: failed.length })
  }).pipe(
    Effect.catchTags({
      CasesUnreadable: ({ message }) => new UsageError({ reason: message }),
      CasesRejected: ({ message }) => new UsageError({ reason: message })
    }),
    Effect.provide(shell),
    Effect.provide(ReadOnlyHome.reading),
    Effect.provide(Screen.layer({ split: false }))
  )
