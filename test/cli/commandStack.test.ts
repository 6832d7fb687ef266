// @effect-diagnostics asyncFunction:off - drives real processes from outside
import * as Command from "@effect/cli/Command"
import { NodeContext } from "@effect/platform-node"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger, Option } from "effect"
import { behindStack, describe as describeStack } from "../../src/cli/commandStack.ts"
import { type Place, place, scripted, tollgate } from "./command.ts"

const logged = (stderr: string): ReadonlyArray<Record<string, unknown>> =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe("the stack in front of the commands", { timeout: 60_000 }, () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("logs every command with its whole name, its time and its outcome where logs are asked for (M2, M3)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Hello." }] }])
    for (const [args, name, outcome] of [
      [["run", "hi", "--log-level", "info"], "tollgate run", "succeeded"],
      [["--log-level=info", "sessions", "list"], "tollgate sessions list", "succeeded"],
      [["config", "get", "nothing", "--log-level", "info"], "tollgate config get", "failed"]
    ] as const) {
      const { stderr } = await tollgate(at, args)
      const [line, ...more] = logged(stderr).filter(({ command }) => command !== undefined)
      assert.deepStrictEqual(more, [])
      assert.strictEqual(line?.["message"], `command ${name} ${outcome}`)
      assert.strictEqual(line?.["command"], name)
      assert.strictEqual(line?.["level"], "INFO")
      assert.isNumber(line?.["durationMillis"])
    }
    assert.deepStrictEqual(logged((await tollgate(at, ["sessions", "list"])).stderr), [])
    assert.deepStrictEqual(logged((await tollgate(at, ["sessions", "list", "--log-level", "error"])).stderr), [])
  })

  it("names what has to be configured first and the commands that do it, and runs nothing (M2)", async () => {
    const { code, stderr, stdout } = await tollgate(at, ["run", "hi"])
    assert.strictEqual(code, 4)
    assert.strictEqual(stdout, "")
    assert.include(
      stderr,
      "command tollgate run needs configuration that is not set:\n- profiles, by any one of these:\n"
    )
    assert.include(stderr, "tollgate config set profiles.local '")
    assert.include((await tollgate(at, ["sessions", "list", "--all"])).stdout, "no session")
  })

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
        Effect.provide([NodeContext.layer, logger])
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
    }).pipe(configured())
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

  it("has a span where a collector is named (M3)", async () => {
    scripted(at, [])
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_EXPORTER_OTLP_TIMEOUT: "1" }
    const { stdout } = await tollgate(at, ["doctor", "--stack"], "", env)
    assert.include(stdout, "tollgate run\n    recovery\n    when › span\n    timing\n")
    assert.include(stdout, "\n    recovery\n    telemetry\n    notifications\n")
  })

  it("shows the stack of every tool in its order, and that of the commands (T15)", async () => {
    scripted(at, [], {
      limits: [{ tools: ["read_file"], rate: { calls: 5, per: "1 minute" }, concurrency: 2 }],
      hooks: [{ event: "pre", command: ["true"] }]
    })
    const { code, stdout } = await tollgate(at, ["doctor", "--stack"])
    assert.strictEqual(code, 0)
    const [, first = ""] = /^read_file\n((?: {4}.*\n)+)/m.exec(stdout) ?? []
    assert.deepStrictEqual(
      first.split("\n").flatMap((line) => (line === "" ? [] : [line.trim().split("  ")[0]])),
      [
        "recovery",
        "notifications",
        "loop guard",
        "hooks",
        "validation",
        "approval",
        "rate limit",
        "concurrency",
        "result limit",
        "retry",
        "timeout",
        "progress",
        "file changes",
        "journal",
        "handler"
      ]
    )
    assert.include(stdout, "tollgate run\n    recovery\n")
  })
})
