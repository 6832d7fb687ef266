// @effect-diagnostics asyncFunction:off newPromise:off - reads real streams
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import { PassThrough, Writable } from "node:stream"
import * as ClientPipes from "../../src/mcp/gateway/ClientPipes.ts"
import * as Talk from "../../src/mcp/gateway/Talk.ts"
import * as ProgramTransport from "../../src/mcp/ProgramTransport.ts"
import type { Processes, RunningProcess } from "../../src/process/Processes.ts"

/** What nobody reads at its other end. */
const unreadPipe = () => new Writable({ write: () => {} })

describe("what nobody reads", () => {
  it.scoped("ends a server that asks on and on and reads no answer, before it is kept without end (X1, R5)", () =>
    Effect.gen(function* () {
      const running: RunningProcess = {
        pid: 1,
        output: Stream.never,
        truncated: () => false,
        input: unreadPipe(),
        exit: Effect.never,
        end: Effect.succeed(0)
      }
      const processes = { spawn: () => Effect.succeed(running) } as unknown as Processes["Type"]
      const command = { file: "server", args: [], cwd: "/", env: {} }
      const transport = yield* ProgramTransport.make(processes, command, yield* Effect.scope)
      yield* Effect.promise(() => transport.start())
      const answer = () => transport.send({ jsonrpc: "2.0", id: 1, result: {} }).catch(() => {})
      for (let count = 0; count < 10_000; count++) void answer()
      assert.isUndefined(transport.gone())
      void answer()
      assert.strictEqual(transport.gone(), "it has not read 10000 messages")
    })
  )

  it("is not kept for a client where it can do without: log messages, progress, news of resources (X2, R5)", async () => {
    const output = unreadPipe()
    const transport = ClientPipes.make(new PassThrough(), output)
    const say = (method: string) =>
      void transport.send({ jsonrpc: "2.0", method, params: { data: "x".repeat(1_000_000) } }).catch(() => {})
    for (let count = 0; count < 20; count++) say("notifications/message")
    const kept = output.writableLength
    assert.isBelow(kept, 6_000_000)
    for (const method of ["notifications/progress", "notifications/resources/updated"]) say(method)
    assert.strictEqual(output.writableLength, kept)
    say("notifications/tools/list_changed")
    void transport.send({ jsonrpc: "2.0", id: 1, result: { text: "x".repeat(1_000_000) } }).catch(() => {})
    assert.isAbove(output.writableLength, kept + 2_000_000)
  })

  it.scoped("of a server's questions is 32 at a time, and the others have no answer at once (X2, R5)", () =>
    Effect.gen(function* () {
      const talk = Talk.make("client", identity)
      talk.attach({ capabilities: { elicitation: {} }, hear: () => {}, log: () => {} })
      const requestedSchema = { type: "object" as const, properties: {} }
      const question = { method: "elicitation/create" as const, params: { message: "Go on?", requestedSchema } }
      for (let count = 0; count < 32; count++) yield* Effect.forkScoped(talk.ask({ asked: question }))
      yield* Effect.yieldNow()
      assert.lengthOf(Object.keys(talk.open()), 32)
      const beyond = yield* Effect.forkScoped(talk.ask({ asked: question }))
      yield* Effect.yieldNow()
      assert.lengthOf(Object.keys(talk.open()), 32)
      assert.deepStrictEqual(yield* Fiber.join(beyond), {})
    })
  )
})
