import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FastCheck, Fiber, TestClock } from "effect"
import * as CommandCall from "../../src/middleware/CommandCall.ts"
import { apply, identity } from "../../src/middleware/Middleware.ts"
import type { Crashed } from "../../src/middleware/recover.ts"
import * as Registry from "../../src/middleware/Registry.ts"
import { requireConfig, type ConfigMissing } from "../../src/middleware/requireConfig.ts"
import { timing } from "../../src/middleware/timing.ts"
import { nested, recorder, traced } from "./support.ts"

const name = FastCheck.constantFrom("*", "sessions", "sessions list", "run")
const registrations = FastCheck.array(FastCheck.tuple(name, FastCheck.nat(99)), { maxLength: 12 })

describe("Registry", () => {
  it.effect.prop(
    "puts global outside specific, a command outside its subcommands, each in the order of registration (T3, M1, M3)",
    [registrations],
    ([list]) =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const registry = yield* Registry.make<CommandCall.CommandCall>()
        for (const [target, id] of list) {
          const middleware = traced(log)(`${target}:${id}`)
          yield* target === "*" ? registry.use(middleware) : registry.useFor(target, middleware)
        }
        const sealed = yield* registry.seal
        yield* CommandCall.handler(sealed)(["sessions", "list"], () => Effect.void)()
        const of = (wanted: string) =>
          list.filter(([target]) => target === wanted).map(([target, id]) => `${target}:${id}`)
        assert.deepStrictEqual(log, nested([...of("*"), ...of("sessions"), ...of("sessions list")]))
      })
  )

  it.effect("refuses additions once it is sealed, and says so (T3, M1)", () =>
    Effect.gen(function* () {
      const registry = yield* Registry.make<CommandCall.CommandCall>()
      const sealed = yield* registry.seal
      const late = yield* Effect.flip(registry.use(identity))
      assert.strictEqual(late._tag, "StackSealed")
      assert.strictEqual(
        late.message,
        "The middleware for everything was registered too late: the stack is sealed at the first call. Register it earlier."
      )
      const specific = yield* Effect.flip(registry.useFor("run", identity))
      assert.include(specific.message, 'for "run" was registered too late')
      assert.strictEqual(yield* apply(sealed.for("run"), () => Effect.succeed("ran"))(CommandCall.make("run")), "ran")
    })
  )

  it.effect("builds a stack once and leaves a command without middleware unchanged (T3, M4)", () =>
    Effect.gen(function* () {
      const registry = yield* Registry.make<CommandCall.CommandCall>()
      yield* registry.useFor("run", identity)
      const sealed = yield* registry.seal
      assert.strictEqual(sealed.for("run"), sealed.for("run"))
      const handler = CommandCall.handler(sealed)(["tour"], (a: number, b: number) => Effect.succeed(a + b))
      assert.strictEqual(yield* handler(1, 2), 3)
    })
  )

  it.effect("runs what the built-in middleware of commands together make (M1, M2)", () =>
    Effect.gen(function* () {
      const registry = yield* Registry.make<CommandCall.CommandCall, { fails: Crashed | ConfigMissing }>()
      yield* registry.use(CommandCall.recovery)
      yield* registry.use(timing)
      yield* registry.useFor(
        "chat",
        requireConfig(["model.key"], () => Effect.succeed(""))
      )
      const sealed = yield* registry.seal
      const { lines, recording } = recorder()
      const run = CommandCall.handler(sealed)
      const crashed = yield* recording(Effect.flip(run(["tour"], () => Effect.die(new Error("oops")))()))
      assert.strictEqual(crashed.message, "command tour crashed")
      const missing = yield* recording(Effect.flip(run(["chat"], () => Effect.dieMessage("never runs"))()))
      assert.strictEqual(missing._tag, "ConfigMissing")
      assert.deepStrictEqual(
        lines.map(({ level, text }) => `${level} ${text.split("\n")[0]}`),
        ["INFO command tour crashed", "ERROR A command crashed Error: oops", "INFO command chat failed"]
      )
    })
  )
})

describe("timing", () => {
  it.effect("logs the command, its duration and how it ended (M2)", () =>
    Effect.gen(function* () {
      const { lines, recording } = recorder()
      const run = (end: Effect.Effect<unknown, string>) =>
        recording(
          Effect.exit(apply(timing, () => Effect.zipRight(Effect.sleep("250 millis"), end))(CommandCall.make("run")))
        )
      for (const end of [Effect.void, Effect.fail("no"), Effect.die("bug")]) {
        const fiber = yield* Effect.fork(run(end))
        yield* TestClock.adjust("250 millis")
        yield* Fiber.join(fiber)
      }
      const fiber = yield* Effect.fork(run(Effect.never))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        lines.map(({ annotations, text }) => [text, annotations["durationMillis"], annotations["command"]]),
        [
          ["command run succeeded", 250, "run"],
          ["command run failed", 250, "run"],
          ["command run crashed", 250, "run"],
          ["command run interrupted", 1000, "run"]
        ]
      )
    })
  )
})

describe("recovery", () => {
  it.effect("makes a defect an error that names the command, with the stack in the log alone (M2)", () =>
    Effect.gen(function* () {
      const { lines, recording } = recorder()
      const boom = () => Effect.sync((): void => void JSON.parse("{"))
      const error = yield* recording(
        Effect.flip(apply(CommandCall.recovery, boom)(CommandCall.make("sessions", "list")))
      )
      assert.strictEqual(error._tag, "Crashed")
      assert.strictEqual(error.message, "command sessions list crashed")
      assert.strictEqual(lines[0]?.level, "ERROR")
      assert.include(lines[0]?.text, "SyntaxError")
      assert.strictEqual(lines[0]?.annotations["command"], "sessions list")
    })
  )

  it.effect("lets failures and interruption pass (M2)", () =>
    Effect.gen(function* () {
      const run = (end: Effect.Effect<void, string>) => apply(CommandCall.recovery, () => end)(CommandCall.make("run"))
      assert.strictEqual(yield* Effect.flip(run(Effect.fail("no"))), "no")
      assert.isTrue(Exit.isInterrupted(yield* Effect.exit(run(Effect.interrupt))))
      yield* run(Effect.void)
    })
  )
})

describe("requireConfig", () => {
  const lookup = (values: Readonly<Record<string, string>>) => (key: string) => Effect.succeed(values[key])

  it.effect("names every missing key, and runs nothing (M2)", () =>
    Effect.gen(function* () {
      const required = requireConfig(["a", "b.c", "d", "e"], lookup({ a: "1", d: "", e: "  " }))
      let ran = false
      const run = apply(required, () => Effect.sync(() => (ran = true)))
      const error = yield* Effect.flip(run(CommandCall.make("chat")))
      assert.deepStrictEqual(error.keys, ["b.c", "d", "e"])
      assert.strictEqual(
        error.message,
        ["command chat needs configuration that is not set:", "- b.c", "- d", "- e"].join("\n")
      )
      assert.isFalse(ran)
    })
  )

  it.effect("runs a command whose configuration is there, or that needs none (M2)", () =>
    Effect.gen(function* () {
      for (const keys of [[], ["a"]]) {
        const run = apply(requireConfig(keys, lookup({ a: "1" })), () => Effect.succeed("ran"))
        assert.strictEqual(yield* run(CommandCall.make("chat")), "ran")
      }
    })
  )
})
