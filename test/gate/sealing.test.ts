import * as Ai from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { fromToolkit } from "../../src/tool/fromToolkit.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { request } from "../tool/support.ts"

const common = { description: "d", success: Schema.Void, approval: "never", handler: () => Effect.void } as const
const none = Schema.Struct({})

class Plain extends Schema.Class<Plain>("Plain")({ why: Schema.String }) {}
class Tagged extends Schema.TaggedClass<Tagged>()("Tagged", { why: Schema.String }) {}
class Failed extends Schema.TaggedError<Failed>()("Failed", { why: Schema.String }) {}

const failing = (failure: Tool.AnySchema) =>
  Tool.make("bad", { ...common, parameters: none, failure: failure as unknown as typeof Failed })
const dynamic = (jsonSchema: Readonly<Record<string, unknown>>) =>
  DynamicTool.make("bad", { description: "d", jsonSchema, handler: () => Effect.void })

const giving = (success: Tool.AnySchema, value: unknown) =>
  Tool.make("bad", { ...common, parameters: none, success, handler: () => Effect.succeed(value as never) })

/** Recursive under a name. */
interface Named {
  readonly n: bigint
  readonly below: ReadonlyArray<Named>
}
const Named: Schema.Schema<Named> = Schema.Struct({
  n: Schema.BigIntFromSelf,
  below: Schema.Array(Schema.suspend(() => Named))
}).annotations({ identifier: "Named" })

interface Tree {
  readonly n: bigint
  readonly below: ReadonlyArray<Tree>
}
const Tree: Schema.Schema<Tree> = Schema.Struct({
  n: Schema.BigIntFromSelf,
  below: Schema.Array(Schema.suspend(() => Tree))
})

interface Folder {
  readonly made: Date
  readonly inside: ReadonlyArray<Folder>
}
interface StoredFolder {
  readonly made: string
  readonly inside: ReadonlyArray<StoredFolder>
}
/** Recursive, and something else in JSON. */
const Folder: Schema.Schema<Folder, StoredFolder> = Schema.Struct({
  made: Schema.Date,
  inside: Schema.Array(Schema.suspend(() => Folder))
}).annotations({ identifier: "Folder" })

/** What would fail later: in every task that tells a model of the tool, in every call, or in every failure of one. */
const bad: ReadonlyArray<readonly [what: string, tool: Tool.Any, reason: string]> = [
  [
    "a Date",
    Tool.make("bad", { ...common, parameters: Schema.Struct({ at: Schema.DateFromSelf }) }),
    'no usable JSON Schema: Missing annotation; at path: ["at"]'
  ],
  [
    "a Map",
    Tool.make("bad", { ...common, parameters: Schema.MapFromSelf({ key: Schema.String, value: Schema.String }) }),
    "no usable JSON Schema"
  ],
  [
    "a bigint",
    Tool.make("bad", { ...common, parameters: Schema.Struct({ n: Schema.BigIntFromSelf }) }),
    "no usable JSON Schema"
  ],
  ["a string", Tool.make("bad", { ...common, parameters: Schema.String }), 'not an object but "string"'],
  ["an array", Tool.make("bad", { ...common, parameters: Schema.Array(Schema.String) }), 'not an object but "array"'],
  ["a type that is none", dynamic({ type: "objekt" }), 'not an object but "objekt"'],
  ["properties that are none", dynamic({ type: "object", properties: 7 }), "JSON Schema"],
  ["a reference to nothing", dynamic({ type: "object", properties: { a: { $ref: "#/nowhere" } } }), "JSON Schema"],
  ["a dynamic array", dynamic({ type: "array" }), 'not an object but "array"'],
  ["a string as failure", failing(Schema.String), "_tag"],
  ["a struct as failure", failing(Schema.Struct({ why: Schema.String })), "_tag"],
  ["a class as failure", failing(Plain), "_tag"],
  ["a tagged class without a message", failing(Tagged), "message"],
  ["a union of which one has none", failing(Schema.Union(Failed, Tagged)), "message"],
  ...(
    [
      ["a bigint", Schema.BigIntFromSelf, "a bigint"],
      ["a literal bigint", Schema.Literal(1n), "a bigint"],
      ["a symbol", Schema.SymbolFromSelf, "a symbol"],
      ["a bigint in a struct", Schema.Struct({ n: Schema.BigIntFromSelf }), "a bigint"],
      ["a bigint in a list", Schema.Array(Schema.BigIntFromSelf), "a bigint"],
      ["a bigint in a record", Schema.Record({ key: Schema.String, value: Schema.BigIntFromSelf }), "a bigint"],
      ["a bigint or a string", Schema.Union(Schema.String, Schema.BigIntFromSelf), "a bigint"],
      ["a positive bigint", Schema.PositiveBigIntFromSelf, "a bigint"],
      ["a tree of bigints", Tree, "a bigint"],
      ["a named tree of bigints", Named, "a bigint"]
    ] as const
  ).map(
    ([what, schema, found]) =>
      [`${what} as success`, giving(schema, undefined), `its success has no JSON form: it contains ${found}. `] as const
  )
]

