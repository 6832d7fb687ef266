import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { type ProjectFiles, projectFiles } from "../../src/host/projectFiles.ts"
import { world, type World } from "../tools/support.ts"

const shown = ({ has, names }: ProjectFiles) => names.filter(has)

const listed = (here: World, options: Parameters<World["layer"]>[0] = {}, root = here.root) =>
  Effect.map(Effect.provide(projectFiles, here.layer(options, root)), shown)

const write = (here: World, ...names: ReadonlyArray<string>): void => {
  for (const name of names) here.write(name, "x\n")
}

const repository = Effect.map(world, (here) => {
  here.git("init", "--quiet", "--initial-branch=main")
  return here
})

const commit = (here: World): void => {
  here.git("add", "--all")
  here.git("commit", "--quiet", "--message=all")
}

describe("the files of a project", () => {
  it.scopedLive("are those that git tracks and would track, what lies higher first (U12)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write(".gitignore", "*.log\nbuild/\n")
      here.write("src/.gitignore", "own.txt\n")
      write(here, "tracked.ts", "src/deep/er.ts", "gone.ts", "kept.log")
      here.git("add", "--force", "kept.log")
      commit(here)
      fs.rmSync(`${here.root}/gone.ts`)
      write(here, "new.ts", "src/new.ts", "a.log", "build/out.js", "src/own.txt")
      assert.deepStrictEqual(yield* listed(here), [
        ".gitignore",
        "kept.log",
        "new.ts",
        "tracked.ts",
        "src/.gitignore",
        "src/new.ts",
        "src/deep/er.ts"
      ])
    })
  )

  it.scopedLive("come from git's list, not from a walk, with all that git is told to ignore (U12)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      write(here, "a.ts", "b.tmp", "c.bak")
      fs.appendFileSync(`${here.root}/.git/info/exclude`, "*.bak\n")
      fs.writeFileSync(`${here.home}/ignored`, "*.tmp\n")
      fs.appendFileSync(`${here.home}/.gitconfig`, `[core]\n\texcludesFile = ${here.home}/ignored\n`)
      assert.deepStrictEqual(yield* listed(here), ["a.ts"])
    })
  )

  it.scopedLive("have their names as they are, but none that cannot be read (U12, S2)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const odd = ["it's.ts", 'say "hi".ts', "with space.ts", "grün/日本語.md", "back\\slash.ts", "😀.png"]
      write(here, ...odd, "two\nlines.ts", "esc\u001b[2J.ts")
      assert.sameMembers([...(yield* listed(here))], odd)
      commit(here)
      assert.sameMembers([...(yield* listed(here))], odd)
    })
  )

  it.scopedLive("are found without git, and outside of repositories (U12)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write(".gitignore", "*.log\n")
      write(here, "a.ts", "b.log", "src/c.ts")
      const expected = [".gitignore", "a.ts", "src/c.ts"]
      assert.deepStrictEqual(yield* listed(here), expected)
      here.git("init", "--quiet")
      const environment = { ...here.environment, PATH: `${here.base}/none` }
      assert.deepStrictEqual(yield* listed(here, { environment }), expected)
    })
  )

  it.scopedLive("are those of the directory one is in, also where its repository ignores it (U12)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write(".gitignore", "out\n")
      write(here, "a.ts", "part/b.ts", "part/c/d.ts", "out/e.js")
      assert.deepStrictEqual(yield* listed(here, {}, `${here.root}/part`), ["b.ts", "c/d.ts"])
      assert.deepStrictEqual(yield* listed(here, {}, `${here.root}/out`), ["e.js"])
    })
  )

  it.scopedLive("are listed in linked worktrees and beside submodules, which are no files (U12)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      write(here, "a.ts")
      commit(here)
      here.git("worktree", "add", "--quiet", `${here.base}/linked`)
      fs.writeFileSync(`${here.base}/linked/b.ts`, "x\n")
      assert.deepStrictEqual(yield* listed(here, {}, `${here.base}/linked`), ["a.ts", "b.ts"])
      const other = `${here.base}/other`
      here.git("clone", "--quiet", here.root, other)
      here.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub")
      here.git("clone", "--quiet", other, "inner")
      assert.deepStrictEqual(yield* listed(here), [".gitmodules", "a.ts"])
      assert.deepStrictEqual(yield* listed(here, {}, `${here.root}/sub`), ["a.ts"])
    })
  )

  it.scopedLive("leave out what no tool may read, links, and files that go meanwhile (U12, S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      write(here, "a.ts", "b.ts", ".aws/credentials", "keys/.ssh/id_ed25519")
      fs.symlinkSync("a.ts", `${here.root}/link.ts`)
      commit(here)
      const files = yield* Effect.provide(projectFiles, here.layer())
      assert.deepStrictEqual(shown(files), ["a.ts", "b.ts"])
      fs.rmSync(`${here.root}/b.ts`)
      assert.deepStrictEqual(shown(files), ["a.ts"])
      assert.isFalse(files.has("../outside") || files.has("a.ts/b") || files.has("x".repeat(300)))
    })
  )

  it.scopedLive("are listed while nothing runs that the repository or the user configured (S1, S2)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      write(here, "a.ts")
      const script = `${here.base}/evil.sh`
      fs.writeFileSync(script, `#!/bin/sh\ntouch ${here.base}/PWNED\n`, { mode: 0o755 })
      for (const scope of ["--local", "--global"]) {
        here.git("config", scope, "core.fsmonitor", script)
        here.git("config", scope, "core.pager", script)
      }
      fs.mkdirSync(`${here.base}/hooks`)
      fs.copyFileSync(script, `${here.base}/hooks/post-index-change`)
      here.git("config", "core.hooksPath", `${here.base}/hooks`)
      assert.deepStrictEqual(yield* listed(here), ["a.ts"])
      assert.deepStrictEqual(here.pwned(), [])
    })
  )
})
