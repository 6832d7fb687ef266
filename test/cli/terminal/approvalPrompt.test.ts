import type { UserInput } from "@effect/platform/Terminal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { stripVTControlCharacters } from "node:util"
import { approvalPrompt } from "../../../src/cli/terminal/approval/approvalPrompt.ts"
import type { ApprovalRequest } from "../../../src/tool/ApprovalRequest.ts"
import type { Answer } from "../../../src/ui/Display.ts"
import { requested } from "../../approval/requested.ts"
import { fakeKeyboard, fakeScreen } from "./fakeScreen.ts"

const request = requested(
  { command: "make test" },
  { workerPath: ["root", "W1"], scopes: ["once", "session"], grant: "run_shell: make test", timeoutMillis: 30_000 }
)

const named: Readonly<Record<string, string>> = { "\r": "return", "\u0003": "c", "\u0004": "d", "\u001b": "escape" }

const key = (input: string): UserInput => ({
  input: Option.some(input),
  key: { name: named[input] ?? input, ctrl: input === "\u0003" || input === "\u0004", meta: false, shift: false }
})

/** How long a key must stay alone to be an answer. */
const alone = 600

/** The prompt in front of a keyboard that the test presses and a screen that it reads. */
const prompted = (
  given: Partial<ApprovalRequest> = {},
  width = 80,
  reason = Option.some("because"),
  unmasked?: Pick<ApprovalRequest, "arguments">,
  others: () => ReadonlyArray<ApprovalRequest> = () => [],
  height = 24
) =>
  Effect.gen(function* () {
    const { page, screen } = fakeScreen({ width, height })
    const { keyboard, press } = fakeKeyboard()
    let bottom = ""
    let body: ReadonlyArray<string> = []
    let interrupted = 0
    const asked = approvalPrompt(
      {
        call: { key: "k", tool: "run_shell", arguments: "", worker: [] },
        request: { ...request, ...given },
        unmasked: Effect.succeed(unmasked),
        waiting: () => 2,
        others
      },
      {
        screen: {
          ...screen,
          bottom: (line) =>
            Effect.sync(() => {
              const drawn = typeof line === "function" ? line() : line
              if (drawn === undefined) return
              const rows = [...(drawn.above ?? []), drawn.text].map(stripVTControlCharacters)
              const asked = rows.findIndex((row) => row.startsWith("allow?"))
              const from = asked < 0 ? rows.length - 1 : asked
              body = rows.slice(0, from)
              bottom = rows.slice(from).join(" ").replaceAll(/ +/g, " ")
            })
        },
        keyboard,
        ask: (question) =>
          Effect.map(question, (text) => {
            bottom = text
            return reason
          }),
        edit: () => Effect.succeed(reason),
        interrupt: Effect.sync(() => void interrupted++)
      }
    )
    const fiber = yield* Effect.fork(asked)
    yield* Effect.yieldNow()
    return {
      fiber,
      bottom: () => bottom,
      body: () => body,
      page: () => page()?.map(stripVTControlCharacters),
      interrupted: () => interrupted,
      press: (input: string) => Effect.zipRight(press(key(input)), Effect.yieldNow()),
      paste: (input: string) => press({ ...key(input), key: { ...key(input).key, name: "paste" } }),
      /** Presses one key after the other. */
      type: (text: string, millis: number) =>
        Effect.forEach(text, (input) => Effect.zipRight(press(key(input)), TestClock.adjust(millis)), {
          discard: true
        }),
      pause: (millis: number) => TestClock.adjust(millis)
    }
  })

const answer = (fiber: Fiber.RuntimeFiber<Answer>) => Effect.map(fiber.poll, Option.isSome)

