import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Audience } from "../../src/mcp/Audience.ts"
import { directory, planned, servers, tool } from "./support.ts"

const value = "hush-hush-4711"

describe("what an MCP server says", () => {
  it.scopedLive("has no value that it was given in it: error, progress, log, question or address (X1, S5)", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const fix = planned(at, "fix", { tools: [tool("tells", { does: "tells" })] }, { env: { TOLD: "env:MINE" } })
      const [slot, news] = yield* Effect.map(servers(at, [fix.known], { MINE: value }), (all) => {
        const heard: Array<unknown> = []
        all.follow((one) => void heard.push(one))
        return [all.all[0]!, heard] as const
      })
      const heard: Array<unknown> = []
      const hear = (one: unknown) => void heard.push(one)
      const audience: Audience = {
        key: "one",
        capabilities: { elicitation: { form: {} } },
        logLevel: "debug",
        hear,
        log: hear,
        refused: hear,
        ask: (inquiries) =>
          Effect.sync(() => {
            hear(inquiries)
            return {}
          })
      }
      const { connection } = yield* slot.acquire
      const error = yield* Effect.flip(
        connection.request("tells", (client, options) => client.callTool({ name: "tells" }, options), audience)
      )
      const said = JSON.stringify([heard, news, error.message])
      assert.strictEqual(heard.length, 4, said)
      assert.isTrue(
        news.some((one) => (one as { kind: string }).kind === "resource"),
        said
      )
      assert.include(said, "bad ")
      assert.notInclude(said, value)
    })
  )
})
