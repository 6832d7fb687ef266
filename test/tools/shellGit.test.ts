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
  "git diff",
  "git diff HEAD -- a.txt",
  "git log --oneline -n 3",
  "git log -p",
  "git show HEAD",
  "git show HEAD:a.txt",
  "git blame a.txt",
  "git branch -a",
  "git branch --list 'm*'",
  "git branch --merged HEAD",
  "git tag -l 'v*'",
  "git cherry -v HEAD HEAD",
  "git log -g --oneline",
  "git grep -n two",
  "git ls-files | head",
  "git stash list",
  "cd src && git log --oneline x.ts",
  "git -C src log -p -1 -- x.ts",
  "git -C src status",
  "git diff --cached",
  "git diff HEAD a.txt",
  "git show HEAD -- src",
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
      assert.isFalse(yield* asks("git diff"))
      here.write(".env", "TOKEN=y\n")
      assert.isTrue(yield* asks("git diff"))
      assert.isTrue(yield* asks("git diff -- ':!a.txt'"))
      assert.isFalse(yield* asks("git diff a.txt"))
      assert.isFalse(yield* asks("git grep TOKEN a.txt"))
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

  it.scopedLive("asks where it would show what past commits hold of protected files (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const { root } = here
      const asked = (command: string) =>
        Effect.map(
          Effect.provide(
            call("run_shell", { command }, () => "deny"),
            here.layer()
          ),
          (called) => (called.asked.length > 0 ? "asks" : called.text.includes("TOKEN") ? "shows" : "runs")
        )
      git(root, "init", "-q", "-b", "main")
      here.write(".env", "TOKEN=x\n")
      here.write("a.txt", "one\n")
      git(root, "add", "-f", ".")
      git(root, "commit", "-qm", "first")
      git(root, "tag", "-a", "v1", "-m", "first")
      git(root, "branch", "docs")
      git(root, "rm", "-q", "--cached", ".env")
      here.write("a.txt", "two\n")
      git(root, "add", "a.txt")
      for (const command of ["git diff --cached", "git diff HEAD", "git diff --staged -U5", "git diff v1 --"])
        assert.strictEqual(yield* asked(command), "asks", command)
      git(root, "commit", "-qm", "second")
      here.write("a.txt", "three\n")
      git(root, "commit", "-qam", "third")
      here.write("docs/b.txt", "b\n")
      const blob = git(root, "rev-parse", "v1:.env").toString().trim()
      git(root, "tag", "-a", "v2", "-m", "blob", blob)
      const [, first = ""] = git(root, "rev-parse", "HEAD", "docs").toString().split("\n")
      for (const command of [
        "git show HEAD~1",
        "git show v1",
        `git show ${blob}`,
        `git show --stat ${blob}`,
        `git diff ${blob} HEAD:a.txt`,
        "git show HEAD~2:.env",
        "git show 'HEAD^{/a:b}:.env'",
        "git show 'docs@{12:00}'",
        `git show HEAD:a-g${first.slice(0, 7)}`,
        "git diff docs --",
        "git log -wU3",
        "git show HEAD~2^{tree}",
        "git log -p",
        "git log --all --patch --author=n",
        "git log -1 -p HEAD~1",
        "git diff HEAD~2",
        "git diff v1..HEAD",
        "git grep TOKEN HEAD~2",
        "git grep -e TOKEN v1",
        "git for-each-ref --format='%(raw)' refs/tags",
        "git for-each-ref --format='%(*raw)' refs/tags",
        "git blame v1 -- .env",
        "git log -S TOKEN",
        "git log --oneline -STOKEN=x",
        "git log -1 --oneline -S TOKEN=x",
        "git log --oneline -G '^TOKEN=[a-m]' --max-count 1",
        "git log -i -S token",
        "git log --oneline -S x HEAD~2..HEAD~1",
        "git rev-list --count -S TOKEN HEAD",
        "cd . && git log -p",
        "git -C . show HEAD~1"
      ])
        assert.strictEqual(yield* asked(command), "asks", command)
      for (const command of [
        "git show",
        "git show HEAD --stat",
        "git show HEAD~1 -- a.txt",
        "git log -p -1",
        "git log -p -- a.txt",
        "git diff HEAD~1",
        "git diff",
        "git diff a.txt",
        "git show HEAD~2:a.txt",
        "git show 'HEAD@{0}:a.txt'",
        "git -C docs show HEAD:../a.txt",
        "git blame a.txt",
        "git blame v1 -- a.txt",
        "git grep -n TOKEN a.txt",
        "git log --oneline -S two -- a.txt",
        "git log --oneline -G two HEAD~1..HEAD",
        "git log --grep=first"
      ])
        assert.strictEqual(yield* asked(command), "runs", command)
    })
  )
})