describe("the approval prompt", () => {
  it.effect("takes no key for an answer that was typed at something else (A5)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted()
      assert.notInclude(bottom(), "allow")
      for (const input of ["y", "e", "s", "\r"]) {
        yield* press(input)
        yield* pause(200)
      }
      assert.isFalse(yield* answer(fiber))
      assert.notInclude(bottom(), "allow")
      yield* pause(100)
      assert.match(bottom(), /^allow\? y allow once s this session n deny r deny with reason .* 1 of 3 · 30 s$/)
      yield* press("y")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "once" })
    })
  )

  it.effect("takes a key that is tapped twice once, and one that is held not at all (A5)", () =>
    Effect.gen(function* () {
      const { fiber, pause, type } = yield* prompted()
      yield* pause(300)
      yield* type("yy", 150)
      assert.isFalse(yield* answer(fiber))
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "once" })
      const held = yield* prompted()
      yield* held.pause(300)
      yield* held.type("yyyy", 30)
      yield* held.pause(alone)
      assert.include(held.bottom(), "y came with other keys · wait a second")
      yield* held.pause(1000)
      assert.isFalse(yield* answer(held.fiber))
    })
  )

  it.effect.each([
    { text: "clear", millis: 120 },
    { text: "yes please", millis: 200 },
    { text: "always ", millis: 120 },
    { text: "yes\nyes\n", millis: 0 },
    { text: "no, delete", millis: 240 },
    { text: "y\ry\r", millis: 100 }
  ])("takes no word for an answer: $text, a key each $millis ms (A5)", ({ millis, text }) =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, type } = yield* prompted({ scopes: ["once", "session", "always"] })
      yield* pause(300)
      assert.include(bottom(), "allow?")
      yield* type(text, millis)
      yield* pause(alone)
      assert.isFalse(yield* answer(fiber))
      assert.match(bottom(), /not a valid key|came with other keys/)
      yield* pause(1000)
      assert.include(bottom(), "allow?")
      assert.isFalse(yield* answer(fiber))
    })
  )

  it.effect.each([
    { text: "then", millis: 450 },
    { text: "yes", millis: 550 },
    { text: "say that", millis: 300 }
  ])("takes no word for an answer of who types slowly: $text, a key each $millis ms (A5)", ({ millis, text }) =>
    Effect.gen(function* () {
      const { fiber, pause, type } = yield* prompted({ scopes: ["once", "task", "session", "always"] })
      yield* pause(300)
      yield* type(text, millis)
      yield* pause(5000)
      assert.isFalse(yield* answer(fiber))
    })
  )

  it.effect("takes no sentence for an answer, however short the words and long the pauses are (A5)", () =>
    Effect.gen(function* () {
      const { fiber, pause, press, type } = yield* prompted()
      yield* pause(300)
      for (const word of ["and ", "then ", "say ", "yes "]) {
        yield* type(word, 100)
        yield* pause(450)
      }
      assert.isFalse(yield* answer(fiber))
      yield* pause(1000)
      yield* press("n")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
    })
  )

  it.effect.each(["n", "\u0004"])("denies on %j also after a wrong key, and between two (A5, A11)", (input) =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted()
      yield* pause(300)
      yield* press("x")
      yield* pause(400)
      assert.include(bottom(), "x is not a valid key · wait a second")
      yield* press("y")
      yield* pause(400)
      assert.isFalse(yield* answer(fiber))
      yield* press(input)
      yield* pause(alone)
      assert.isTrue(yield* answer(fiber))
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
    })
  )

  it.effect("takes nothing that is pasted for an answer (A5)", () =>
    Effect.gen(function* () {
      const { fiber, paste, pause, press } = yield* prompted()
      yield* pause(300)
      for (const input of ["y", "s", "n", "\r"]) {
        yield* paste(input)
        yield* pause(alone)
      }
      assert.isFalse(yield* answer(fiber))
      yield* press("n")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
    })
  )

  it.effect("wants Enter for always, and says which rule it saves (A6)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted({
        scopes: ["once", "session", "always"],
        rule: "run_shell: make test"
      })
      yield* pause(300)
      yield* press("a")
      yield* pause(alone)
      assert.match(bottom(), /^always\? Enter saves this rule, .* · \d+ s · run_shell: make test$/)
      yield* press("y")
      yield* pause(300)
      assert.isFalse(yield* answer(fiber))
      assert.include(bottom(), "allow?")
      yield* press("a")
      yield* pause(alone)
      yield* press("\r")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "always" })
    })
  )

  it.effect("shows the time that is left, and offers no scope that the request has not (A6, A8)", () =>
    Effect.gen(function* () {
      const { body, bottom, fiber, pause, press } = yield* prompted()
      yield* pause(300)
      yield* pause(5000)
      assert.include(bottom(), "25 s")
      yield* press("a")
      yield* pause(1000)
      assert.isFalse(yield* answer(fiber))
      assert.include(bottom(), "allow?")
      assert.includeMembers(
        body().map((row) => row.trim()),
        ["worker:", "│ root › W1", "│ make test", "│ run_shell: make test"]
      )
      yield* press("s")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "session" })
    })
  )

  it.effect(
    "cuts nothing of a long command at the edge of the terminal, and marks where a line goes on (A9, A15)",
    () =>
      Effect.gen(function* () {
        const command = `echo ${"a".repeat(150)} ; rm -rf important`
        const { body, fiber, pause, press } = yield* prompted(
          { arguments: { command }, touches: { paths: [], hosts: [], names: [], commands: 2 } },
          60
        )
        yield* pause(300)
        const shown = body().map((row) => row.slice(4))
        const rows = shown.slice(shown.indexOf("command:") + 1, shown.indexOf("commands: 2"))
        assert.deepStrictEqual(
          rows.map((row) => row.slice(0, 2)),
          ["│ ", "↳ ", "↳ ", "↳ "]
        )
        assert.strictEqual(rows.map((row) => row.slice(2)).join(""), command)
        for (const line of shown) assert.isAtMost(line.length, 55)
        yield* press("n")
        yield* pause(alone)
        assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
      })
  )

  const long = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join("\n")

  it.effect.each(["y", "s", "a"])("approves nothing of which a row was not on the screen: %s (A15)", (input) =>
    Effect.gen(function* () {
      const { bottom, fiber, page, pause, press, type } = yield* prompted({
        arguments: { command: long },
        scopes: ["once", "session", "always"],
        rule: "r"
      })
      yield* pause(300)
      assert.match(bottom(), /^allow\? d read it all n deny r deny with reason /)
      yield* press(input)
      yield* pause(alone)
      assert.include(bottom(), "not read yet")
      assert.isFalse(yield* answer(fiber))
      yield* pause(1000)
      yield* press("d")
      yield* pause(alone)
      assert.include(page()?.join("\n"), "│ echo 10")
      // The end alone is not all.
      yield* type("G", 1)
      assert.match(page()?.at(-1) ?? "", /not all read/)
      yield* type("g", 1)
      assert.match(page()?.at(-1) ?? "", /not all read · space next {2}\/ search {2}q close$/)
      yield* press("q")
      yield* pause(300)
      assert.isUndefined(page())
      yield* press(input)
      yield* pause(alone)
      assert.isFalse(yield* answer(fiber))
      yield* pause(1000)
      yield* press("d")
      yield* pause(alone)
      yield* type("   ", 1)
      assert.include(page()?.join("\n"), "│ echo 59")
      yield* press("q")
      yield* pause(300)
      assert.match(bottom(), /^allow\? y allow once/)
      yield* press(input)
      yield* pause(alone)
      if (input === "a") yield* press("\r")
      yield* pause(alone)
      const scope = { y: "once", s: "session", a: "always" }[input]
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope } as Answer)
    })
  )

  it.effect("finds a text in what is long (A15)", () =>
    Effect.gen(function* () {
      const { fiber, page, pause, press, type } = yield* prompted({
        arguments: { command: long },
        touches: { paths: [], hosts: [], names: [], commands: 60 }
      })
      yield* pause(300)
      yield* press("d")
      yield* pause(alone)
      yield* type("/ECHO 42\r", 1)
      assert.strictEqual(page()?.[0], "│ echo 42")
      yield* type("/nowhere\r", 1)
      assert.include(page()?.at(-1), "no match for nowhere")
      yield* press("q")
      yield* pause(300)
      yield* press("n")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
    })
  )

  it.effect("shows on v what is masked, on a page that leaves nothing behind (A9, A15)", () =>
    Effect.gen(function* () {
      const { body, bottom, fiber, page, pause, press } = yield* prompted(
        { arguments: { command: "TOKEN=[redacted-token] make" }, masked: 1, scopes: ["once"] },
        80,
        Option.none(),
        { arguments: { command: "TOKEN=hunter22 make" } }
      )
      yield* pause(300)
      assert.include(bottom(), "v read it all, unmasked")
      assert.include(body(), "    1 secret masked")
      yield* press("v")
      yield* pause(alone)
      assert.include(page()?.join("\n"), "│ TOKEN=hunter22 make")
      assert.include(page()?.join("\n"), "unmasked: 1 secret shown as it is")
      assert.notInclude(page()?.join("\n"), "1 secret masked")
      yield* press("q")
      yield* pause(300)
      assert.notInclude([...body(), bottom()].join("\n"), "hunter22")
      yield* press("y")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "once" })
    })
  )

  it.effect("waits as long as the person wants where nothing expires (A8)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted({ timeoutMillis: 0 })
      yield* pause(600_000)
      assert.match(bottom(), /^allow\? y allow once .* d details e edit 1 of 3$/)
      yield* press("y")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "once" })
    })
  )

  it.effect.each(["\u0004", "n"])("denies on %j (A11)", (input) =>
    Effect.gen(function* () {
      const { fiber, pause, press } = yield* prompted()
      yield* pause(300)
      yield* press(input)
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny" })
    })
  )

  it.effect("takes no Enter alone for an answer, and swallows the one behind a key (A5, U5)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted()
      yield* pause(300)
      for (let times = 0; times < 3; times++) {
        yield* press("\r")
        yield* pause(400)
      }
      assert.isFalse(yield* answer(fiber))
      assert.include(bottom(), "allow?")
      yield* press("y")
      yield* pause(100)
      yield* press("\r")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "once" })
    })
  )

  it.effect("goes to a choice by the arrows, with nothing chosen beforehand, and takes it by Enter (U5)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted()
      yield* pause(300)
      assert.notInclude(bottom(), "❯")
      yield* press("down")
      yield* pause(1)
      assert.include(bottom(), "❯y allow once")
      yield* press("down")
      yield* pause(1)
      yield* press("right")
      yield* pause(1)
      assert.include(bottom(), "❯n deny")
      yield* press("up")
      yield* pause(1)
      assert.include(bottom(), "❯s this session")
      yield* press("\r")
      yield* pause(alone)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "session" })
    })
  )

  it.effect(
    "allows the others of the answer by A once each was shown, and none that came later or is masked (U5)",
    () =>
      Effect.gen(function* () {
        const more = (id: string): ApprovalRequest => ({ ...request, id, digest: `${id}-digest` })
        let others = [more("two"), { ...more("secret"), masked: 1 }, more("three")]
        const { bottom, fiber, page, pause, press, type } = yield* prompted(
          {},
          80,
          Option.none(),
          undefined,
          () => others,
          14
        )
        yield* pause(300)
        assert.include(bottom(), "A all 3")
        yield* press("A")
        yield* pause(alone)
        assert.include(page()?.join("\n"), "1 of 3")
        yield* press("q")
        yield* pause(alone)
        assert.isFalse(yield* answer(fiber))
        yield* pause(1000)
        yield* press("A")
        yield* pause(alone)
        others = [...others, more("late")]
        yield* type("      ", 1)
        yield* press("q")
        yield* pause(400)
        assert.include(bottom(), "allow all 3 once?")
        yield* press("y")
        yield* pause(alone)
        const { also, ...own } = (yield* Fiber.join(fiber)) as { also: ReadonlyArray<ApprovalRequest> }
        assert.deepStrictEqual(own, { decision: "approve", scope: "once" } as object)
        assert.deepStrictEqual(
          also.map(({ id }) => id),
          ["two", "three"]
        )
      })
  )

  it.effect("wants a long diff read to its end, or a capital letter, though all of it is on the screen (A15)", () =>
    Effect.gen(function* () {
      const diff = ["--- a/x", "+++ b/x", "@@ -0,0 +1,30 @@", ...Array.from({ length: 30 }, (_, at) => `+${at}`)].join(
        "\n"
      )
      const given = { arguments: {}, preview: { summary: "write x", diff, shows: [], targets: [] } }
      for (const input of ["y", "Y"]) {
        const { bottom, fiber, pause, press } = yield* prompted(given, 80, Option.none(), undefined, undefined, 60)
        yield* pause(300)
        yield* press(input)
        yield* pause(alone)
        assert.strictEqual(yield* answer(fiber), input === "Y")
        if (input === "y") assert.include(bottom(), "over 20 rows")
        yield* Fiber.interrupt(fiber)
      }
    })
  )

  it.effect("gives the parameters that e has changed, and nothing where they are no JSON or the same (U5)", () =>
    Effect.gen(function* () {
      for (const [typed, given] of [
        ['{"command":"make check"}', { command: "make check" }],
        ["{", undefined],
        [JSON.stringify(request.arguments, undefined, 2), undefined]
      ] as const) {
        const { fiber, pause, press } = yield* prompted({}, 80, Option.some(typed))
        yield* pause(300)
        yield* press("e")
        yield* pause(alone)
        if (given === undefined) assert.isFalse(yield* answer(fiber))
        else assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "approve", scope: "once", parameters: given })
        yield* Fiber.interrupt(fiber)
      }
    })
  )

  it.effect("sends the reason that r asks for, beside the time that is left (A8, A11)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted()
      yield* pause(300)
      yield* press("r")
      yield* pause(alone)
      assert.match(bottom(), /^why not\? \d+ s $/)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "deny", reason: "because" })
    })
  )

  it.effect("asks again where no reason is given after all (A11)", () =>
    Effect.gen(function* () {
      const { bottom, fiber, pause, press } = yield* prompted({}, 80, Option.none())
      yield* pause(300)
      yield* press("r")
      yield* pause(alone)
      yield* pause(300)
      assert.isFalse(yield* answer(fiber))
      assert.include(bottom(), "allow?")
    })
  )

  it.effect.each(["\u0003", "\u001b"])("leaves the decision to whom %j interrupts (A5, U8)", (input) =>
    Effect.gen(function* () {
      const { fiber, interrupted, pause, press } = yield* prompted()
      yield* pause(300)
      yield* press(input)
      yield* pause(alone)
      assert.strictEqual(interrupted(), 1)
      assert.isFalse(yield* answer(fiber))
    })
  )
})
