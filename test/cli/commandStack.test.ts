// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type Place, place, scripted, tollgate } from "./command.ts"

const logged = (stderr: string): ReadonlyArray<Record<string, unknown>> =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe("the stack in front of the built commands", () => {
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
    assert.include(stderr, "No model is configured. Set one up with any of these:\n")
    assert.include(stderr, "tollgate config set profiles.local '")
    assert.include((await tollgate(at, ["sessions", "list", "--all"])).stdout, "No sessions yet.")
  })

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
