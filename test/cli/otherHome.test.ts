import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { otherHome } from "../../src/cli/otherHome.ts"

describe("the home that is advised in place of one that is read-only", () => {
  let base: string
  /** Where nobody can make anything, the superuser neither. */
  let closed: string
  beforeEach(() => {
    base = fs.mkdtempSync(path.join(os.tmpdir(), "other-home-"))
    closed = path.join(base, "file", "home")
    fs.writeFileSync(path.join(base, "file"), "")
  })
  afterEach(() => fs.rmSync(base, { recursive: true }))

  const advised = (user: string, failed: string, state?: string) =>
    otherHome({ user, failed, env: { XDG_STATE_HOME: state } })

  it("is one that can be written to, first in the user's own directory (R12, U13)", () => {
    const state = path.join(base, "state")
    assert.deepStrictEqual(advised(base, "/x"), [`export TOLLGATE_HOME=${base}/.tollgate`])
    assert.deepStrictEqual(advised(closed, "/x", state), [`export TOLLGATE_HOME=${state}/tollgate`])
    const [shared = ""] = advised(closed, "/x", "relative")
    assert.match(shared, /^export TOLLGATE_HOME=.*\/tollgate-\d+$/)
    assert.include(shared, os.tmpdir())
  })

  it("is not the one that has failed, nor what is no directory (R12)", () => {
    const own = path.join(base, ".tollgate")
    const state = path.join(base, "state")
    assert.deepStrictEqual(advised(base, own, state), [`export TOLLGATE_HOME=${state}/tollgate`])
    fs.writeFileSync(own, "")
    assert.deepStrictEqual(advised(base, "/x", state), [`export TOLLGATE_HOME=${state}/tollgate`])
  })
})
