import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { parse, render } from "../../src/tools/git/Setting.ts"
import { call, world, type World } from "./support.ts"

const repository = Effect.map(world, (here) => {
  here.git("init", "--quiet", "--initial-branch=main")
  here.write("a.txt", "one\n")
  here.git("add", "a.txt")
  here.git("commit", "--quiet", "--message=first")
  return here
})

const git = (here: World, directory: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", directory, ...args], { env: here.environment, stdio: "pipe", encoding: "utf8" })

const run = (here: World, name: Parameters<typeof call>[0], params: object) =>
  Effect.provide(call(name, params), here.layer())

/** A program that leaves a mark. */
const mark = (here: World, name: string): string => `touch ${here.base}/PWNED-${name}; cat`

const another = (here: World): string => {
  const other = `${here.base}/other`
  fs.mkdirSync(other)
  git(here, other, "init", "--quiet", "--initial-branch=main")
  fs.writeFileSync(`${other}/secret.txt`, "the secret of another repository\n")
  git(here, other, "add", "secret.txt")
  git(here, other, "commit", "--quiet", "--message=other")
  return other
}

describe("git tools in a hostile repository", () => {
  it.scopedLive("run no filter or monitor, wherever the repository hides its settings (S3, R15)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write(".gitattributes", "* filter=evil diff=evil\n")
      here.write(".git/info/attributes", "* filter=evil merge=evil\n")
      here.write(
        ".git/more",
        `[filter "evil"]\n\tclean = "${mark(here, "included")}"\n\trequired = true\n[core]\n\tfsmonitor = "${mark(here, "monitor")}"\n`
      )
      here.write(".git/config.worktree", `[filter "evil"]\n\tclean = "${mark(here, "worktree")}"\n`)
      here.git("config", "include.path", "more")
      here.git("config", "core.repositoryFormatVersion", "1")
      here.git("config", "extensions.worktreeConfig", "true")
      // So many filters that a list of them is longer than anything keeps.
      fs.appendFileSync(
        `${here.root}/.git/config`,
        Array.from({ length: 6000 }, (_, at) => `[filter "f${at}"]\n\tclean = "${mark(here, "many")}"\n`).join("")
      )
      here.write("a.txt", "two\n")
      const called = yield* Effect.forEach(
        ["git_status", "git_diff", "git_status", "git_diff"] as const,
        (name) => run(here, name, {}),
        { concurrency: 4 }
      )
      called.push(yield* run(here, "git_commit", { message: "second", paths: ["."] }))
      assert.deepStrictEqual(
        called.map(({ error, text }) => (error === undefined ? "" : text)),
        ["", "", "", "", ""]
      )
      assert.deepStrictEqual(here.pwned(), [])
      assert.strictEqual(here.git("-c", "core.fsmonitor=false", "show", "HEAD:a.txt"), "two\n")
    })
  )

  it.scopedLive("run nothing in a submodule that asks to be looked into (S3)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const inner = `${here.root}/sub`
      execFileSync("git", ["init", "--quiet", inner], { env: here.environment })
      here.write("sub/x.txt", "x\n")
      git(here, inner, "add", "x.txt")
      git(here, inner, "commit", "--quiet", "--message=inner")
      here.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n')
      here.git("-c", "advice.addEmbeddedRepo=false", "add", ".gitmodules", "sub")
      here.git("commit", "--quiet", "--message=sub")
      git(here, inner, "config", "core.fsmonitor", mark(here, "sub"))
      here.write("sub/x.txt", "y\n")
      here.write("a.txt", "two\n")
      const called = yield* run(here, "git_commit", { message: "second", paths: ["."] })
      assert.strictEqual(called.error, undefined, called.text)
      assert.deepStrictEqual(here.pwned(), [])
      assert.strictEqual(here.git("show", "--name-only", "--format=", "HEAD"), "a.txt\n")
    })
  )

  it.scopedLive("stage what git add does: clean, new, deleted, ignored and turned into directories (S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write("gone.txt", "g\n")
      here.write("turned", "t\n")
      here.write(".gitignore", "*.log\n")
      here.git("add", ".")
      here.git("commit", "--quiet", "--message=more")
      fs.rmSync(`${here.root}/gone.txt`)
      fs.rmSync(`${here.root}/turned`)
      here.write("turned/inside.txt", "i\n")
      here.write("x.log", "l\n")
      here.write("new [1].txt", "n\n")
      const called = yield* run(here, "git_commit", { message: "second", paths: ["."] })
      assert.strictEqual(called.error, undefined, called.text)
      assert.strictEqual(
        here.git("show", "--name-status", "--no-renames", "--format=", "HEAD"),
        "D\tgone.txt\nA\tnew [1].txt\nD\tturned\nA\tturned/inside.txt\n"
      )
      assert.strictEqual(here.git("status", "--short"), "")
      assert.match(here.git("reflog", "--format=%gs", "-1", "main"), /commit: second/)
      assert.strictEqual((yield* run(here, "git_commit", { message: "x", paths: ["nowhere.txt"] })).error, "GitFailed")
    })
  )

  it.scopedLive("keep the user's own filter, and take the identity that the user gave this repository (S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      fs.appendFileSync(`${here.home}/.gitconfig`, '[filter "upper"]\n\tclean = tr a-z A-Z\n')
      here.write(".gitattributes", "*.up filter=upper\n")
      here.write("a.up", "abc\n")
      here.git("config", "user.name", "Grace")
      here.git("config", "filter.upper.clean", mark(here, "clean"))
      const called = yield* run(here, "git_commit", { message: "second", paths: ["."] })
      assert.strictEqual(called.error, undefined, called.text)
      assert.strictEqual(here.git("show", "--format=", "HEAD:a.up"), "ABC\n")
      assert.strictEqual(here.git("log", "-1", "--format=%an").trim(), "Grace")
      assert.deepStrictEqual(here.pwned(), [])
    })
  )

  it.scopedLive("push into a tree of this machine without its hooks or filters (S3)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const other = another(here)
      git(here, other, "checkout", "--quiet", "--orphan", "empty")
      git(here, other, "rm", "--quiet", "-rf", ".")
      git(here, other, "symbolic-ref", "HEAD", "refs/heads/pushed")
      git(here, other, "config", "receive.denyCurrentBranch", "updateInstead")
      git(here, other, "config", "filter.evil.smudge", mark(here, "smudge"))
      git(here, other, "config", "core.fsmonitor", mark(here, "monitor"))
      fs.writeFileSync(`${other}/.git/info/attributes`, "* filter=evil\n")
      const hook = `#!/bin/sh\ntouch ${here.base}/PWNED-push-to-checkout\n`
      fs.writeFileSync(`${other}/.git/hooks/push-to-checkout`, hook, { mode: 0o755 })
      here.git("remote", "add", "origin", other)
      here.git("branch", "pushed")
      yield* run(here, "git_push", { branch: "pushed" })
      assert.deepStrictEqual(here.pwned(), [])
    })
  )

  const leading: ReadonlyArray<readonly [string, (here: World, other: string) => void]> = [
    ["alternates", (here, other) => here.write(".git/objects/info/alternates", `${other}/.git/objects\n`)],
    ["relative alternates", (here) => here.write(".git/objects/info/alternates", "../../../other/.git/objects\n")],
    [
      "a link for its packs",
      (here, other) => {
        fs.rmSync(`${here.root}/.git/objects/pack`, { recursive: true })
        fs.symlinkSync(`${other}/.git/objects/pack`, `${here.root}/.git/objects/pack`)
      }
    ],
    [
      "a link for one object",
      (here, other) => {
        const object = git(here, other, "rev-parse", "HEAD:secret.txt").trim()
        const place = `objects/${object.slice(0, 2)}/${object.slice(2)}`
        fs.mkdirSync(`${here.root}/.git/objects/${object.slice(0, 2)}`, { recursive: true })
        fs.symlinkSync(`${other}/.git/${place}`, `${here.root}/.git/${place}`)
      }
    ],
    [
      "a link for its branches",
      (here, other) => fs.symlinkSync(`${other}/.git/refs/heads`, `${here.root}/.git/refs/heads/other`)
    ],
    [
      "a link for its index",
      (here, other) => {
        fs.rmSync(`${here.root}/.git/index`)
        fs.symlinkSync(`${other}/.git/index`, `${here.root}/.git/index`)
      }
    ],
    [
      "a link for its configuration",
      (here, other) => {
        fs.rmSync(`${here.root}/.git/config`)
        fs.symlinkSync(`${other}/.git/config`, `${here.root}/.git/config`)
      }
    ],
    [
      "a pipe for its index",
      (here) => {
        fs.rmSync(`${here.root}/.git/index`)
        execFileSync("mkfifo", [`${here.root}/.git/index`])
      }
    ]
  ]
  it.scopedLive("read nothing that lies in another repository (S2)", () =>
    Effect.gen(function* () {
      for (const [what, lead] of leading) {
        const here = yield* repository
        lead(here, another(here))
        for (const name of ["git_status", "git_diff", "git_commit"] as const) {
          const params = name === "git_commit" ? { message: "m", paths: ["."] } : {}
          const called = yield* run(here, name, params)
          assert.deepStrictEqual([what, called.error], [what, "GitRefused"])
          assert.notInclude(called.text, "secret of another")
        }
      }
      const here = yield* repository
      const inside = `${here.root}/inside`
      execFileSync("git", ["clone", "--quiet", "--bare", here.root, inside], { env: here.environment })
      here.write(".git/objects/info/alternates", `${inside}/objects\n`)
      assert.strictEqual((yield* run(here, "git_status", {})).error, undefined)
      here.git("config", "core.repositoryFormatVersion", "1")
      here.git("config", "extensions.fromTheFuture", "true")
      assert.include((yield* run(here, "git_status", {})).text, "extensions.fromthefuture")
    })
  )

  const text = fc.string({ unit: "binary", maxLength: 30 }).map((made) => made.replaceAll("\0", ""))
  it.effect.prop(
    "settings are written as git reads them (S1)",
    [text, text],
    ([middle, value]) =>
      Effect.sync(() => {
        const well = (from: string) => from.toWellFormed()
        const settings = [
          { scope: "local", name: `branch.${well(middle).replaceAll("\n", " ")}.remote`, value: well(value) },
          { scope: "local", name: "user.name", value: well(value) }
        ].filter(({ name }) => !name.includes(".."))
        const printed = execFileSync("git", ["config", "--file", "-", "--list", "--null"], {
          input: render(settings),
          encoding: "utf8"
        })
        assert.deepStrictEqual(parse(printed, "local"), settings)
      }),
    { fastCheck: { numRuns: 40 } }
  )
})
