import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Gateway } from "../../src/mcp/gateway/Gateway.ts"
import { until } from "../../src/mcp/gateway/Running.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { gatewayAt, hostAt, listener } from "./inProcess.ts"

describe("many calls of one gateway at once", () => {
  const most = 64

  const begin = (gateway: Gateway, count: number) => {
    const wanted = { tool: "echo", parameters: { count }, by: "mcp client", listener }
    return Effect.flatMap(gateway.keyOf(wanted), (key) => gateway.begin(key, wanted))
  }

  it.scopedLive("are counted for as long as they run, not until their ends are stored (X2)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const [ran, stored] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const echo = DynamicTool.make("echo", {
        description: "Echoes",
        mode: "both",
        readOnly: true,
        jsonSchema: { type: "object" },
        handler: () => Effect.as(Deferred.await(ran), { content: [{ type: "text", text: "echo" }] })
      })
      const host = hostAt(base, "allow", ({ joined }) => {
        const tool = joined(echo)
        return {
          ...tool,
          handler: (parameters, call) => Effect.zipLeft(tool.handler(parameters, call), Deferred.await(stored))
        }
      })
      yield* Effect.gen(function* () {
        const gateway = yield* gatewayAt(base)
        const running = yield* Effect.forEach(
          Array.from({ length: most }, (_, count) => count),
          (count) => begin(gateway, count)
        )
        const refusal = yield* Effect.flip(begin(gateway, most))
        assert.include(refusal.message, `${most} calls are running`)
        yield* Deferred.succeed(ran, undefined)
        for (const one of running) yield* until(one.talk, () => gateway.isAnswered(one) || undefined)
        assert.isFalse(running.some((one) => one.isOver()))
        const another = yield* begin(gateway, most)
        yield* until(another.talk, () => gateway.isAnswered(another) || undefined)
        yield* Deferred.succeed(stored, undefined)
      }).pipe(Effect.scoped, Effect.provide(host))
    })
  )
})
