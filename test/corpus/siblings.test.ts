import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Processes } from "../../src/process/Processes.ts"
import { siblings } from "../support/corpora.ts"
import * as Case from "./Case.ts"
import * as Cases from "./Cases.ts"
import { means } from "./means.ts"

describe("siblings of the corpora", () => {
  for (const name of ["shell", "secrets"]) {
    for (const row of siblings<unknown>(name)) {
      it.live(`${row.id} of ${name} ends as expected: ${row.why} (S3, S5)`, () =>
        Effect.gen(function* () {
          const outcome = yield* Cases.judge(yield* Case.decode(row), [], means)
          if (outcome._tag === "Looked") return assert.isUndefined(outcome.problem)
          if (outcome._tag === "NotRun") return assert.fail(outcome.needs)
          assert.isTrue(outcome.holds, `${outcome.verdict.decision} ${outcome.verdict.rule}: ${outcome.verdict.reason}`)
          if (outcome.case.expected !== "allow") assert.notStrictEqual(outcome.verdict.decision, "allow")
        }).pipe(Effect.provide(Processes.layer))
      )
    }
  }
})
