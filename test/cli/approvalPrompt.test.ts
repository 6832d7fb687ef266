import type { UserInput } from "@effect/platform/Terminal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { stripVTControlCharacters } from "node:util"
import { approvalPrompt } from "../../src/cli/approvalPrompt.ts"
import type { OnKey } from "../../src/cli/Keyboard.ts"
import { plain } from "../../src/cli/Style.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import type { Answer } from "../../src/ui/Display.ts"

const request: ApprovalRequest = {
  id: "approval_1",
  callId: "c1",
  sessionId: "s",
  tool: "run_shell",
  workerPath: ["root", "W1"],
  risk: "high",
  digest: "d".repeat(64),
  arguments: { command: "make test" },
  message: "Runs a command",
  scopes: ["once", "session"],
  grant: "run_shell: make test",
  requestedAt: 0,
  timeoutMillis: 30_000
}

const key = (input: string): UserInput => ({
  input: Option.some(input),
  key: { name: input === "\r" ? "return" : input, ctrl: false, meta: false, shift: false }
})

/** The prompt in front of a keyboard that the test presses and a screen that it reads. */
const prompted = (given: Partial<ApprovalRequest> = {}, width = 80) =>
  Effect.gen(function* () {
    const printed: Array<string> = []
    let bottom = ""
    let press: OnKey = () => Effect.void
    const asked = approvalPrompt(
      {
        call: { key: "k", tool: "run_shell", arguments: "", worker: [] },
        request: { ...request, ...given },
        waiting: () => 2
      },
      {
        screen: {
          style: plain,
          interactive: true,
          live: true,
          split: false,
          width: () => width,
          progress: () => Effect.void,
          answer: () => Effect.void,
          bell: Effect.void,
          bottom: (line) =>
            Effect.sync(() => {
              bottom = stripVTControlCharacters(line?.text ?? "")
            })
        },
        keyboard: {
          focus: (onKey) => (self) =>
            Effect.suspend(() => {
              press = onKey
              return self
            })
        },
        print: (lines) => Effect.sync(() => void printed.push(...lines)),
        ask: () => Effect.succeedSome("because"),
        interrupt: Effect.void
      }
    )
    const fiber = yield* Effect.fork(asked)
    yield* Effect.yieldNow()
    return {
      fiber,
      printed,
      bottom: () => bottom,
      press: (input: string) =>
        Effect.zipRight(
          Effect.suspend(() => press(key(input))),
          Effect.yieldNow()
        ),
      pause: (millis: number) => TestClock.adjust(millis)
    }
  })

const answer = (fiber: Fiber.RuntimeFiber<Answer>) => Effect.map(fiber.poll, Option.isSome)

describe("the approval prompt", () => {
  it.effect("takes no key for an answer that was typed at something else (A5)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted()
      assert.notInclude(bottom(), "yes")
      for (const input of ["y", "e", "s", "\r"]) {
        yield* press(input)
        yield* pause(200)
      }
      assert.isFalse(yield* answer(fiber))
      assert.notInclude(bottom(), "yes")
      yield* pause(100)
      assert.match(bottom(), /^allow\? y yes {2}s session {2}n no .* · 30 s · 2 more$/)
      yield* press("y")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "once" })
    })
  )

  it.effect("takes nothing that is pasted for an answer (A5)", () =>
    Effect.gen(function* () {
      const { fiber, pause, press } = yield* prompted()
      yield* pause(300)
      yield* press("paste-start")
      for (const input of ["y", "s", "n", "\r"]) yield* press(input)
      yield* press("paste-end")
      assert.isFalse(yield* answer(fiber))
      yield* press("n")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
    })
  )

  it.effect("shows the time that is left, and offers no scope that the request has not (A6, A8)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press, printed } = yield* prompted()
      yield* pause(300)
      yield* pause(5000)
      assert.include(bottom(), "25 s")
      yield* press("a")
      assert.isFalse(yield* answer(fiber))
      assert.includeMembers(printed, ["worker:", "│ root › W1", "commands: 1", "│ run_shell: make test"])
      yield* press("s")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "session" })
    })
  )

  it.effect("cuts nothing of a long command at the edge of the terminal (A9)", () =>
    Effect.gen(function* () {
      const command = `echo ${"a".repeat(150)} ; rm -rf important`
      const { fiber, pause, press, printed } = yield* prompted({ arguments: { command } }, 60)
      yield* pause(300)
      const shown = printed.map((line) => line.replace(/^│ /, "")).join("")
      assert.include(shown.replaceAll(" ", ""), command.replaceAll(" ", ""))
      for (const line of printed) assert.isAtMost(line.length, 54)
      yield* press("n")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
    })
  )

  it.effect("denies on Enter, and sends the reason that r asks for (A11)", () =>
    Effect.gen(function* () {
      const first = yield* prompted()
      yield* first.pause(300)
      yield* first.press("\r")
      assert.deepStrictEqual(yield* Fiber.join(first.fiber), { decision: "deny" })
      const second = yield* prompted()
      yield* second.pause(300)
      yield* second.press("r")
      assert.deepStrictEqual(yield* Fiber.join(second.fiber), { decision: "deny", reason: "because" })
    })
  )
})
