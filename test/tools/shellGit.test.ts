import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { call, world } from "./support.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.com", ...args], { cwd, stdio: "pipe" })

/** A repository that would run a program by every means that its configuration has for a reader. */
const hostile = Effect.gen(function* () {
  const here = yield* world
  const { root } = here
  const touch = (name: string) => `touch ${path.join(root, `PWNED-${name}`)}; cat`
  git(root, "init", "-q", "-b", "main")
  here.write("a.txt", "one\n")
  here.write("src/x.ts", "export const x = 1\n")
  here.write(".gitattributes", "*.txt filter=evil diff=evil\n*.ts diff=other\n")
  git(root, "add", ".")
  git(root, "commit", "-qm", "first")
  here.write("a.txt", "two\n")
  const config: ReadonlyArray<readonly [string, string]> = [
    ["core.fsmonitor", `sh -c '${touch("fsmonitor")}'`],
    ["core.pager", touch("pager")],
    ["core.hooksPath", "hooks"],
    ["diff.external", touch("external")],
    ["diff.evil.textconv", `sh -c '${touch("textconv")}'`],
    ["diff.other.command", touch("command")],
    ["filter.evil.clean", touch("clean")],
    ["filter.evil.smudge", touch("smudge")],
    ["filter.evil.process", touch("process")],
    ["gpg.program", touch("gpg")],
    ["log.showSignature", "true"],
    ["alias.status", `!${touch("alias")}`],
    ["interactive.diffFilter", touch("filter")]
  ]
  for (const [name, value] of config) git(root, "config", name, value)
  fs.mkdirSync(path.join(root, "hooks"))
  fs.writeFileSync(path.join(root, "hooks/post-index-change"), `#!/bin/sh\n${touch("hook")}\n`, { mode: 0o755 })
  return here
})

const reading = [
  "git status",
  "git status -sb",
  "git diff",
  "git diff HEAD --stat",
  "git diff HEAD -- a.txt",
  "git log --oneline -n 3",
  "git log -p",
  "git show HEAD",
  "git show HEAD:a.txt",
  "git blame a.txt",
  "git branch -a",
  "git branch --show-current",
  "git grep -n two",
  "git ls-files | head",
  "git rev-parse HEAD",
  "git stash list",
  "git remote -v",
  "git tag -l",
  "cd src && git log --oneline x.ts",
  "git --no-pager diff | wc -l",
  "git --version"
]

describe("git in the shell", () => {
  it.scopedLive("reads unasked and runs nothing that the repository configures, nor writes to it (S3, A16)", () =>
    Effect.gen(function* () {
      const here = yield* hostile
      const index = () => fs.statSync(path.join(here.root, ".git/index")).mtimeMs
      const before = index()
      for (const command of reading) {
        const { asked, text } = yield* Effect.provide(call("run_shell", { command }), here.layer())
        assert.strictEqual(asked.length, 0, command)
        assert.match(text, /^exit code 0\n/, command)
        assert.deepStrictEqual(
          fs.readdirSync(here.root).filter((name) => name.startsWith("PWNED")),
          [],
          command
        )
      }
      assert.strictEqual(index(), before)
    })
  )

  it.scopedLive("asks where it would show protected files or enter another repository (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const { root } = here
      const asks = (command: string) =>
        Effect.map(
          Effect.provide(
            call("run_shell", { command }, () => "deny"),
            here.layer()
          ),
          ({ asked }) => asked.length > 0
        )
      assert.isTrue(yield* asks("git status"))
      git(root, "init", "-q")
      here.write(".env", "TOKEN=x\n")
      here.write("a.txt", "a\n")
      git(root, "add", "a.txt")
      assert.isFalse(yield* asks("git diff"))
      git(root, "add", "-f", ".env")
      assert.isTrue(yield* asks("git diff"))
      assert.isTrue(yield* asks("git grep TOKEN"))
      assert.isTrue(yield* asks("git show HEAD"))
      assert.isTrue(yield* asks("git show HEAD:.env"))
      assert.isFalse(yield* asks("git diff --stat"))
      assert.isFalse(yield* asks("git status"))
      fs.mkdirSync(path.join(root, "sub"))
      git(path.join(root, "sub"), "init", "-q")
      git(path.join(root, "sub"), "commit", "-q", "--allow-empty", "-m", "x")
      assert.isTrue(yield* asks("cd sub && git status"))
      git(root, "-c", "advice.addEmbeddedRepo=false", "add", "sub")
      assert.isTrue(yield* asks("git status"))
    })
  )
})
