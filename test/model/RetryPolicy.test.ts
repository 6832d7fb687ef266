import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { withFallback } from "../../src/model/Fallback.ts"
import type { ModelService } from "../../src/model/Model.ts"
import {
  ModelCrashed,
  ModelCut,
  ModelOverloaded,
  ModelRejected,
  ModelUnreachable,
  type ModelError
} from "../../src/model/ModelError.ts"
import type { ModelPart } from "../../src/model/ModelPart.ts"
import * as Push from "../../src/model/Push.ts"
import { isCertificateRefused } from "../../src/model/Reason.ts"
import { retried } from "../../src/model/RetryPolicy.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { failureOf, hello, parts, textOf } from "./support.ts"

const busy = (retryAfterMillis?: number) =>
  new ModelOverloaded({
    model: "fake",
    status: 429,
    reason: "busy",
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
  })
const cut = new ModelCut({ model: "fake", reason: "reset" })

/** Runs the model in the background; its parts arrive in a queue. */
const watch = (model: ModelService) =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<ModelPart>()
    const fiber = yield* Effect.fork(Stream.runForEach(model.stream(hello), (part) => Queue.offer(queue, part)))
    return { fiber, next: Queue.take(queue) }
  })

describe("retried", () => {
  it.effect("does not ask again where the certificate was refused, by the code of the error (R7)", () =>
    Effect.gen(function* () {
      const cause = { cause: { errors: [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }] } }
      assert.isTrue(isCertificateRefused(cause))
      assert.isFalse(isCertificateRefused({ cause: { code: "ECONNREFUSED" } }))
      const refused = new ModelUnreachable({ model: "fake", reason: "self-signed", certificate: true })
      const scripted = yield* Scripted.make([[{ fail: refused }], "an answer"])
      assert.deepStrictEqual(yield* failureOf(parts(retried()(scripted))), refused)
    })
  )

  it.effect("announces a failed attempt, waits and asks again, also after half of an answer (R7)", () =>
    Effect.gen(function* () {
      const scripted = yield* Scripted.make([[{ say: "half an " }, { fail: cut }], "a whole one"])
      const { fiber, next } = yield* watch(retried({ initialDelay: "1 second" })(scripted))
      assert.deepStrictEqual(yield* next, { _tag: "TextDelta", text: "half an " })
      const failed = yield* next
      assert.isTrue(failed._tag === "AttemptFailed" && failed.attempt === 1 && failed.reason === cut.message)
      assert.strictEqual((yield* scripted.requests).length, 1)
      const delay = failed._tag === "AttemptFailed" ? failed.delayMillis : 0
      assert.isTrue(delay >= 800 && delay <= 1200)
      yield* TestClock.adjust(delay - 1)
      assert.strictEqual((yield* scripted.requests).length, 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* next, { _tag: "TextDelta", text: "a whole one" })
      yield* Fiber.join(fiber)
      assert.strictEqual((yield* scripted.requests).length, 2)
    })
  )

  it.effect("backs off exponentially up to its cap and gives up after its attempts with the last error (R7)", () =>
    Effect.gen(function* () {
      const last = new ModelCut({ model: "fake", reason: "the fifth" })
      const scripted = yield* Scripted.make([
        ...[1, 2, 3, 4].map(() => [{ fail: cut }]),
        [{ fail: last }],
        "never asked"
      ])
      const policy = { maxAttempts: 5, initialDelay: "1 second", multiplier: 10, maxDelay: "20 seconds" } as const
      const { fiber, next } = yield* watch(retried(policy)(scripted))
      const delays: Array<number> = []
      for (const attempt of [1, 2, 3, 4]) {
        const failed = yield* next
        assert.isTrue(failed._tag === "AttemptFailed" && failed.attempt === attempt)
        delays.push(failed._tag === "AttemptFailed" ? failed.delayMillis : 0)
        yield* TestClock.adjust(delays.at(-1) ?? 0)
      }
      const within = [
        [800, 1200],
        [8000, 12000],
        [20000, 20000],
        [20000, 20000]
      ] as const
      within.forEach(([low, high], index) => {
        const delay = delays[index] ?? 0
        assert.isTrue(delay >= low && delay <= high, `delay ${index + 1} was ${delay}`)
      })
      assert.strictEqual(yield* failureOf(Fiber.join(fiber)), last)
      assert.strictEqual((yield* scripted.requests).length, 5)
    })
  )

  it.effect("never comes sooner than Retry-After asks (R7)", () =>
    Effect.gen(function* () {
      const scripted = yield* Scripted.make([[{ fail: busy(30_000) }], "ok"])
      const { fiber, next } = yield* watch(retried({ initialDelay: "1 second" })(scripted))
      const failed = yield* next
      assert.isTrue(failed._tag === "AttemptFailed" && failed.delayMillis === 30_000)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(fiber)
    })
  )

  it.effect("reports at once a server that asks for a longer wait than the policy allows (R7)", () =>
    Effect.gen(function* () {
      const scripted = yield* Scripted.make([[{ fail: busy(3_600_000) }], "never asked"])
      assert.strictEqual((yield* failureOf(parts(retried()(scripted))))._tag, "ModelOverloaded")
      assert.strictEqual((yield* scripted.requests).length, 1)
    })
  )

  it.effect("does not repeat what the server declined (R7)", () =>
    Effect.gen(function* () {
      const rejected: ModelError = new ModelRejected({ model: "fake", reason: "no" })
      const scripted = yield* Scripted.make([[{ fail: rejected }], "never asked"])
      assert.strictEqual(yield* failureOf(parts(retried()(scripted))), rejected)
      assert.strictEqual((yield* scripted.requests).length, 1)
    })
  )

  it.effect("never asks again after an interruption or a defect (R7)", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make(0)
      const begun = yield* Deferred.make<void>()
      const stuck: ModelService = {
        name: "stuck",
        stream: () =>
          Stream.fromEffect(
            Ref.update(asked, (n) => n + 1).pipe(
              Effect.zipRight(Deferred.succeed(begun, undefined)),
              Effect.zipRight(Effect.never)
            )
          )
      }
      const fiber = yield* Effect.fork(parts(retried()(stuck)))
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.strictEqual(yield* Ref.get(asked), 1)

      const scripted = yield* Scripted.make([[{ die: "a bug" }], "never asked"])
      assert.deepStrictEqual(yield* failureOf(parts(retried()(scripted))), new ModelCrashed({ model: scripted.name }))
      assert.strictEqual((yield* scripted.requests).length, 1)
    })
  )

  it.effect("asks again where an answer ends without its end, and in the end says that it was cut off (R7)", () =>
    Effect.gen(function* () {
      const asked = yield* Ref.make(0)
      const endless: ModelService = {
        name: "endless",
        stream: () =>
          Stream.zipRight(
            Stream.fromEffect(Ref.update(asked, (n) => n + 1)),
            Stream.make<[ModelPart]>({ _tag: "TextDelta", text: "half" })
          )
      }
      const failed = yield* failureOf(parts(retried({ maxAttempts: 3, initialDelay: 0, maxDelay: 0 })(endless)))
      assert.strictEqual(failed._tag, "ModelCut")
      assert.strictEqual(yield* Ref.get(asked), 3)
      const fallen = yield* parts(withFallback([Effect.succeed(yield* Scripted.make(["whole"]))])(endless))
      assert.deepStrictEqual(
        fallen.map(({ _tag }) => _tag),
        ["TextDelta", "AttemptFailed", "TextDelta", "Finished"]
      )
    })
  )

  it.effect("leaves a model that crashes to a fallback, and the defects of whoever is told to themselves (R7)", () =>
    Effect.gen(function* () {
      const crashing = yield* Scripted.make([[{ die: "a bug" }], [{ die: "a bug" }]])
      const other = yield* Scripted.make(["whole", "whole"])
      const model = withFallback([Effect.succeed(other)])(retried()(crashing))
      assert.strictEqual(textOf(yield* parts(model)), "whole")
      const exit = yield* Effect.exit(Push.run(model.stream(hello), () => Effect.die("the listener's bug")))
      assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
      assert.strictEqual((yield* other.requests).length, 1)
    })
  )

  it.effect("skips a fallback that cannot be opened, also where its code crashes (R7)", () =>
    Effect.gen(function* () {
      const crashing = yield* Scripted.make([[{ die: "a bug" }]])
      const other = yield* Scripted.make(["whole"])
      const crashes = [
        Effect.dieMessage("a bug"),
        Effect.interrupt,
        Effect.suspend((): Effect.Effect<never> => assert.fail("a bug"))
      ]
      assert.strictEqual(textOf(yield* parts(withFallback([...crashes, Effect.succeed(other)])(crashing))), "whole")
    })
  )

  it.effect("can be interrupted while it waits (R7)", () =>
    Effect.gen(function* () {
      const scripted = yield* Scripted.make([[{ fail: cut }], "never asked"])
      const { fiber, next } = yield* watch(retried()(scripted))
      yield* next
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.strictEqual((yield* scripted.requests).length, 1)
    })
  )
})
