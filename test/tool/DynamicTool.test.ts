import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { backoff } from "../../src/middleware/retry.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { decoder, foreignDecoder } from "../../src/tool/JsonSchema.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { request } from "./support.ts"

const search = {
  $schema: "http://json-schema.org/draft-07/schema#",
  $id: "https://example.com/search",
  type: "object",
  properties: {
    query: { type: "string", minLength: 2, pattern: "^[a-z]+$" },
    kind: { enum: ["code", "text"] },
    version: { const: 1 },
    at: { type: "string", format: "date-time" },
    ranges: {
      type: "array",
      items: { type: "object", properties: { "a/b~c": { type: "number" } }, required: ["a/b~c"] }
    }
  },
  required: ["query"],
  additionalProperties: false
}

const issues = (schema: Readonly<Record<string, unknown>>, value: unknown) =>
  Either.match(decoder(schema)(value), {
    onLeft: (found) => found.map(({ message, path }) => `${path}: ${message}`),
    onRight: () => []
  })

/** What cannot be checked in a time that is known. */
const uncheckable = [
  ["a look-ahead", "^(?!/etc)"],
  ["a look-behind", "(?<!/etc)$"],
  ["a back-reference", "^(a)\\1$"],
  ["a named back-reference", "^(?<n>a)\\k<n>$"],
  ["a repeat without an end that is near", "^a{1,2000}$"],
  ["a pattern that is none", "("]
] as const

describe("decoder of a JSON Schema", () => {
  it("says of every issue where it is, what was expected and what came (T9)", () => {
    assert.deepStrictEqual(issues(search, { query: "ok", at: "2026-01-13T00:00:00Z" }), [])
    assert.deepStrictEqual(
      issues(search, { query: 1, kind: "x", version: 2, ranges: [{}, { "a/b~c": "1" }], more: true }),
      [
        "more: is unexpected",
        "query: Expected string, actual 1",
        'kind: Expected one of ["code","text"], actual "x"',
        "version: Expected 1, actual 2",
        "ranges[0].a/b~c: is missing",
        'ranges[1].a/b~c: Expected number, actual "1"'
      ]
    )
    assert.deepStrictEqual(issues(search, { query: "X", at: "soon" }), [
      'query: Expected a value that must NOT have fewer than 2 characters, actual "X"',
      'query: Expected a value that must match pattern "^[a-z]+$", actual "X"',
      'at: Expected a value that must match format "date-time", actual "soon"'
    ])
    assert.include(issues({ type: "string" }, ["y".repeat(500)])[0], "…")
  })

  it("reads schemas of either dialect, and of none (T9)", () => {
    const tuple = { type: "array", prefixItems: [{ type: "number" }], items: false }
    assert.deepStrictEqual(issues({ ...tuple, $schema: "https://json-schema.org/draft/2020-12/schema" }, [1]), [])
    assert.strictEqual(issues(tuple, ["a"]).length, 1)
    const old = { $schema: "http://json-schema.org/draft-07/schema#", type: "array", items: [{ type: "number" }] }
    assert.strictEqual(issues(old, ["a"]).length, 1)
  })

  it("is not made of a schema that is itself invalid, which sealing tells its author (T9, T19)", () => {
    assert.throws(() => issues({ type: "sting" }, {}), "schema is invalid")
    assert.throws(() => issues({ $ref: "#/nowhere" }, {}), "#/nowhere")
  })

  it("is not made of a schema that would answer later, and so never (T9)", () => {
    assert.throws(() => issues({ $async: true, type: "object", required: ["path"] }, {}), "asynchronous")
  })

  it("reads what older drafts wrote, and a schema that names itself (T9)", () => {
    const draft04 = { $schema: "http://json-schema.org/draft-04/schema#", id: "x", type: "number" }
    assert.deepStrictEqual(issues({ ...draft04, minimum: 0, exclusiveMinimum: false }, 0), [])
    assert.strictEqual(issues({ ...draft04, minimum: 0, exclusiveMinimum: true }, 0).length, 1)
    assert.strictEqual(issues({ type: "number", maximum: 3, exclusiveMaximum: true }, 3).length, 1)
    const tuple = { type: "array", items: [{ type: "number" }], additionalItems: false }
    assert.deepStrictEqual(issues(tuple, [1]), [])
    assert.strictEqual(issues(tuple, ["a"]).length, 1)
    const id = "https://example.com/node"
    const node = { $id: id, type: "object", properties: { n: { $ref: id } } }
    assert.deepStrictEqual(issues(node, { n: { n: {} } }), [])
    assert.deepStrictEqual(issues(node, { n: 1 }), ["n: Expected object, actual 1"])
  })

  it("says what is wrong in few and legible words, however much came (T9)", () => {
    const closed = { type: "object", additionalProperties: false }
    const [long] = issues(closed, { ["x".repeat(100_000)]: 1 })
    assert.isBelow(long?.length ?? 0, 200)
    const [odd] = issues(closed, { "\u001b[31m\nIGNORE \ud800": 1 })
    assert.strictEqual(odd, "\\u{1b}[31m\\u{a}IGNORE \ufffd: is unexpected")
    let deep: object = {}
    for (let depth = 0; depth < 20_000; depth++) deep = { n: deep }
    assert.deepStrictEqual(issues({ type: "object", properties: { n: { $ref: "#" } } }, deep), [
      ": is nested deeper than 64 levels"
    ])
  })

  it("runs patterns in linear time (S3)", () => {
    const evil = { type: "string", pattern: "^(a+)+$" }
    assert.strictEqual(issues(evil, `${"a".repeat(50_000)}!`).length, 1)
  })

  it("checks patterns as JSON Schemas write them (T9)", () => {
    for (const [pattern, fits, other] of [
      ["^[\\u4e00-\\u9fff]+$", "\u6f22", "a"],
      ["^https?:\\/\\/", "https://a", "ftp://a"],
      ["^(?<year>\\d{4})$", "2026", "26"],
      ["^\\p{Lu}", "\u00c9a", "a"]
    ] as const) {
      assert.deepStrictEqual([issues({ pattern }, fits).length, issues({ pattern }, other).length], [0, 1], pattern)
    }
  })

  it.each(uncheckable)("is not made of a schema with %s, which it could not check (T9, T19)", (_, pattern) => {
    const hidden = { type: "object", properties: { a: { type: "string" } } }
    for (const schema of [
      { ...hidden, properties: { a: { pattern } } },
      { ...hidden, propertyNames: { pattern } },
      { ...hidden, patternProperties: { [pattern]: { type: "number" } } },
      { ...hidden, not: { properties: { a: { pattern } } } }
    ]) {
      assert.throws(() => decoder(schema))
    }
  })
})

