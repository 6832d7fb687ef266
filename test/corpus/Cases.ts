import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import type { Verdict } from "../../src/policy/Verdict.ts"
import type { Processes } from "../../src/process/Processes.ts"
import { judgeAnswered } from "./AnsweredCase.ts"
import { accepts, type Case, type Decided } from "./Case.ts"
import type { LoopbackUnavailable } from "./Loopback.ts"
import { type Judgement, judgePath, type PatchReader, type Surroundings } from "./PathCase.ts"
import { judgeShell } from "./ShellCase.ts"
import { problemOf, type TextMeans } from "./TextCase.ts"
import { Entry, type TreeUnbuildable } from "./Tree.ts"
import { judgeUrl } from "./UrlCase.ts"

/** What cases take from above the policies. */
export interface Means extends TextMeans {
  readonly readPatch: PatchReader
}

/** What came of one case; `needs` is what cannot be had here, `violated` what was demanded besides and is not so. */
export type Outcome =
  | {
      readonly _tag: "Judged"
      readonly case: Decided
      readonly verdict: Verdict
      readonly violated: ReadonlyArray<string>
      readonly holds: boolean
    }
  | {
      readonly _tag: "Looked"
      readonly case: Extract<Case, { readonly _tag: "text" }>
      readonly problem: string | undefined
      readonly holds: boolean
    }
  | { readonly _tag: "NotRun"; readonly case: Case; readonly needs: string }

/** What stands on the disk before each case about paths of `NAME.json`: what `NAME.fixture.json` beside it says. */
export const fixtureOf = (file: string): ReadonlyArray<Entry> => {
  const beside = file.replace(/\.json$/, ".fixture.json")
  if (!fs.existsSync(beside)) return []
  return Schema.decodeUnknownSync(Schema.Array(Entry))(JSON.parse(fs.readFileSync(beside, "utf8")))
}

const judgement = (
  given: Decided,
  surroundings: Surroundings
): Effect.Effect<Judgement, TreeUnbuildable | LoopbackUnavailable, Processes> => {
  const { invariants = [] } = given
  switch (given._tag) {
    case "shell":
      return Effect.sync(() => ({ verdict: judgeShell(given.input), violated: [] }))
    case "url":
      return given.stage === "response"
        ? judgeAnswered(given.input, invariants)
        : Effect.map(judgeUrl(given.input), (verdict) => ({ verdict, violated: [] }))
    case "path":
      return judgePath(given.input, surroundings, invariants)
  }
}

/** What a case needs that nothing here gives. */
const beyond = (given: Case): string | undefined =>
  given._tag === "path" && given.input.fault !== undefined
    ? "a process of its own that is killed while it writes"
    : undefined

/** Judges one case with what its input is for. */
export const judge = Effect.fnUntraced(function* (given: Case, fixture: ReadonlyArray<Entry>, means: Means) {
  const needs = beyond(given)
  if (needs !== undefined) return { _tag: "NotRun", case: given, needs } satisfies Outcome
  if (given._tag === "text") {
    const problem = yield* problemOf(given, means)
    return { _tag: "Looked", case: given, problem, holds: problem === undefined } satisfies Outcome
  }
  const judged = yield* judgement(given, { fixture, readPatch: means.readPatch }).pipe(
    Effect.catchTag("LoopbackUnavailable", () => Effect.succeed(undefined))
  )
  if (judged === undefined) return { _tag: "NotRun", case: given, needs: "a port of the loopback" } satisfies Outcome
  const { verdict, violated } = judged
  const holds = accepts(given, verdict.decision) && violated.length === 0
  return { _tag: "Judged", case: given, verdict, violated, holds } satisfies Outcome
})
