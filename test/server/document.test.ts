import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { apiRound } from "../support/apiRounds.ts"
import { models } from "../host/Directed.ts"
import { served } from "./served.ts"

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: { readonly properties?: object } }>>
  }
}

describe("the OpenAPI document", () => {
  it.scopedLive("tells every answer to any request, and none is a fault of ours (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, limits: { failuresPerMinute: 100_000 } })
      const found = yield* apiRound(server, 120)
      assert.deepStrictEqual(found.faults, [])
      assert.isAbove(found.operations, 20)
    })
  )

  it.scopedLive("takes the character that no database stores in any place, and is at fault in none (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models, limits: { failuresPerMinute: 100_000 } })
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const { paths } = (yield* ask("/openapi.json")).json
      const faults: Array<string> = []
      for (const [path, methods] of Object.entries<Readonly<Record<string, Operation>>>(paths)) {
        if (path === "/v1/events" || path.endsWith("/events")) continue
        for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
          const look = (target: string, body?: object) =>
            Effect.map(ask(target, { method: method.toUpperCase(), ...(body && { body }) }), ({ status, text }) => {
              if (status >= 500 && status !== 503) faults.push(`${method} ${target} ${JSON.stringify(body)}: ${text}`)
            })
          const plain = (named = "") =>
            path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === named ? "%00" : "s1"))
          for (const { in: place, name } of parameters) {
            if (place === "path") yield* look(plain(name))
            else if (place === "query") yield* look(`${plain()}?query=x&${name}=a%00b`)
          }
          const schema = requestBody?.content["application/json"]?.schema
          const properties = Object.keys(schema?.properties ?? {})
          const whole = Object.fromEntries(properties.map((name) => [name, "s1"]))
          for (const name of properties) yield* look(plain(), { ...whole, [name]: "a\0b" })
        }
      }
      assert.deepStrictEqual(faults, [])
    })
  )

  it.scopedLive("has the whole schema of an event, which stored ones fit, and is a page without a script (X4)", () =>
    Effect.gen(function* () {
      const { ask } = yield* served({ models })
      const document = (yield* ask("/openapi.json")).json
      const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: "document", ...document })
      const validate = ajv.getSchema("document#/components/schemas/Envelope")
      yield* ask("/v1/sessions", { body: { id: "s1" } })
      const { events } = (yield* ask("/v1/sessions/s1/log")).json
      assert.isNotEmpty(events)
      for (const event of events) assert.isTrue(validate?.(event), ajv.errorsText(validate?.errors))
      assert.isFalse(validate?.({ ...events[0], event: { _tag: "SessionCreated" } }))
      const page = yield* ask("/docs")
      assert.include(page.headers["content-security-policy"], "default-src 'none'")
      assert.notMatch(page.text, /<script|<link|https?:/)
      for (const path of Object.keys(document.paths)) assert.include(page.text, `<code>${path}</code>`)
      assert.strictEqual((yield* ask("/docs", { bare: true })).status, 401)
    })
  )
})
