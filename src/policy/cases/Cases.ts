import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import type { Processes } from "../../process/Processes.ts"
import type { Verdict } from "../Verdict.ts"
import { accepts, beyond, decode, type Case } from "./Case.ts"
import { judgePath, type PatchReader, type Surroundings } from "./PathCase.ts"
import { judgeShell } from "./ShellCase.ts"
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
  readonly cases: ReadonlyArray<Case>
  readonly fixture: ReadonlyArray<Entry>
}

/** What came of one case; `needs` is what judging alone does not give. */
export type Outcome =
  | { readonly _tag: "Judged"; readonly case: Case; readonly verdict: Verdict; readonly holds: boolean }
  | { readonly _tag: "NotRun"; readonly case: Case; readonly needs: string }

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

/** Reads `NAME.json`, and `NAME.fixture.json` where that stands beside it. */
export const load = Effect.fn("Cases.load")(function* (file: string) {
  const rows = yield* parsed(file)
  if (!Array.isArray(rows)) return yield* new CasesInvalid({ file, row: 0, problem: "it is not an array" })
  const cases = yield* Effect.forEach(rows as ReadonlyArray<unknown>, (row, index) =>
    Either.mapLeft(decode(row), (problem) => new CasesInvalid({ file, row: index + 1, ...idOf(row), problem }))
  )
  const beside = fixtureOf(file)
  const fixture = fs.existsSync(beside) ? yield* loadFixture(beside) : []
  return { file, cases, fixture } satisfies Cases
})

const verdictOf = (given: Case, surroundings: Surroundings): Effect.Effect<Verdict, TreeUnbuildable, Processes> => {
  switch (given._tag) {
    case "shell":
      return Effect.sync(() => judgeShell(given.input))
    case "url":
      return judgeUrl(given.input)
    case "path":
      return judgePath(given.input, surroundings)
  }
}

/** Judges one case with the policy that its input is for. */
export const judge = Effect.fnUntraced(function* (given: Case, surroundings: Surroundings) {
  const needs = beyond(given)
  if (needs !== undefined) return { _tag: "NotRun", case: given, needs } satisfies Outcome
  const verdict = yield* verdictOf(given, surroundings)
  return { _tag: "Judged", case: given, verdict, holds: accepts(given, verdict.decision) } satisfies Outcome
})

/** What came of each case, in their order; reading patches is their tool's affair. */
export const run = (
  { cases, file, fixture }: Cases,
  readPatch: PatchReader
): Stream.Stream<Outcome, CasesInvalid, Processes> =>
  Stream.mapEffect(Stream.zipWithIndex(Stream.fromIterable(cases)), ([given, index]) =>
    Effect.mapError(
      judge(given, { fixture, readPatch }),
      ({ message }) => new CasesInvalid({ file, row: index + 1, id: given.id, problem: message })
    )
  )
