// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type Place, place, scripted, tollgate } from "./command.ts"
import { valuesOf } from "./stored.ts"

let at: Place
beforeEach(() => void (at = place()))
afterEach(() => at.remove())

interface Found {
  readonly session: string
  readonly role: string
  readonly by: string
  readonly snippet: ReadonlyArray<{ readonly text: string; readonly hit: boolean }>
}

const search = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<Found>> => {
  const { code, stderr, stdout } = await tollgate(at, ["search", "--json", ...args])
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

describe("tollgate search", () => {
  it("finds what earlier runs said, by words and by meaning; a model finds it as data (K1, S5)", async () => {
    const run = async (prompt: string, turns: ReadonlyArray<unknown>) => {
      scripted(at, turns)
      const { code, stderr } = await tollgate(at, ["run", prompt])
      assert.strictEqual(code, 0, stderr)
    }
    await run("what is planned?", [
      { steps: [{ say: "\u001b[31mAdd a dark theme\u001b[0m with new colors to the settings page." }] }
    ])
    await run("what was planned before?", [
      { steps: [{ call: { name: "search_history", arguments: { query: "dark theme" } } }] },
      { steps: [{ say: "Done." }] }
    ])
    const [hit] = await search("theme color", "--role", "assistant")
    assert.strictEqual(hit?.role, "assistant")
    assert.deepStrictEqual(
      hit?.snippet.flatMap((piece) => (piece.hit ? [piece.text] : [])),
      ["theme", "colors"]
    )
    const [meant] = await search("night mode for the preferences screen", "--role", "assistant")
    assert.strictEqual(meant?.session, hit?.session)
    assert.strictEqual(meant?.by, "meaning")
    const shown = await tollgate(at, ["search", "colors"])
    assert.include(shown.stdout, "[colors]")
    assert.include(shown.stdout, "␛")
    assert.notInclude(shown.stdout, "\u001b")
    const [told] = await search("dark theme", "--tool", "search_history")
    assert.strictEqual(told?.role, "tool")
    const results = valuesOf(at, "SELECT event FROM events WHERE tag = 'ToolCallCompleted'")
    assert.match(String(results[0]), /<untrusted source=\\+"assistant, event \d+ of session session_/)
  })

  it("says what is wrong with what it is given (K1)", async () => {
    for (const [args, problem] of [
      [["a", "--limit", "101"], "--limit takes a number from 1 to 100, not 101"],
      [["a", "--since", "soon"], "--since takes how long ago"],
      [["a", "--session", "nobody"], "nobody"],
      [["…"], "the query has no letters or digits"]
    ] as const) {
      const { code, stderr } = await tollgate(at, ["search", ...args])
      assert.notStrictEqual(code, 0)
      assert.include(stderr, problem)
    }
  })
})
