// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type Place, place, scripted, tollgate } from "./command.ts"

const shell = (command: string, more: object = {}) => ({
  steps: [{ call: { name: "run_shell", arguments: { command, ...more } } }]
})
/** Prints 60 lines, of which the 30th names what went wrong. */
const failing = `for i in $(seq 60); do [ $i = 30 ] && echo "not ok 30 parses" || echo "line $i"; done; exit 3`

const unconfined = { sandbox: { target: "none" } }

interface Completed {
  readonly event: { readonly _tag: string; readonly failed?: object }
}

const failedOf = (json: string): ReadonlyArray<object | undefined> =>
  json
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Completed)
    .flatMap(({ event }) => (event._tag === "ToolCallCompleted" ? [event.failed] : []))

describe("a command that fails", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("is a failure on the screen, live and recorded, with the lines that name it and the last ones (U6)", async () => {
    scripted(at, [shell(failing), { steps: [{ say: "Done." }] }], unconfined)
    const { code, stderr } = await tollgate(at, ["run", "go", "--dangerously-allow-all"])
    assert.strictEqual(code, 0)
    const recorded = await tollgate(at, ["sessions", "show"])
    for (const shown of [stderr, recorded.stdout]) {
      assert.match(shown, /✗.* exit 3\b/)
      assert.notMatch(shown, /✓/)
      assert.match(shown, /not ok 30 parses[^]*line 57[^]*line 60/)
      assert.notInclude(shown, "line 29\n")
      assert.strictEqual(shown.split("│ not ok 30 parses").length, 2)
      assert.match(shown, /1 call, 1 failed/)
    }
  })

  it("says in its event by which fact, and the model still reads the result (R3)", async () => {
    const turns = [failing, "kill -KILL $$", "true"].map((command) => shell(command))
    scripted(at, [...turns, shell("sleep 60", { timeout: 1 }), { steps: [{ say: "Done." }] }], unconfined)
    const { code, stdout } = await tollgate(at, ["run", "go", "--jsonl", "--dangerously-allow-all"])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(failedOf(stdout), [
      { reason: "exit code 3", exitCode: 3 },
      { reason: "ended by SIGKILL", signal: "SIGKILL" },
      undefined,
      { reason: "timed out after 1 s; its processes were ended", signal: "SIGTERM", timedOut: true }
    ])
    assert.include(stdout, '"content":"exit code 3\\nline 1\\n')
  })
})
