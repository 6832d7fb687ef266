import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { judgeUrl, UrlInput } from "../../corpus/UrlCase.ts"
import { siblings } from "../../support/corpora.ts"

describe("siblings of the corpus of URLs", () => {
  for (const { expected, id, input, why } of siblings("urls")) {
    it.effect(`${id} is ${expected}: ${why} (S4)`, () =>
      Effect.gen(function* () {
        const verdict = yield* judgeUrl(yield* Schema.decodeUnknown(UrlInput)(input))
        assert.strictEqual(verdict.decision, expected, `${JSON.stringify(input)} ${verdict.rule}`)
      })
    )
  }
})
