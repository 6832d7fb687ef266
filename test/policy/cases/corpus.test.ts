import { assert, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as Case from "../../../src/policy/cases/Case.ts"
import * as Cases from "../../../src/policy/cases/Cases.ts"
import { Processes } from "../../../src/process/Processes.ts"
import { parsePatch, patchTargets } from "../../../src/tools/files/Patch.ts"
import { corpus, corpusPath } from "../../support/corpora.ts"

layer(Processes.layer, { excludeTestServices: true })("the interpreter of cases", (it) => {
  for (const name of ["c_shell", "b_paths", "a_ssrf"] as const) {
    const rows = corpus(name)
    for (const row of rows) {
      it.effect(`${name} ${row.id} is ${(row.accept ?? [row.expected]).join(" or ")}: ${row.why} (S2, S3, S4)`, () =>
        Effect.gen(function* () {
          const { fixture } = yield* loaded(name)
          const given = yield* Case.decode(row)
          const outcome = yield* Cases.judge(given, { fixture, readPatch })
          if (outcome._tag === "NotRun") return assert.isTrue(isLive(row), outcome.needs)
          assert.isTrue(outcome.holds, `${outcome.verdict.decision} ${outcome.verdict.rule}: ${outcome.verdict.reason}`)
          if (row.expected !== "auto" && row.expected !== "allow")
            assert.notStrictEqual(outcome.verdict.decision, "allow")
          if (row.class === "benign") assert.strictEqual(outcome.verdict.decision, "allow")
        })
      )
    }

    it.effect(`reads every row of ${name}, and leaves only live ones to tests of their own`, () =>
      Effect.gen(function* () {
        const { cases } = yield* loaded(name)
        assert.strictEqual(cases.length, rows.length)
        for (const [index, given] of cases.entries()) {
          if (Case.beyond(given) !== undefined)
            assert.isTrue(isLive(rows[index] ?? { input: undefined }), rows[index]?.id)
        }
      })
    )
  }
})

const readPatch = (text: string) => Either.map(parsePatch(text), patchTargets)

const loaded = (name: string) => Cases.load(corpusPath(`${name}.json`))

const isLive = ({ input, stage }: { readonly input: unknown; readonly stage?: string }): boolean =>
  stage === "response" ||
  (typeof input === "object" &&
    input !== null &&
    ("between" in input || "fault" in input || ("op" in input && input.op === "patch")))
