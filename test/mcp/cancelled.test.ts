// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { until as untilOf, within } from "../../src/mcp/gateway/Running.ts"
import * as DynamicTool from "../../src/tool/DynamicTool.ts"
import { type Place, place, scripted } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { until } from "../support/until.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { gatewayAt, hostAt, listener } from "./inProcess.ts"
import { openAt } from "../support/elsewhere.ts"
import { added as approved, tool } from "./support.ts"

describe("a call that its client takes back at once", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("asks nobody and does not run, however often (X2)", async () => {
    scripted(at, [], { mcp: { gateway: { patience: 60_000 } } })
    const fix = await approved(at, "fix", { tools: [tool("echo"), tool("marker")] })
    const gateway = spawn(process.execPath, [await built(), "mcp", "gateway"], {
      cwd: at.work,
      env: at.env,
      stdio: ["pipe", "pipe", "ignore"]
    })
    let said = ""
    gateway.stdout.setEncoding("utf8").on("data", (piece: string) => void (said += piece))
    try {
      const lines = (...messages: ReadonlyArray<object>) =>
        void gateway.stdin.write(messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""))
      const clientInfo = { name: "raw", version: "1" }
      lines({
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
      })
      await until(() => said.includes('"id":0'))
      lines({ method: "notifications/initialized" })
      const call = (id: number, name: string) => ({
        id,
        method: "tools/call",
        params: { name: `fix__${name}`, arguments: { id } }
      })
      const cancel = (requestId: number) => ({ method: "notifications/cancelled", params: { requestId } })
      for (let id = 1; id <= 10; id++) lines(call(id, "echo"), cancel(id))
      lines(call(100, "marker"))
      await until(async () => (await openAt(at)).some(({ tool }) => tool === "fix__marker"))
      const tools = (await openAt(at)).map((request) => request.tool)
      assert.deepStrictEqual(tools, ["fix__marker"])
      assert.deepStrictEqual(
        fix.logged().filter((line) => line.startsWith("call")),
        []
      )
    } finally {
      gateway.kill("SIGKILL")
    }
  })
})

describe("a call that is made again after its client took it back", () => {
  const wanted = { tool: "drop", parameters: {}, by: "mcp client", listener }
  const dropping = (handler: Effect.Effect<unknown>) =>
    DynamicTool.make("drop", { description: "Drops it", mode: "both", jsonSchema: {}, handler: () => handler })

  it.scopedLive("is a new one where its tool had not begun, and asks for approval (X2, G11)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const host = hostAt(base, "ask", ({ joined }) => joined(dropping(Effect.die("nobody has approved it"))))
      yield* Effect.gen(function* () {
        const gateway = yield* gatewayAt(base)
        const key = yield* gateway.keyOf(wanted)
        for (let times = 0; times < 3; times++) yield* gateway.dropped(yield* gateway.begin(key, wanted), wanted.tool)
        const again = yield* gateway.begin(key, wanted)
        const look = () => (again.isOver() ? "over" : again.open() === undefined ? undefined : "open")
        assert.strictEqual(yield* within(again.talk, look, Duration.minutes(1)), "open")
      }).pipe(Effect.scoped, Effect.provide(host))
    })
  )

  it.scopedLive("is told once that its outcome is unknown where its tool had begun (X2, G11)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const begun = yield* Deferred.make<void>()
      const running = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      const host = hostAt(base, "allow", ({ joined }) => joined(dropping(running)))
      yield* Effect.gen(function* () {
        const gateway = yield* gatewayAt(base)
        const key = yield* gateway.keyOf(wanted)
        const first = yield* gateway.begin(key, wanted)
        yield* Deferred.await(begun)
        yield* gateway.dropped(first, wanted.tool)
        const again = yield* gateway.begin(key, wanted)
        assert.strictEqual(again.task, first.task)
        yield* untilOf(again.talk, () => again.isOver() || undefined)
        assert.include(JSON.stringify(yield* gateway.resultOf(again)), "outcome unknown")
        yield* gateway.settled(again)
        assert.notStrictEqual((yield* gateway.begin(key, wanted)).task, first.task)
      }).pipe(Effect.scoped, Effect.provide(host))
    })
  )
})
