import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import type { ApprovalPolicy } from "../../../src/approval/ApprovalPolicy.ts"
import type { Dialogue } from "../../../src/cli/prompt/Dialogue.ts"
import * as PromptSession from "../../../src/cli/prompt/PromptSession.ts"
import { PromptState } from "../../../src/cli/prompt/PromptState.ts"
import type { Session } from "../../../src/cli/prompt/Session.ts"
import { Region } from "../../../src/cli/terminal/Region.ts"
import { Screen } from "../../../src/cli/terminal/Screen.ts"
import { Ui } from "../../../src/ui/Ui.ts"
import { UsageError } from "../../../src/cli/Outcome.ts"
import { failureOf } from "../../support/failureOf.ts"

const quiet = Layer.mergeAll(
  Layer.succeed(Screen, { progress: () => Effect.void } as unknown as Screen["Type"]),
  Layer.succeed(Region, { changed: Effect.void } as unknown as Region["Type"]),
  Layer.mock(Ui, {})
)

describe("the session of a prompt", () => {
  it.scoped("is opened once, and used only in the mode that was chosen, also where that failed at first (U9)", () =>
    Effect.gen(function* () {
      const modes: Array<ApprovalPolicy> = []
      let opened = 0
      let failing = true
      const session = {
        profile: "",
        spent: { amount: 0, unpriced: false },
        shown: Effect.never,
        setMode: (mode: ApprovalPolicy) =>
          Effect.suspend(() => {
            modes.push(mode)
            return failing ? new UsageError({ reason: "not now" }) : Effect.void
          })
      } as unknown as Session
      const current = yield* PromptSession.make({
        dialogue: Effect.succeed({
          open: () =>
            Effect.sync(() => {
              opened++
              return session
            })
        } as unknown as Dialogue),
        ended: Effect.void,
        isShown: true,
        policy: "ask",
        quit: yield* Deferred.make<void>(),
        say: () => Effect.void,
        state: new PromptState({ mode: "plan", profile: "", sandbox: "" })
      })
      assert.strictEqual((yield* failureOf(current.opened)).message, "not now")
      assert.isUndefined(current.current())
      failing = false
      assert.strictEqual(yield* current.opened, session)
      assert.deepStrictEqual([opened, modes], [1, ["plan", "plan"]])
    }).pipe(Effect.provide(quiet))
  )

  it.scoped("is opened in the mode that was chosen last, also where another was just being set (U13)", () =>
    Effect.gen(function* () {
      const modes: Array<ApprovalPolicy> = []
      const state = new PromptState({ mode: "edits", profile: "", sandbox: "" })
      const session: Session = {
        profile: "",
        spent: { amount: 0, unpriced: false },
        shown: Effect.never,
        setMode: (mode: ApprovalPolicy) =>
          Effect.suspend(() => {
            modes.push(mode)
            return mode === "edits" ? current.setMode("plan") : Effect.void
          })
      } as unknown as Session
      const current: Effect.Effect.Success<ReturnType<typeof PromptSession.make<never>>> = yield* PromptSession.make({
        dialogue: Effect.succeed({ open: () => Effect.succeed(session) } as unknown as Dialogue),
        ended: Effect.void,
        isShown: true,
        policy: "ask",
        quit: yield* Deferred.make<void>(),
        say: () => Effect.void,
        state
      })
      yield* current.opened
      assert.deepStrictEqual(modes, ["edits", "plan"])
      yield* current.setMode("ask")
      assert.strictEqual(state.mode, "ask")
    }).pipe(Effect.provide(quiet))
  )

  it.scoped("begins no task that was interrupted while the session was still opening (U8)", () =>
    Effect.gen(function* () {
      const loaded = yield* Deferred.make<Dialogue>()
      const session = {
        profile: "",
        spent: { amount: 0, unpriced: false },
        shown: Effect.never
      } as unknown as Session
      const current = yield* PromptSession.make({
        dialogue: Deferred.await(loaded),
        ended: Effect.void,
        isShown: true,
        policy: "ask",
        quit: yield* Deferred.make<void>(),
        say: () => Effect.void,
        state: new PromptState({ mode: "ask", profile: "", sandbox: "" })
      })
      assert.isFalse(yield* current.interrupt)
      let begun = 0
      const begin = () => Effect.sync(() => void begun++)
      const task = yield* Effect.fork(failureOf(current.task(begin)))
      yield* TestClock.adjust(0)
      assert.isTrue(current.isRunning())
      assert.isTrue(yield* current.interrupt)
      assert.strictEqual((yield* Fiber.join(task)).message, "stopped before it was sent")
      assert.isFalse(current.isRunning())
      yield* Deferred.succeed(loaded, { open: () => Effect.succeed(session) } as unknown as Dialogue)
      assert.strictEqual(yield* current.opened, session)
      assert.strictEqual(begun, 0)
    }).pipe(Effect.provide(quiet))
  )
})
