import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { decoder, foreignDecoder } from "../../src/tool/JsonSchema.ts"

const problem = (found: Either.Either<unknown, ReadonlyArray<{ readonly message: string }>>): string =>
  Either.match(found, { onLeft: (issues) => issues.map(({ message }) => message).join(), onRight: () => "nothing" })

/** Definitions of which each asks for the one before it twice. */
const doubling = (levels: number) => ({
  type: "object",
  properties: { a: { $ref: `#/$defs/n${levels}` } },
  $defs: Object.fromEntries([
    ["n0", { type: "number" }],
    ...Array.from({ length: levels }, (_, at) => [
      `n${at + 1}`,
      { anyOf: [{ $ref: `#/$defs/n${at}` }, { $ref: `#/$defs/n${at}` }] }
    ])
  ])
})

describe("a JSON Schema of a server or a client", () => {
  it("that would be checked for ever refuses the value and holds nothing up (G16, R14)", () => {
    const decode = foreignDecoder(doubling(40))
    assert.strictEqual(problem(decode({ a: "x" })), "takes too long to be checked by the tool's JSON Schema")
    const unique = decoder({ type: "object", properties: { a: { uniqueItems: true } } })
    const many = Array.from({ length: 60_000 }, (_, at) => ({ at }))
    assert.strictEqual(problem(unique({ a: many })), "takes too long to be checked by the tool's JSON Schema")
    assert.isTrue(Either.isRight(unique({ a: many.slice(0, 100) })))
  })

  it("that stands for itself refuses every value, and is no crash of its tool (G16, T9)", () => {
    for (const schema of [
      { type: "object", $ref: "#" },
      { type: "object", $dynamicAnchor: "node", $dynamicRef: "#node" },
      { type: "object", properties: { a: { allOf: [{ $ref: "#/properties/a" }] } } }
    ])
      assert.match(problem(foreignDecoder(schema)({ a: 1 })), /^cannot be checked: .* never ends$/)
  })

  it("that refers to its definitions is checked by them (X1)", () => {
    const decode = decoder(doubling(4))
    assert.isTrue(Either.isRight(decode({ a: 1 })))
    assert.isTrue(Either.isLeft(decode({ a: "x" })))
  })
})
