import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { decoder } from "../../src/tool/Parameters.ts"
import { parametersIn } from "../../src/gate/asked.ts"

describe("the arguments in the text of a model", () => {
  it("inherit nothing from a member that is called __proto__: what is shown is what runs (T1, S1)", () => {
    const text = '{"__proto__":{"path":"/etc/passwd"}}'
    const params = Either.getOrThrow(parametersIn(text))
    assert.strictEqual(JSON.stringify(params), text)
    assert.strictEqual(Object.getPrototypeOf(params), Object.prototype)
    const read = decoder(Schema.Struct({ path: Schema.String }))
    assert.isTrue(Either.isLeft(read(params)))
    for (const other of ["[]", "1", "null", '"{}"', "{"])
      assert.deepStrictEqual(parametersIn(other), Either.left("malformed"))
  })
})
