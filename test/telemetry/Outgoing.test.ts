import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Redactor } from "../../src/redaction/Redactor.ts"
import * as Outgoing from "../../src/telemetry/Outgoing.ts"

const secret = "hunter2hunter2"
const key = `sk-${"abcdefghijklmnopqrstuvwx"}`

describe("what may leave of attributes", () => {
  it.effect(
    "is the same for simple attributes as for others: no secret by its look, its key or its neighbour (T11, S5)",
    () =>
      Effect.gen(function* () {
        const outgoing = Outgoing.by(yield* Redactor)
        for (const attributes of [
          { "gen_ai.tool.name": "echo", size: 3, ok: true },
          { url: `https://a.example/?k=${key}`, [key]: "in a key" },
          { password: secret, n: 1 },
          { name: "Authorization", value: secret },
          { key: "password", value: secret }
        ]) {
          const alone = outgoing.attributes(attributes)
          const { list, ...rest } = outgoing.attributes({ ...attributes, list: [] })
          assert.deepStrictEqual(alone, rest)
          assert.deepStrictEqual(list, [])
          assert.notInclude(JSON.stringify(alone), secret)
          assert.notInclude(JSON.stringify(alone), key)
        }
        assert.deepStrictEqual(outgoing.attributes({ a: "b", n: 1, gone: undefined }), { a: "b", n: 1 })
      })
  )
})
