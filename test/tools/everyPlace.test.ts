import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { reachFor } from "../support/everyPlace.ts"

describe("a protected place", () => {
  for (const mode of ApprovalPolicy.literals.filter((literal) => literal !== "allow")) {
    it.scoped(`is out of reach of every tool in the mode ${mode}, until somebody decides (A16, U13)`, () =>
      Effect.gen(function* () {
        const { calls, wrong } = yield* reachFor(mode, false)
        assert.isAbove(calls, 1000)
        assert.deepStrictEqual(wrong, [])
      })
    )
  }

  it.scoped("stays so in the mode allow where no mode may open it, and every tool reaches the others (A16, U13)", () =>
    Effect.gen(function* () {
      const { ran, wrong } = yield* reachFor("allow", false)
      assert.deepStrictEqual(wrong, [])
      const changing = ["write_file", "edit_file", "apply_patch", "git_commit", "run_shell"]
      assert.sameMembers([...ran], ["read_file", "grep", "list_dir", "glob", ...changing])
    })
  )
})