describe("sealing", () => {
  it.effect.each(bad)("fails, naming the tool, for %s (T19)", ([, tool, reason]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Toolset.make([tool], { gate: Gate.unguarded("unit test") }))
      assert.strictEqual(error._tag, "ToolsetInvalid")
      assert.match(error.message, /^Tool "bad" cannot be part of the toolset: its /)
      assert.include(error.message, reason)
    })
  )

  it.effect.each([
    ["nothing", Schema.Never],
    ["a tagged error", Failed],
    ["several", Schema.Union(Failed, Failed)],
    ["a tagged struct", Schema.TaggedStruct("Other", { message: Schema.String })]
  ] as const)("takes a tool that fails with %s (T19)", ([, failure]) =>
    Toolset.make([failing(failure as unknown as Tool.AnySchema)], { gate: Gate.unguarded("unit test") })
  )

  it.effect.each([
    ["a bigint that is encoded", Schema.BigInt, 1n, "1"],
    ["a symbol that is encoded", Schema.Symbol, Symbol.for("a"), "a"],
    ["a date", Schema.DateFromSelf, DateTime.toDate(DateTime.unsafeMake(0)), '"1970-01-01T00:00:00.000Z"'],
    [
      "a tree that is encoded",
      Folder,
      {
        made: DateTime.toDate(DateTime.unsafeMake(0)),
        inside: [{ made: DateTime.toDate(DateTime.unsafeMake(1)), inside: [] }]
      },
      '{"made":"1970-01-01T00:00:00.000Z","inside":[{"made":"1970-01-01T00:00:00.001Z","inside":[]}]}'
    ],
    ["anything", Schema.Unknown, { a: [null] }, '{"a":[null]}']
  ] as const)("takes a tool whose success is %s (T19)", ([, success, value, text]) =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.make([giving(success, value)], { gate: Gate.unguarded("unit test") })
      assert.strictEqual((yield* toolset.call(request("bad", {}))).text, text)
    })
  )

  it.effect("gives the failures of a toolkit a name where they have none (T19)", () =>
    Effect.gen(function* () {
      const kit = Toolkit.make(
        Ai.make("text", { failure: Schema.String }).annotate(Ai.Readonly, true),
        Ai.make("data", { failure: Schema.Struct({ code: Schema.Number }) }).annotate(Ai.Readonly, true),
        Ai.make("own", { failure: Failed, failureMode: "return" }).annotate(Ai.Readonly, true)
      )
      const layer = kit.toLayer({
        text: () => Effect.fail("no luck"),
        data: () => Effect.fail({ code: 7 }),
        own: () => new Failed({ why: "so" })
      })
      const toolset = yield* Toolset.make(yield* Effect.provide(fromToolkit(kit), layer), {
        gate: Gate.unguarded("unit test")
      })
      const told = (name: string) =>
        Effect.map(Effect.flip(toolset.call(request(name, {}))), ({ _tag, message }) => `${_tag}: ${message}`)
      assert.strictEqual(yield* told("text"), "ToolkitToolFailed: text failed: no luck")
      assert.strictEqual(yield* told("data"), 'ToolkitToolFailed: data failed: {"code":7}')
      assert.include(yield* told("own"), "Failed: ")
    })
  )
})
