import { Effect, FastCheck as fc } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Served } from "../server/served.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a document of the outside
type Json = any

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: Json }>
  readonly body: Json
  readonly responses: Readonly<Record<string, Json>>
}

/** Never asked for here: they do not end by themselves. */
const streams: ReadonlySet<string> = new Set(["/v1/events", "/v1/sessions/{session}/events"])

const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    streams.has(path)
      ? []
      : Object.entries<Json>(methods).map(([method, one]) => ({
          method: method.toUpperCase(),
          path,
          parameters: one.parameters ?? [],
          body: one.requestBody?.content?.["application/json"]?.schema,
          responses: one.responses
        }))
  )

/** Values that many schemas could mean, and what people and attackers send. */
const odd = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\0",
    "s1",
    "s2",
    "..",
    "../..",
    "%00",
    "x".repeat(300),
    "\u{202e}",
    "💥",
    "__proto__",
    "-1",
    "0",
    "1e400",
    "NaN"
  ),
  fc.string({ maxLength: 20 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 })
)

/** Values of a schema, mostly: a field is left out, added or odd now and then. */
const valueOf = (schema: Json, root: Json, depth = 0): fc.Arbitrary<unknown> => {
  if (schema === undefined || depth > 6) return odd
  if (schema.$ref !== undefined) {
    return valueOf(root.components.schemas[String(schema.$ref).replace("#/components/schemas/", "")], root, depth + 1)
  }
  const some = schema.anyOf ?? schema.oneOf
  const proper = (): fc.Arbitrary<unknown> => {
    if (some !== undefined) return fc.oneof(...some.map((one: Json) => valueOf(one, root, depth + 1)))
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    switch (schema.type) {
      case "object": {
        const fields = Object.entries<Json>(schema.properties ?? {})
        const known = Object.fromEntries(fields.map(([name, one]) => [name, valueOf(one, root, depth + 1)]))
        return fc.record(known, { requiredKeys: schema.required ?? [] })
      }
      case "array":
        return fc.array(valueOf(schema.items, root, depth + 1), { maxLength: 3 })
      case "string":
        return fc.oneof(fc.constantFrom("s1", "t1", "list_dir", "yes", "."), fc.string({ maxLength: 12 }))
      case "integer":
        return fc.integer({ min: -2, max: 2000 })
      case "number":
        return fc.double({ noNaN: true })
      case "boolean":
        return fc.boolean()
      default:
        return odd
    }
  }
  return fc.oneof({ weight: 9, arbitrary: proper() }, { weight: 1, arbitrary: odd })
}

const encoded = (value: unknown): string =>
  encodeURIComponent(typeof value === "string" ? value.toWellFormed() : (JSON.stringify(value) ?? ""))

interface Asked {
  readonly operation: Operation
  readonly target: string
  readonly raw: string | undefined
}

const requestOf = (operation: Operation, root: Json): fc.Arbitrary<Asked> => {
  const parameters = fc.tuple(
    ...operation.parameters.map(({ in: place, name, schema }) =>
      fc.tuple(fc.constant({ name, place }), fc.option(valueOf(schema, root), { freq: place === "path" ? 100 : 2 }))
    )
  )
  const body =
    operation.body === undefined
      ? fc.constant(undefined)
      : fc.oneof(
          { weight: 12, arbitrary: valueOf(operation.body, root).map((value) => JSON.stringify(value) ?? "") },
          { weight: 1, arbitrary: fc.constantFrom("", "{", "null", "[]", "1", '"x"', "{}", '{"a":1,"a":2}') }
        )
  return fc.tuple(parameters, body).map(([given, raw]) => {
    const query = given.flatMap(([{ name, place }, value]) =>
      place === "query" && value !== null ? [`${encodeURIComponent(name)}=${encoded(value)}`] : []
    )
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const found = given.find(([known]) => known.name === name)?.[1]
      return encoded(found ?? "s1") || "x"
    })
    return { operation, target: query.length === 0 ? path : `${path}?${query.join("&")}`, raw }
  })
}

/** Sends requests that the document allows, nearly allows and does not allow, and says which answers it does not tell of. */
export const apiRound = (server: Served, requests: number, more = 0) =>
  Effect.gen(function* () {
    const document: Json = (yield* server.ask("/openapi.json")).json
    const operations = operationsOf(document)
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: "document", ...document })
    yield* server.ask("/v1/sessions", { body: { id: "s1" } })
    const wanted = fc.sample(fc.oneof(...operations.map((operation) => requestOf(operation, document))), {
      numRuns: requests,
      ...(more === 0 ? {} : { seed: 20_191 + more })
    })
    const faults: Array<string> = []
    for (const { operation, raw, target } of wanted) {
      const answer = yield* server.ask(target, {
        method: operation.method,
        ...(raw === undefined ? {} : { raw })
      })
      const say = (what: string) =>
        void faults.push(
          `${operation.method} ${target} ${raw ?? ""} → ${answer.status} ${answer.text.slice(0, 300)}: ${what}`
        )
      if (answer.status >= 500 && answer.status !== 503) say("a fault of ours")
      if (/\n\s+at |node_modules|\.ts:\d/.test(answer.text)) say("a stack")
      const told = operation.responses[String(answer.status)]
      if (told === undefined) {
        // A path that leads to no operation is not told of by any.
        if (answer.status !== 404) say("a status that is not told of")
        continue
      }
      const schema = told.content?.["application/json"]?.schema
      if (schema === undefined || answer.json === undefined) continue
      const pointer = `document#/paths/${operation.path.replaceAll("~", "~0").replaceAll("/", "~1")}/${operation.method.toLowerCase()}/responses/${answer.status}/content/application~1json/schema`
      const validate = ajv.getSchema(pointer)
      if (validate !== undefined && validate(answer.json) !== true) say(ajv.errorsText(validate.errors))
    }
    return { faults, operations: operations.length }
  })
