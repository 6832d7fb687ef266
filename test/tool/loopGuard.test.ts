import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Ref } from "effect"
import type { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Hook from "../../src/tool/Hook.ts"
import { loopGuard } from "../../src/tool/loopGuard.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Broken, Echo, request, running } from "./support.ts"

const sealed = (
  options: Parameters<typeof loopGuard>[0],
  tools: ReadonlyArray<typeof Echo | ReturnType<typeof running>>
) =>
  Effect.flatMap(loopGuard(options), (guard) =>
    Toolset.make([...tools], { middleware: DefaultStack.make({ loopGuard: guard }) })
  )

const asked = Layer.unwrapEffect(
  Effect.map(Ref.make(0), () => Approvals.layerDecide(() => ({ decision: "deny", reason: "enough" })))
)

describe("loopGuard", () => {
  it.effect("stops the task at a call that was the same, with the same outcome, so many times in a row (T15)", () =>
    Effect.gen(function* () {
      const toolset = yield* sealed({ action: "stop" }, [Echo])
      const call = (text: string) => Effect.either(toolset.call(request("echo", { text })))
      for (let index = 0; index < 3; index++) assert.isTrue(Either.isRight(yield* call("hi")))
      const stopped = yield* call("hi")
      assert.deepInclude(Either.getOrThrow(Either.flip(stopped)), { _tag: "LoopDetected", repeats: 3, stop: true })
      assert.include(Either.getOrThrow(Either.flip(stopped)).message, "echo was called 3 times in a row")
      assert.isTrue(Either.isRight(yield* call("hi")))
      const long = "x".repeat(10_000)
      for (let index = 0; index < 3; index++) yield* call(long)
      assert.isTrue(Either.isLeft(yield* call(long)))
    }).pipe(Effect.provide(asked))
  )

  it.effect("lets other parameters, other outcomes, other workers and other tasks go on (T15)", () =>
    Effect.gen(function* () {
      let polls = 0
      const toolset = yield* sealed({ action: "stop", repeats: 2 }, [
        Echo,
        running(
          Effect.sync(() => ++polls),
          "poll"
        )
      ])
      for (let index = 0; index < 6; index++) {
        yield* toolset.call(request("echo", { text: String(index) }))
      }
      for (let index = 0; index < 6; index++) yield* toolset.call(request("poll", {}))
      for (let index = 0; index < 6; index++) {
        yield* toolset.call({ ...request("echo", { text: "same" }), workerPath: ["root", String(index % 4)] })
      }
      for (let index = 0; index < 6; index++) {
        yield* toolset.call({ ...request("echo", { text: "same" }), taskId: String(index) })
      }
      for (let index = 0; index < 1100; index++) {
        yield* toolset.call({ ...request("echo", { text: "same" }), sessionId: String(index) })
      }
    }).pipe(Effect.provide(asked))
  )

  it.effect("counts failures too, and asks again about a call that a person did not let pass (T6, T15)", () =>
    Effect.gen(function* () {
      let ran = 0
      const work = running(Effect.suspend(() => (ran++, new Broken({ retryable: false }))))
      const toolset = yield* sealed({ action: "ask", repeats: 2 }, [work, Echo])
      const fails = () => Effect.flip(toolset.call(request("work", {})))
      assert.strictEqual((yield* fails())._tag, "Broken")
      assert.strictEqual((yield* fails())._tag, "Broken")
      for (let index = 0; index < 3; index++) assert.strictEqual((yield* fails())._tag, "ApprovalDenied")
      const ended = yield* fails()
      assert.strictEqual(ended._tag, "LoopDetected")
      assert.include(ended.message, "denied the same call in this task several times")
      assert.strictEqual(ran, 2)
    }).pipe(Effect.provide(asked))
  )

  it.effect("is asked about in words of its own, for once, and again after as many more (A6, T15)", () =>
    Effect.gen(function* () {
      const requests: Array<ApprovalRequest> = []
      const yes = Approvals.layerDecide(
        (request) => (requests.push(request), { decision: "approve", scope: request.scopes.at(-1) ?? "once" })
      )
      const toolset = yield* sealed({ action: "ask" }, [Echo])
      for (let index = 0; index < 14; index++) {
        yield* Effect.provide(toolset.call(request("echo", { text: "hi" })), yield* Layer.memoize(yes))
      }
      assert.deepStrictEqual(
        requests.map(({ message, repeats, scopes }) => ({ message, repeats, scopes })),
        [4, 7, 10, 13].map((repeats) => ({
          message: `This is the ${repeats}th identical call in a row with the same result. Says it again`,
          repeats,
          scopes: ["once"] as const
        }))
      )
    }).pipe(Effect.scoped)
  )

  const until = (policy: ApprovalPolicy, params: unknown, more = {}) =>
    Effect.gen(function* () {
      const rules = [{ id: "all", decision: "allow", level: "user", tool: "echo" } as const]
      const guard = yield* loopGuard({ action: "ask" })
      const toolset = yield* Toolset.make([Echo], { middleware: DefaultStack.make({ loopGuard: guard, ...more }) })
      const tags: Array<string> = []
      const one = Effect.either(toolset.call(request("echo", params)))
      const again = Effect.map(one, (ended) => tags.push(Either.isRight(ended) ? "ok" : ended.left._tag))
      const approvals = Approvals.layer({ policy, attended: false, rules })
      yield* Effect.provide(
        Effect.repeat(again, { until: () => tags.at(-1) === "LoopDetected" || tags.length === 14 }),
        approvals
      )
      return tags
    })
  const ok = (count: number) => [...Array.from({ length: count }, () => "ok"), "LoopDetected"]

  it.effect.each(["ask", "deny", "fail", "allow-read-only", "edits"] as const)(
    "ends the task where nobody can be asked, whatever rules and modes allow: %s (T15)",
    (policy) => Effect.map(until(policy, { text: "hi" }), (tags) => assert.deepStrictEqual(tags, ok(3)))
  )

  it.effect("lets three times as many pass where all is allowed, and ends the task then (T15)", () =>
    Effect.map(until("allow", { text: "hi" }), (tags) => assert.deepStrictEqual(tags, ok(9)))
  )

  it.effect("counts calls that validation or a hook refuses (T8, T9, T15)", () =>
    Effect.gen(function* () {
      const thrice = (tag: string) => [tag, tag, tag, "LoopDetected"]
      assert.deepStrictEqual(yield* until("allow", { text: 1 }), thrice("ParametersInvalid"))
      const hooks = [Hook.pre("*", () => Effect.succeed(Hook.Before.Abort({ reason: "not now" })))]
      assert.deepStrictEqual(yield* until("allow", { text: "hi" }, { hooks }), thrice("HookAborted"))
    })
  )

  it.effect("leaves a call alone whose parameters are no JSON (T15)", () =>
    Effect.map(until("allow", { text: 1n }), (tags) =>
      assert.deepStrictEqual(
        tags,
        Array.from({ length: 14 }, () => "ParametersInvalid")
      )
    )
  )
})
