import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { judgePath, PathInput } from "../../corpus/PathCase.ts"
import { Entry } from "../../corpus/Tree.ts"
import { Processes } from "../../../src/process/Processes.ts"
import { parsePatch, patchTargets } from "../../../src/tools/files/Patch.ts"
import { corpusFile, siblings } from "../../support/corpora.ts"

const fixture = Schema.decodeUnknownSync(Schema.Array(Entry))(corpusFile("b_paths.fixture.json"))

const readPatch = (text: string) => Either.map(parsePatch(text), patchTargets)

describe("siblings of the corpus of paths", () => {
  for (const { expected, id, input, why } of siblings("paths")) {
    it.live(`${id} is ${expected}: ${why} (S2)`, () =>
      Effect.gen(function* () {
        const given = yield* Schema.decodeUnknown(PathInput)(input)
        const { verdict } = yield* judgePath(given, { fixture, readPatch })
        assert.strictEqual(verdict.decision, expected, `${given.op} ${given.path} ${verdict.rule}: ${verdict.reason}`)
      }).pipe(Effect.provide(Processes.layer))
    )
  }
})
