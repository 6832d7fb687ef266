import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { make } from "../../src/policy/path/PathContext.ts"
import { heldRoots } from "../../src/tools/Confinement.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

describe("directories in which a sandbox lets no command change anything", () => {
  it.scoped.each<readonly [string, boolean, (root: string) => void]>([
    ["nothing protected", false, () => {}],
    ["a repository", false, (root) => fs.mkdirSync(path.join(root, ".git"))],
    ["a worktree", false, (root) => fs.writeFileSync(path.join(root, ".git"), "gitdir: /elsewhere\n")],
    ["a link to a repository", true, (root) => fs.symlinkSync("../other", path.join(root, ".git"))],
    ["a link that leads nowhere", true, (root) => fs.symlinkSync(".git", path.join(root, ".git"))],
    ["a link in our own place", true, (root) => fs.symlinkSync("/tmp", path.join(root, ".tollgate"))]
  ])("where there is %s: %s (S3)", ([, isHeld, prepare]) =>
    Effect.gen(function* () {
      const top = yield* temporaryDirectory
      const root = path.join(top, "project")
      fs.mkdirSync(root)
      prepare(root)
      const context = yield* make({ roots: [root], home: top, cwd: root, trusted: true, stateDirs: [] })
      assert.deepStrictEqual(heldRoots(context), isHeld ? [root] : [])
    })
  )
})
