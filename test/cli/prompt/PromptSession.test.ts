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

const opening = (
  setMode: (mode: ApprovalPolicy) => Effect.Effect<void, { readonly message: string }> = () => Effect.void
): Session =>
  ({ profile: "", spent: { amount: 0, unpriced: false }, shown: Effect.never, setMode }) as unknown as Session

/** Asks about calls, unless `mode` was chosen while the program loaded. */
const made = (open: Effect.Effect<Session>, mode: ApprovalPolicy, loaded: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    const state = new PromptState({ mode, profile: "", sandbox: "" })
    const current = yield* PromptSession.make<never>({
      dialogue: Effect.as(loaded, { open: () => open } as unknown as Dialogue),
      ended: Effect.void,
      isShown: true,
      policy: "ask",
      quit: yield* Deferred.make<void>(),
      say: () => Effect.void,
      state
    })
    return { current, state }
  })

describe("the session of a prompt", () => {
  it.scoped("is opened once, and used only in the mode that was chosen, also where that failed at first (U9)", () =>
    Effect.gen(function* () {
      const modes: Array<ApprovalPolicy> = []
      let opened = 0
      let failing = true
      const session = opening((mode) =>
        Effect.suspend(() => {
          modes.push(mode)
          return failing ? new UsageError({ reason: "not now" }) : Effect.void
        })
      )
      const open = Effect.sync(() => {
        opened++
        return session
      })
      const { current } = yield* made(open, "plan")
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
      const session: Session = opening((mode) =>
        Effect.suspend(() => {
          modes.push(mode)
          return mode === "edits" ? current.setMode("plan") : Effect.void
        })
      )
      const { current, state }: Effect.Effect.Success<ReturnType<typeof made>> = yield* made(
        Effect.succeed(session),
        "edits"
      )
      yield* current.opened
      assert.deepStrictEqual(modes, ["edits", "plan"])
      yield* current.setMode("ask")
      assert.strictEqual(state.mode, "ask")
    }).pipe(Effect.provide(quiet))
  )

  it.scoped("begins no task that was interrupted while the session was still opening (U8)", () =>
    Effect.gen(function* () {
      const loaded = yield* Deferred.make<void>()
      const session = opening()
      const { current } = yield* made(Effect.succeed(session), "ask", Deferred.await(loaded))
      assert.isFalse(yield* current.interrupt)
      let begun = 0
      const begin = () => Effect.sync(() => void begun++)
      const task = yield* Effect.fork(failureOf(current.task(begin)))
      yield* TestClock.adjust(0)
      assert.isTrue(current.isRunning())
      assert.isTrue(yield* current.interrupt)
      assert.strictEqual((yield* Fiber.join(task)).message, "stopped before it was sent")
      assert.isFalse(current.isRunning())
      yield* Deferred.succeed(loaded, undefined)
      assert.strictEqual(yield* current.opened, session)
      assert.strictEqual(begun, 0)
    }).pipe(Effect.provide(quiet))
  )
})