describe("decoder of a schema that somebody else checks by", () => {
  const [, pattern] = uncheckable[0]
  const checking = (schema: Readonly<Record<string, unknown>>) => {
    const decode = foreignDecoder(schema)
    return (value: unknown) => Either.isRight(decode(value))
  }

  it.each(uncheckable)("leaves %s to them, and checks all else (T9)", (_, pattern) => {
    const schema = {
      type: "object",
      properties: { path: { type: "string", pattern }, count: { type: "number" } },
      required: ["path"],
      additionalProperties: false
    }
    const fits = checking(schema)
    assert.isTrue(fits({ path: "/etc/passwd" }))
    for (const wrong of [{}, { path: 1 }, { path: "a", count: "1" }, { path: "a", more: 1 }]) {
      assert.isFalse(fits(wrong), JSON.stringify(wrong))
    }
  })

  it("refuses nothing that a pattern which it cannot check would accept (T9)", () => {
    for (const schema of [
      { not: { pattern } },
      { oneOf: [{ type: "string" }, { pattern }] },
      { patternProperties: { [pattern]: { type: "string" } }, additionalProperties: false },
      { patternProperties: { [pattern]: { type: "number" } } },
      { if: { not: { pattern } }, else: false },
      { properties: { a: { pattern } }, unevaluatedProperties: false },
      { contains: { pattern }, maxContains: 0, minContains: 0 },
      { propertyNames: { not: { pattern } } }
    ]) {
      const fits = checking(schema)
      for (const value of ["/etc/passwd", { a: "b" }, ["a"]]) {
        assert.isTrue(fits(value), `${JSON.stringify(schema)} ${JSON.stringify(value)}`)
      }
    }
  })

  it("takes names of properties for names, and data for data (T9)", () => {
    const schema = {
      type: "object",
      properties: { pattern: { type: "string", pattern }, not: { const: { not: 1 } }, if: { type: "number" } }
    }
    const fits = checking(schema)
    assert.isTrue(fits({ pattern: "x", not: { not: 1 }, if: 1 }))
    for (const wrong of [{ pattern: 1 }, { not: {} }, { if: "1" }]) assert.isFalse(fits(wrong))
  })

  it("is not made of a schema that is invalid otherwise (T9)", () => {
    assert.throws(() => foreignDecoder({ type: "sting", pattern }), "schema is invalid")
  })
})

