import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { decoder } from "../../src/tool/Parameters.ts"

const description = "What the parameter is for."

describe("what is wrong with parameters", () => {
  it.each([
    [Schema.String.pipe(Schema.pattern(/^[a-z]+$/)), "B", 'Expected a string that matches ^[a-z]+$, actual "B"'],
    [Schema.Int, 1.5, "Expected an integer, actual 1.5"],
    [Schema.Int.pipe(Schema.between(1, 20)), 30, "Expected a number 1 to 20, actual 30"],
    [Schema.Number.pipe(Schema.positive()), 0, "Expected a number above 0, actual 0"],
    [Schema.Number.pipe(Schema.nonNegative()), -1, "Expected a number at least 0, actual -1"],
    [Schema.String.pipe(Schema.maxLength(2)), "abc", 'Expected a string of at most 2 characters, actual "abc"'],
    [Schema.String.pipe(Schema.length(2)), "abc", 'Expected a string of exactly 2 characters, actual "abc"'],
    [Schema.String.pipe(Schema.pattern(/\S/, { message: () => "the text is blank" })), " ", "the text is blank"],
    [Schema.String, 1, "Expected string, actual 1"]
  ] as const)(
    "is said by the rule that it breaks, not by the description of the parameter (T1): %s",
    (schema, given, said) => {
      const described = (schema as Schema.Schema.AnyNoContext).annotations({ description })
      const decode = decoder(Schema.Struct({ list: Schema.Array(Schema.Struct({ one: described })) }))
      assert.deepStrictEqual(decode({ list: [{ one: given }] }), Either.left([{ path: "list[0].one", message: said }]))
    }
  )

  it("is a number that no JSON text holds, which would be shown and sent on as null (T1, A5)", () => {
    const decode = decoder(Schema.Struct({ list: Schema.Array(Schema.Struct({ one: Schema.Number })) }))
    const raw: unknown = JSON.parse('{"list":[{"one":1},{"one":-1e400}]}')
    const message = "is no finite number: numbers end at about 1.8e308"
    assert.deepStrictEqual(decode(raw), Either.left([{ path: "list[1].one", message }]))
    assert.isTrue(Either.isRight(decode({ list: [{ one: 1.8e307 }] })))
  })
})
