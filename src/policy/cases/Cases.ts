import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import type { Processes } from "../../process/Processes.ts"
import * as Pace from "../Pace.ts"
import type { Verdict } from "../Verdict.ts"
import { judgeAnswered } from "./AnsweredCase.ts"
import { accepts, type Case, type Decided, decode } from "./Case.ts"
import type { LoopbackUnavailable } from "./Loopback.ts"
import { type Judgement, judgePath, type PatchReader, type Surroundings } from "./PathCase.ts"
import { judgeShell } from "./ShellCase.ts"
import { problemOf, type TextMeans } from "./TextCase.ts"
import { Entry, type TreeUnbuildable } from "./Tree.ts"
import { judgeUrl } from "./UrlCase.ts"

export class CasesUnreadable extends Schema.TaggedError<CasesUnreadable>()("CasesUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The cases of ${this.file} cannot be read: ${this.reason}.`
  }
}

/** Something in a file is no case; `row` counts from 1 and is 0 for the whole file. */
export class CasesInvalid extends Schema.TaggedError<CasesInvalid>()("CasesInvalid", {
  file: Schema.String,
  row: Schema.Number,
  id: Schema.optionalWith(Schema.String, { exact: true }),
  problem: Schema.String
}) {
  override get message() {
    const which = this.row === 0 ? "" : `, row ${this.row}${this.id === undefined ? "" : ` (${this.id})`}`
    return `${this.file}${which}: ${this.problem}. A file of cases is an array of {"id": …, "input": …, "expected": "allow" | "ask" | "deny"}.`
  }
}

/** Cases, and what stands on the disk before each of those that are about paths. */
export interface Cases {
  readonly file: string
  readonly cases: ReadonlyArray<Either.Either<Case, CasesInvalid>>
  readonly fixture: ReadonlyArray<Entry>
}

/** What cases take from above the policies. */
export interface Means extends TextMeans {
  readonly readPatch: PatchReader
  /** What becomes of a verdict outside of the policies, e.g. by the rules of a user. */
  readonly settle?: (given: Decided, verdict: Verdict) => Effect.Effect<Verdict>
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
  | { readonly _tag: "Unreadable"; readonly error: CasesInvalid }

/** Bytes. */
const sizeLimit = 16 * 1024 * 1024

const code = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const parsed = (file: string): Effect.Effect<unknown, CasesUnreadable | CasesInvalid> =>
  Effect.gen(function* () {
    const unreadable = (reason: string) => new CasesUnreadable({ file, reason })
    const text = yield* Effect.try({
      try: () => {
        const status = fs.statSync(file)
        if (!status.isFile()) return Either.left("it is not a file")
        if (status.size > sizeLimit) return Either.left(`it is larger than ${sizeLimit} bytes`)
        return Either.right(fs.readFileSync(file, "utf8"))
      },
      catch: (cause) => unreadable(code(cause) === "ENOENT" ? "there is no such file" : code(cause))
    })
    if (Either.isLeft(text)) return yield* unreadable(text.left)
    return yield* Effect.try({
      try: (): unknown => JSON.parse(text.right),
      catch: () => new CasesInvalid({ file, row: 0, problem: "it is not JSON" })
    })
  })

const fixtureOf = (file: string) => file.replace(/(?:\.json)?$/, ".fixture.json")

const loadFixture = (file: string): Effect.Effect<ReadonlyArray<Entry>, CasesUnreadable | CasesInvalid> =>
  Effect.flatMap(parsed(file), (rows) =>
    Effect.mapError(
      Schema.decodeUnknown(Schema.Array(Entry))(rows),
      () => new CasesInvalid({ file, row: 0, problem: "it is not a list of [kind, path, argument]" })
    )
  )

const idOf = (row: unknown): { readonly id?: string } =>
  typeof row === "object" && row !== null && "id" in row && typeof row.id === "string" ? { id: row.id } : {}

/** Reads `NAME.json`, rows that are no cases included, and `NAME.fixture.json` where that stands beside it. */
export const load = Effect.fn("Cases.load")(function* (file: string) {
  const rows = yield* parsed(file)
  if (!Array.isArray(rows)) return yield* new CasesInvalid({ file, row: 0, problem: "it is not an array" })
  if (rows.length === 0) return yield* new CasesInvalid({ file, row: 0, problem: "it holds no case" })
  const known = new Map<string, number>()
  const cases = (rows as ReadonlyArray<unknown>).map((row, index) => {
    const invalid = (problem: string) => new CasesInvalid({ file, row: index + 1, ...idOf(row), problem })
    return Either.flatMap(Either.mapLeft(decode(row), invalid), (given) => {
      const first = known.get(given.id)
      if (first !== undefined) return Either.left(invalid(`its id is that of row ${first}`))
      known.set(given.id, index + 1)
      return Either.right(given)
    })
  })
  const beside = fixtureOf(file)
  const fixture = fs.existsSync(beside) ? yield* loadFixture(beside) : []
  return { file, cases, fixture } satisfies Cases
})

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
  const { verdict: said, violated } = judged
  const verdict = means.settle === undefined ? said : yield* means.settle(given, said)
  const holds = accepts(given, verdict.decision) && violated.length === 0
  return { _tag: "Judged", case: given, verdict, violated, holds } satisfies Outcome
})

/** What came of each case, in their order. */
export const run = ({ cases, file, fixture }: Cases, means: Means): Stream.Stream<Outcome, never, Processes> => {
  const pace = Pace.make()
  return Stream.mapEffect(Stream.zipWithIndex(Stream.fromIterable(cases)), ([given, index]) =>
    pace.pipe(
      Effect.zipRight(given),
      Effect.flatMap((one) =>
        Effect.mapError(
          judge(one, fixture, means),
          ({ message }) => new CasesInvalid({ file, row: index + 1, id: one.id, problem: message })
        )
      ),
      Effect.catchTag("CasesInvalid", (error) => Effect.succeed({ _tag: "Unreadable", error } satisfies Outcome))
    )
  )
}
