import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { resolve } from "node:path"
import { means } from "../../../src/cli/caseMeans.ts"
import * as Case from "../../../src/policy/cases/Case.ts"
import * as Cases from "../../../src/policy/cases/Cases.ts"
import { Processes } from "../../../src/process/Processes.ts"

const file = resolve("test/fixtures/siblings/shell.json")
const rows: ReadonlyArray<{ readonly id: string; readonly input: { readonly command: string } }> = JSON.parse(
  fs.readFileSync(file, "utf8")
)

describe("siblings of the corpus of shell texts", () => {
  for (const row of rows) {
    it.live(`${row.id} ${JSON.stringify(row.input.command)} ends as expected (S3)`, () =>
      Effect.gen(function* () {
        const given = yield* Case.decode(row)
        const { fixture } = yield* Cases.load(file)
        const outcome = yield* Cases.judge(given, fixture, means)
        if (outcome._tag !== "Judged") return assert.fail(outcome._tag)
        assert.isTrue(outcome.holds, `${outcome.verdict.decision} ${outcome.verdict.rule}: ${outcome.verdict.reason}`)
        if (outcome.case.expected !== "allow") assert.notStrictEqual(outcome.verdict.decision, "allow")
      }).pipe(Effect.provide(Processes.layer))
    )
  }
})
