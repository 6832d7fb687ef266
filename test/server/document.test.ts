import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { apiRound } from "../support/apiRounds.ts"
import { models } from "../host/Directed.ts"
import { served } from "./served.ts"

describe("the OpenAPI document", () => {
  it.scopedLive("tells every answer to any request, and none is a fault of ours (X4)", () =>
    Effect.gen(function* () {
      const server = yield* served({ models, limits: { requestsPerSecond: 100_000, failuresPerMinute: 100_000 } })
      const found = yield* apiRound(server, 120)
      assert.deepStrictEqual(found.faults, [])
      assert.isAbove(found.operations, 20)
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
