import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { make } from "../../src/policy/path/PathContext.ts"
import { guardedIn, setAside } from "../../src/tools/shell/confined.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

describe("what a confined command leaves behind", () => {
  it.scoped("is set aside wherever it is protected, whatever the directories above it are called (S3)", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const home = yield* temporaryDirectory
      const context = yield* make({ cwd: root, roots: [root], home, trusted: false, stateDirs: [] })
      const before = guardedIn(context)
      assert.isDefined(before)
      const made = ["plain/.git", "x.unapproved/.git", "y.unapproved-2/.git"]
      for (const name of made) fs.mkdirSync(path.join(root, name), { recursive: true })
      fs.mkdirSync(path.join(root, "aside", ".git.unapproved"), { recursive: true })
      const named = setAside(before!, context).map((place) => path.relative(root, place))
      assert.deepStrictEqual(
        named.toSorted(),
        made.map((name) => `${name}.unapproved`)
      )
      for (const name of made) assert.isFalse(fs.existsSync(path.join(root, name)), name)
      assert.deepStrictEqual(setAside(before!, context), [])
    })
  )
})
