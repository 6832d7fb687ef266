import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { severity } from "../../src/policy/shell/Severity.ts"
import { isIgnoredDirectory } from "../../src/tools/files/Ignored.ts"
import { world } from "./support.ts"

describe("what git ignores", () => {
  it.scopedLive("may be deleted as a directory, unless something in it is tracked (A16)", () =>
    Effect.gen(function* () {
      const { git, home, root, write } = yield* world
      const isIgnored = isIgnoredDirectory(root)
      const level = (text: string) => severity(text, { cwd: root, roots: [root], home, isIgnored }).level
      for (const name of ["out/a", "sub/out/a", "sub/kept/a", "src/a", "gen/tracked", "cache/deep/a"])
        write(name, "a\n")
      write(".env", "A=b\n")
      write(".gitignore", "out/\n.env\ngen\n/cache\n")
      write("sub/.gitignore", "!out/\nkept/\n")
      fs.symlinkSync("src", `${root}/linked`)
      assert.strictEqual(level("rm -rf out"), "destructive")
      git("init", "-q")
      git("add", "-f", ".gitignore", "gen/tracked")
      for (const text of ["rm -rf out", "rm -r ./cache cache/deep", "rm -rf sub/kept", `rm -rf ${root}/out/`])
        assert.strictEqual(level(text), "ordinary", text)
      for (const text of [
        "rm -rf src",
        "rm -rf gen",
        "rm -rf sub/out",
        "rm -rf .git",
        "rm -rf .git/objects",
        "rm -rf .env",
        "rm -rf linked/",
        "rm -rf out src",
        "rm -rf out/../src",
        "rm -rf nothing",
        'rm -rf "$DIR"'
      ])
        assert.strictEqual(level(text), "destructive", text)
    })
  )
})
