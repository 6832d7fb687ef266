import * as Command from "@effect/cli/Command"
import { NodeContext } from "@effect/platform-node"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger, Option } from "effect"
import { behindStack, describe as describeStack } from "../../src/cli/commandStack.ts"
import { Surroundings } from "../../src/host/Surroundings.ts"
import { type Place, place, scripted } from "./command.ts"

describe("the stack in front of the commands", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const surroundings = Effect.provideService(Surroundings, { directory: "/", env: {} })

  const run = (words: ReadonlyArray<string>, handler: Effect.Effect<void>) => {
    const lines: Array<string> = []
    const list = Command.make("list", {}, () => handler)
    const sessions = Command.make("sessions", {}, () => handler).pipe(Command.withSubcommands([list]))
    const root = Command.make("tollgate", {}, () => Effect.void).pipe(
      Command.withSubcommands([sessions]),
      Command.transformHandler(behindStack)
    )
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.map(Logger.stringLogger, (line) => void lines.push(line))
    )
    return Effect.map(
      Effect.flip(Command.run(root, { name: "tollgate", version: "1" })(["node", "tollgate", ...words])).pipe(
        Effect.provide([NodeContext.layer, logger]),
        surroundings
      ),
      (error) => ({ error, lines })
    )
  }

  it.effect("makes a bug an error that names the command below a command, its stack only in the log (M2, M3)", () =>
    Effect.gen(function* () {
      const { error, lines } = yield* run(["sessions", "list"], Effect.die(new TypeError("oops")))
      assert.strictEqual((error as Error).message, "command tollgate sessions list crashed")
      assert.include(
        lines.find((line) => line.includes("level=ERROR")),
        "TypeError: oops"
      )
    })
  )

  it.effect("is what the commands are described by, global steps first (M1)", () =>
    Effect.gen(function* () {
      const names = (name: string) =>
        Effect.map(describeStack(name), (steps) =>
          steps.map(({ detail, step }) => (detail === "" ? step : `${step}: ${detail}`))
        )
      const global = ["recovery", "timing"]
      assert.deepStrictEqual(yield* names("tollgate doctor"), [...global, "when › required configuration"])
      assert.deepStrictEqual((yield* names("tollgate run")).at(-1), "required configuration: profiles")
    })
  )

  const configured = (more: Readonly<Record<string, string>> = {}) =>
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ ...at.env, ...more }))))

  it.effect("runs what needs a model only once one is configured, and what needs none before (M2)", () =>
    Effect.gen(function* () {
      let ran = 0
      const handler = Effect.sync(() => ++ran)
      const parsed = { subcommand: Option.some([{ key: "tollgate/(run)" }, {}]) }
      const missing = yield* Effect.flip(behindStack(handler, parsed))
      assert.deepInclude(missing, { _tag: "ConfigMissing", name: "tollgate run" })
      assert.deepInclude(yield* Effect.flip(behindStack(handler, {})), { _tag: "ConfigMissing", name: "tollgate" })
      const doctor = { subcommand: Option.some([{ key: "tollgate/(doctor)" }, {}]) }
      assert.strictEqual(yield* behindStack(handler, doctor), 1)
      scripted(at, [])
      assert.strictEqual(yield* behindStack(handler, parsed), 2)
    }).pipe(configured(), surroundings)
  )

  it.effect("puts the span inside of recovery, and around no prompt, where a collector is named (M1, M3)", () =>
    Effect.gen(function* () {
      const steps = yield* describeStack("tollgate run")
      assert.deepStrictEqual(
        steps.map(({ step }) => step),
        ["recovery", "when › span", "timing", "when › required configuration", "required configuration"]
      )
    }).pipe(configured({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }))
  )

  it.scoped("says which variables have no effect, before the command runs (U1)", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const { write } = process.stderr
          process.stderr.write = (text) => said.push(String(text)) > 0
          return write
        }),
        (write) => Effect.sync(() => (process.stderr.write = write))
      )
      const ran = Effect.sync(() => said.push("ran"))
      const parsed = { subcommand: Option.some([{ key: "tollgate/(sessions)" }, {}]) }
      yield* behindStack(ran, parsed).pipe(
        configured(),
        Effect.provideService(Surroundings, { directory: "/", env: { TOLLGATE_PROFIL: "x", TOLLGATE_HOME: at.home } })
      )
      assert.lengthOf(said, 2)
      assert.include(said[0], "TOLLGATE_PROFIL has no effect: did you mean TOLLGATE_PROFILE?")
      assert.strictEqual(said[1], "ran")
    })
  )
})
