// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type Place, place, scripted, tollgate } from "./command.ts"

describe("what a command says beside its output", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("names a profile that was asked for where none is configured (M2, U1)", async () => {
    for (const args of [
      ["run", "--profile", "nobody", "hi"],
      ["run", "-p", "nobody", "hi"],
      ["run", "hi", "--profile=nobody"]
    ]) {
      const { code, stderr } = await tollgate(at, args)
      assert.strictEqual(code, 4)
      assert.include(stderr, "Unknown model profile nobody. No model is configured. Set one up")
    }
    assert.include((await tollgate(at, ["run", "hi"])).stderr, "tollgate: No model is configured. Set one up")
  })

  it("tells on standard error that a list which is piped has been cut (U1)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Hello." }] }])
    for (const prompt of ["one", "two"]) await tollgate(at, ["run", prompt])
    const cut = await tollgate(at, ["sessions", "list", "--limit", "1"])
    assert.strictEqual(cut.stderr, "tollgate: 1 of 2 sessions · --limit N\n")
    assert.match(cut.stdout, /^session_\S+ .*two\n$/)
    assert.strictEqual((await tollgate(at, ["sessions", "list"])).stderr, "")
    assert.strictEqual((await tollgate(at, ["sessions", "list", "--limit", "1", "--json"])).stderr, "")
  })
})
