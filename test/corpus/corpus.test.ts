import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { means } from "./means.ts"
import { isKnown } from "./AnsweredCase.ts"
import * as Case from "./Case.ts"
import * as Cases from "./Cases.ts"
import { Processes } from "../../src/process/Processes.ts"
import { corpus, corpusPath, kept } from "../support/corpora.ts"

/** Rows that a process of their own has to die for: see `test/policy/path/race.test.ts`. */
const isFault = (input: unknown): boolean => typeof input === "object" && input !== null && "fault" in input

describe("the interpreter of cases", () => {
  for (const name of ["c_shell", "b_paths", "a_ssrf", "g_extras"] as const) {
    const rows = corpus<unknown>(name)
    const fixture = Cases.fixtureOf(corpusPath(`${name}.json`))
    for (const row of rows) {
      const wanted = row.kind ?? (row.accept ?? [row.expected]).join(" or ")
      it.live(`${name} ${row.id} is ${wanted}: ${row.why} (S2, S3, S4, S5)`, () =>
        Effect.gen(function* () {
          const given = yield* Case.decode(row)
          const outcome = yield* Cases.judge(given, fixture, means)
          if (outcome._tag === "NotRun") return assert.isTrue(isFault(row.input), outcome.needs)
          if (outcome._tag === "Looked") return assert.strictEqual(outcome.problem, undefined)
          const { decision, reason, rule } = outcome.verdict
          assert.isTrue(outcome.holds, `${decision} ${rule}: ${reason} ${outcome.violated.join(", ")}`)
          if (row.expected !== "auto" && row.expected !== "allow") assert.notStrictEqual(decision, "allow")
          if (row.class === "benign") assert.strictEqual(decision, "allow")
        }).pipe(Effect.provide(Processes.layer))
      )
    }
  }

  it("checks every invariant of the answers that are kept here (S4)", () => {
    for (const { id, invariants = [] } of kept<unknown>("a_ssrf").filter(({ stage }) => stage === "response")) {
      assert.isTrue(invariants.every(isKnown), id)
    }
  })
})