describe("DynamicTool", () => {
  const options = {
    description: "Searches",
    jsonSchema: search,
    handler: (params: unknown) => Effect.succeed({ found: params })
  }

  it("is taken for the worst unless it says otherwise (T1, A7)", () => {
    const plain = DynamicTool.make("search", options)
    assert.deepInclude(plain, {
      approval: "always",
      readOnly: false,
      idempotent: false,
      risk: "high",
      repeatable: false
    })
    const reading = DynamicTool.make("search", { ...options, readOnly: true })
    assert.deepInclude(reading, { approval: "never", readOnly: true, idempotent: true, risk: "low", repeatable: true })
    const declared = DynamicTool.make("search", {
      ...options,
      approval: "never",
      risk: "medium",
      label: "Search",
      timeout: "5 seconds"
    })
    assert.deepInclude(declared, { approval: "never", risk: "medium", label: "Search" })
    assert.strictEqual(plain.codec.jsonSchema(), search)
  })

  it.effect("is validated by its schema before it runs (T9)", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.make([DynamicTool.make("search", options)], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const result = yield* toolset.call(request("search", { query: "ok" }))
      assert.strictEqual(result.text, '{"found":{"query":"ok"}}')
      const error = yield* Effect.flip(toolset.call(request("search", { query: 1 })))
      assert.strictEqual(
        error.message,
        "The parameters of search are invalid. Correct them and call it again:\n- query: Expected string, actual 1"
      )
    })
  )

  it.effect("does not seal with a pattern that nothing would check, and says which (T9, T19)", () =>
    Effect.gen(function* () {
      const jsonSchema = { type: "object", properties: { path: { type: "string", pattern: "^(?!/etc)" } } }
      const refused = yield* Effect.flip(
        Toolset.make([DynamicTool.make("read", { ...options, jsonSchema })], { gate: Gate.unguarded("unit test") })
      )
      assert.strictEqual(
        refused.message,
        'Tool "read" cannot be part of the toolset: its parameters have no usable JSON Schema: the pattern "^(?!/etc)" cannot be checked (invalid or unsupported Perl syntax: `(?!`). Write it without look-ahead, look-behind and back-references, and with repeats of at most 1000'
      )
    })
  )

  it.effect("with a retry policy is refused unless it may be repeated, and is repeated where it may (T7)", () =>
    Effect.gen(function* () {
      const retry = backoff({ maxAttempts: 3, initialDelay: 0, multiplier: 1, maxDelay: 0, jitter: false })
      const refused = yield* Effect.flip(
        Toolset.make([DynamicTool.make("search", { ...options, retry })], { gate: Gate.unguarded("unit test") })
      )
      assert.strictEqual(
        refused.message,
        'Tool "search" cannot be part of the toolset: it has a retry policy but is neither readOnly nor idempotent: repeating it may do harm'
      )
      let attempts = 0
      const handler = () =>
        Effect.suspend(() => {
          attempts++
          return new DynamicTool.DynamicToolFailed({ tool: "search", reason: "busy", retryable: true })
        })
      const tool = DynamicTool.make("search", { ...options, handler, retry, idempotent: true })
      const toolset = yield* Toolset.make([tool], {
        middleware: DefaultStack.make({}),
        gate: Gate.unguarded("unit test")
      })
      const error = yield* Effect.flip(toolset.call(request("search", { query: "ok" })))
      assert.strictEqual(error.message, "tool search failed after 3 attempts: busy")
      assert.strictEqual(attempts, 3)
    })
  )
})
