import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema, TestClock } from "effect"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import type { Preview } from "../../src/tool/Preview.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { request } from "../tool/support.ts"

interface Said {
  readonly approval?: Effect.Effect<boolean>
  readonly preview?: Effect.Effect<Preview>
}

/** How a call of a tool that says this of it ends within a minute, and what was asked and run. */
const called = ({ approval = Effect.succeed(true), preview }: Said) =>
  Effect.gen(function* () {
    let [asked, ran, given] = [0, 0, 0]
    const tool = Tool.make("deploy", {
      description: "Deploys.",
      parameters: Schema.Struct({}),
      success: Schema.Void,
      approval: () => approval,
      ...(preview !== undefined && {
        preview: () => Effect.onInterrupt(preview, () => Effect.sync(() => void given++))
      }),
      handler: () => Effect.sync(() => void ran++)
    })
    const toolset = yield* Toolset.make([tool], { middleware: (call, next) => next(call) })
    const decide = Approvals.layerDecide(() => {
      asked++
      return { decision: "approve" }
    })
    const call = yield* Effect.fork(Effect.flip(Effect.provide(toolset.call(request("deploy", {})), decide)))
    yield* TestClock.adjust("59 seconds")
    assert.isNull(call.unsafePoll())
    yield* TestClock.adjust("1 second")
    const { _tag: end, message } = yield* Fiber.join(call)
    return { asked, ran, end, message, given }
  })

describe("a tool that does not say in time", () => {
  it.effect("whether a call needs approval fails it, and nobody is asked (T5)", () =>
    Effect.gen(function* () {
      const { message, ...rest } = yield* called({ approval: Effect.never })
      assert.deepStrictEqual(rest, { asked: 0, ran: 0, end: "NotForetold", given: 0 })
      assert.match(message, /^"deploy" was not run: saying whether it needs approval took longer than 1 ?m/)
    })
  )

  it.effect("what a call would do fails it, ends the preview, and nobody is asked (T5)", () =>
    Effect.gen(function* () {
      const { message, ...rest } = yield* called({ preview: Effect.never })
      assert.deepStrictEqual(rest, { asked: 0, ran: 0, end: "NotForetold", given: 1 })
      assert.match(message, /showing what it would do took longer than/)
    })
  )

  it.effect("what a call would do once it was approved leaves it unrun (A5, T5)", () =>
    Effect.gen(function* () {
      let looks = 0
      const target = { path: "/x", baseHash: null }
      const preview = Effect.suspend(() =>
        looks++ === 0 ? Effect.succeed({ summary: "deploys", diff: "+x", targets: [target] }) : Effect.never
      )
      const { asked, end, ran } = yield* called({ preview })
      assert.deepStrictEqual({ asked, end, ran }, { asked: 1, end: "NotForetold", ran: 0 })
    })
  )
})
