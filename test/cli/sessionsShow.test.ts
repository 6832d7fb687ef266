// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type Place, place, scripted, start, tollgate } from "./command.ts"

describe("a session that is shown", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("goes on no further once a signal ends it (R9)", async () => {
    const answer = (index: number) => `message ${index}. ${"世界".repeat(10_000)}`
    scripted(
      at,
      Array.from({ length: 8 }, (_, index) => ({ steps: [{ say: answer(index) }] }))
    )
    const prompts = `${JSON.stringify({ _tag: "SubmitPrompt", prompt: "go on" })}\n`.repeat(8)
    const made = await tollgate(at, ["run", "--input-format", "jsonl", "--output-format", "jsonl"], prompts)
    assert.strictEqual(made.code, 0)
    const [{ id } = { id: "" }] = JSON.parse(
      (await tollgate(at, ["sessions", "list", "--json"])).stdout
    ) as ReadonlyArray<{ readonly id: string }>
    const showing = await start(at, ["sessions", "show", id])
    await showing.seen("message 0.")
    showing.kill("SIGTERM")
    const { code, stdout } = await showing.ended
    assert.strictEqual(code, 143)
    assert.notInclude(stdout, "message 7.")
  })

  it("is the last one of the project where none is named (R9)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
    const none = await tollgate(at, ["sessions", "show"])
    assert.strictEqual(none.code, 2)
    assert.include(none.stderr, "tollgate sessions list --all shows others")
    for (const prompt of ["the first", "the second"]) assert.strictEqual((await tollgate(at, ["run", prompt])).code, 0)
    const { code, stdout } = await tollgate(at, ["sessions", "show"])
    assert.strictEqual(code, 0)
    assert.include(stdout, "the second")
    assert.notInclude(stdout, "the first")
  })
})
