// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, tollgate } from "./command.ts"

interface Routed {
  readonly event: {
    readonly _tag: string
    readonly selected?: string
    readonly reason?: string
    readonly weight?: string
  }
  readonly worker?: ReadonlyArray<string>
}

describe("which profile serves", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const script = (name: string, turns: ReadonlyArray<unknown>) => {
    const file = path.join(at.home, `${name}.json`)
    fs.writeFileSync(file, JSON.stringify({ turns }))
    return { provider: "scripted", script: file, maxAttempts: 1 }
  }
  const configure = (small: ReadonlyArray<unknown>, more: object) => {
    fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
    const large = script("large", [{ repeat: true, steps: [{ say: "Large." }] }])
    const profiles = { small: script("small", small), large }
    fs.writeFileSync(
      path.join(at.env["TOLLGATE_HOME"]!, "config.json"),
      JSON.stringify({ profile: "small", profiles, ...more })
    )
  }
  const routedIn = (stdout: string) =>
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Routed)
      .filter(({ event }) => event._tag === "ModelRouted")

  it("is that of the weight that a prompt or a named worker has, with its reason in the log (R10)", async () => {
    configure(
      [
        { steps: [{ call: { name: "delegate", arguments: { task: "think", worker: "thinker" } } }] },
        { repeat: true, steps: [{ say: "Small." }] }
      ],
      { routing: { weights: { heavy: "large" } }, workers: { thinker: { weight: "heavy" } } }
    )
    const plain = await tollgate(at, ["run", "--jsonl", "--mode", "deny", "hello"])
    assert.deepStrictEqual(
      routedIn(plain.stdout).map(({ event, worker }) => [worker?.length, event.selected, event.weight, event.reason]),
      [
        [1, "small", "normal", "configured"],
        [2, "large", "heavy", "profile of the weight heavy"]
      ],
      plain.stderr
    )
    const { stderr, stdout } = await tollgate(at, ["run", "--weight", "heavy", "hello"])
    assert.include(stdout, "Large.")
    assert.include(stderr, "large answers instead of small: profile of the weight heavy")
    const unknown = await tollgate(at, ["run", "--weight", "huge", "hello"])
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.stderr, 'Nothing is configured for the weight "huge". Known: heavy.')
  })

  it("is what a hook program says, and the choice stays, with the reason, where it says nothing that counts (R10)", async () => {
    const hook = path.join(at.home, "route.mjs")
    fs.writeFileSync(
      hook,
      `let text = ""
for await (const chunk of process.stdin) text += chunk
const { context, requested, weight } = JSON.parse(text)
if (context.prompt.includes("broken")) process.exit(1)
if (context.prompt.includes("forge")) console.log('{"requested":"large"}')
else console.log(JSON.stringify(context.prompt.includes("deploy") ? { selected: "large", reason: [requested, weight, context.worker].join(" ") } : {}))
`
    )
    configure([{ repeat: true, steps: [{ say: "Small." }] }], {
      routing: { hooks: [{ command: [process.execPath, hook] }] }
    })
    const prompts = ["please deploy", "hello", "broken", "forge"]
    const lines = prompts.map((prompt) => `${JSON.stringify({ _tag: "SubmitPrompt", prompt })}\n`)
    const { stderr, stdout } = await tollgate(at, ["run", "--input-format", "jsonl", "--mode", "deny"], lines.join(""))
    assert.deepStrictEqual(
      routedIn(stdout).map(({ event }) => [event.selected, event.reason]),
      [
        ["large", "small normal root"],
        ["small", "configured"],
        ["small", "configured; the routing hook node exited with code 1"],
        ["small", "configured; the routing hook node printed something that is not an answer"]
      ],
      stderr
    )
  })
})
