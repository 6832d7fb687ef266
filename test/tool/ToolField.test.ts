import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Schema } from "effect"
import * as Tool from "../../src/tool/Tool.ts"
import { assign, fieldsOf, parse } from "../../src/tool/ToolField.ts"

const about = <A, I>(schema: Schema.Schema<A, I>, description: string) => schema.annotations({ description })
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Deploy = Tool.make("deploy", {
  description: "d",
  mode: "manual",
  parameters: Schema.Struct({
    env: about(Schema.Literal("staging", "production"), "Where to."),
    size: optional(Schema.Number),
    force: Schema.optionalWith(Schema.Boolean, { default: () => false }),
    note: optional(Schema.String),
    range: optional(Schema.Struct({ start: Schema.Int, end: optional(Schema.Int) })),
    tags: optional(Schema.Array(Schema.String))
  }),
  success: Schema.Void,
  handler: () => Effect.void
})

describe("the fields of a tool", () => {
  it("are derived from its schema: type, options, required, description, nested by dotted names (U6)", () => {
    assert.deepStrictEqual(
      fieldsOf(Deploy).map(({ name, options, required, type }) => [name, type, required, options]),
      [
        ["env", "select", true, ["staging", "production"]],
        ["size", "number", false, undefined],
        ["force", "boolean", false, undefined],
        ["note", "text", false, undefined],
        ["range.start", "number", false, undefined],
        ["range.end", "number", false, undefined],
        ["tags", "json", false, undefined]
      ]
    )
    assert.strictEqual(fieldsOf(Deploy)[0]?.description, "Where to.")
  })

  it("say which value is wrong, and what they take instead (U6)", () => {
    const [env, size, force, , , , tags] = fieldsOf(Deploy)
    const said = (field: typeof env, text: string) => (field === undefined ? undefined : parse(field, text))
    assert.deepStrictEqual(said(env, "prod"), Either.left('env takes one of staging, production, not "prod"'))
    assert.deepStrictEqual(said(size, "big"), Either.left('size takes a number, not "big"'))
    assert.deepStrictEqual(said(force, "perhaps"), Either.left('force takes yes or no, not "perhaps"'))
    assert.deepStrictEqual(said(tags, "a"), Either.left('tags takes JSON, not "a"'))
    assert.deepStrictEqual(said(force, "y"), Either.right(true))
  })

  it.prop(
    "take the text of every value that the tool takes, wherever it stands (U6)",
    [
      FastCheck.record(
        {
          env: FastCheck.constantFrom("staging", "production"),
          size: FastCheck.double({ noNaN: true, noDefaultInfinity: true }),
          force: FastCheck.boolean(),
          note: FastCheck.string(),
          range: FastCheck.record({ start: FastCheck.integer(), end: FastCheck.integer() }),
          tags: FastCheck.array(FastCheck.string())
        },
        { requiredKeys: ["env"] }
      )
    ],
    ([value]) => {
      let given: Readonly<Record<string, unknown>> = {}
      for (const field of fieldsOf(Deploy)) {
        const meant = field.name.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], value)
        if (meant === undefined) continue
        const text = field.type === "json" ? JSON.stringify(meant) : String(meant)
        given = assign(given, field.name, Either.getOrThrow(parse(field, text)))
      }
      const decoded = Deploy.codec.decode()(given)
      assert.isTrue(Either.isRight(decoded), JSON.stringify(decoded))
      assert.deepStrictEqual(given, value)
    }
  )

  it("cannot be given a prototype (U6)", () => {
    const given = assign({}, "__proto__.polluted", true)
    assert.isUndefined(Reflect.get({}, "polluted"))
    assert.deepStrictEqual(Object.keys(given), ["__proto__"])
  })
})
