import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { approved, call, meanwhile, world, type World } from "./support.ts"

const repository = Effect.map(world, (here) => {
  here.git("init", "--quiet", "--initial-branch=main")
  here.write("a.txt", "one\n")
  here.git("add", "a.txt")
  here.git("commit", "--quiet", "--message=first")
  return here
})

const names = ["git_status", "git_diff", "git_commit", "git_push"] as const

/** Everything that a repository's own configuration can make git run. */
const hostile = (here: World): void => {
  const payload = (name: string) => `touch ${here.base}/PWNED-${name}; cat`
  const script = (name: string): string => {
    const file = `${here.base}/evil-${name}.sh`
    fs.writeFileSync(file, `#!/bin/sh\ntouch ${here.base}/PWNED-${name}\n`, { mode: 0o755 })
    return file
  }
  here.write(".gitattributes", "* filter=evil diff=evil\n*.p filter=two.dots\n")
  const set = (name: string, value: string) => here.git("config", name, value)
  set("core.fsmonitor", script("fsmonitor"))
  set("core.pager", script("pager"))
  set("pager.diff", script("pager-diff"))
  set("pager.status", script("pager-status"))
  set("core.editor", script("editor"))
  set("core.sshCommand", script("ssh"))
  set("core.askPass", script("askpass"))
  set("core.alternateRefsCommand", script("alternates"))
  set("diff.external", script("external"))
  set("diff.evil.command", script("driver"))
  set("diff.evil.textconv", payload("textconv"))
  set("filter.evil.clean", payload("clean"))
  set("filter.evil.smudge", payload("smudge"))
  set("filter.evil.required", "true")
  set("filter.two.dots.process", payload("process"))
  set("gpg.program", script("gpg"))
  set("commit.gpgSign", "true")
  set("push.gpgSign", "if-asked")
  set("credential.helper", `!${script("credential")}`)
  set("gc.auto", "1")
  set("protocol.ext.allow", "always")
  const hooks = `${here.base}/hooks`
  fs.mkdirSync(hooks)
  set("core.hooksPath", hooks)
  for (const directory of [hooks, `${here.root}/.git/hooks`]) {
    for (const hook of [
      "pre-commit",
      "commit-msg",
      "prepare-commit-msg",
      "post-commit",
      "post-index-change",
      "reference-transaction",
      "pre-push",
      "fsmonitor-watchman"
    ]) {
      fs.writeFileSync(`${directory}/${hook}`, `#!/bin/sh\ntouch ${here.base}/PWNED-${hook}\n`, { mode: 0o755 })
    }
  }
}

describe("git tools", () => {
  it.scopedLive("git_status and git_diff tell what changed, unasked (S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const run = (name: (typeof names)[number], params: object) => Effect.provide(call(name, params), here.layer())
      assert.strictEqual((yield* run("git_status", {})).text, "## main\n[no changes]")
      assert.strictEqual((yield* run("git_diff", {})).text, "[no changes]")
      here.write("a.txt", "two\n")
      here.write("b.txt", "new\n")
      here.write("c [x].txt", "new\n")
      here.git("add", "b.txt", "c [x].txt")
      const status = yield* run("git_status", {})
      assert.strictEqual(status.text, '## main\n M a.txt\nA  b.txt\nA  "c [x].txt"')
      assert.strictEqual(status.asked.length, 0)
      assert.strictEqual((yield* run("git_status", { path: "b.txt" })).text, "## main\nA  b.txt")
      const diff = yield* run("git_diff", {})
      assert.include(diff.text, "-one\n+two")
      const staged = yield* run("git_diff", { staged: true, path: "c [x].txt" })
      assert.include(staged.text, "+++ b/c [x].txt")
      assert.notInclude(staged.text, "b.txt\n")
      assert.include((yield* run("git_diff", { base: "HEAD" })).text, "b/b.txt")
      assert.strictEqual((yield* run("git_diff", { base: "--output=x" })).error, "ParametersInvalid")
      assert.strictEqual((yield* run("git_diff", { base: "nowhere" })).error, "GitFailed")
    })
  )

  it.scopedLive("git_diff leaves out files that usually hold secrets (S2)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write(".env", "TOKEN=old\n")
      here.git("add", ".env")
      here.git("commit", "--quiet", "--message=secret")
      here.write(".env", "TOKEN=new\n")
      here.write("a.txt", "two\n")
      const diff = yield* Effect.provide(call("git_diff", {}), here.layer())
      assert.include(diff.text, "+two")
      assert.notInclude(diff.text, "TOKEN")
      assert.include(diff.text, '[not shown, because it may hold secrets or lies outside: ".env"]')
    })
  )

  it.scopedLive("git_commit shows what it commits and commits exactly that (S1, T6)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write("a.txt", "two\n")
      here.write("staged.txt", "s\n")
      here.write("other.txt", "o\n")
      here.git("add", "staged.txt")
      const before = here.git("status", "--short")
      const denied = yield* Effect.provide(
        call("git_commit", { message: "second", paths: ["a.txt"] }, () => "deny"),
        here.layer()
      )
      assert.strictEqual(denied.error, "ApprovalDenied")
      assert.strictEqual(here.git("status", "--short"), before)
      const made = yield* Effect.provide(
        call("git_commit", { message: "second\n\nwith details", paths: ["a.txt"] }),
        here.layer()
      )
      assert.match(made.text, /^committed [0-9a-f]{12} on main: second$/)
      assert.strictEqual(made.asked[0]?.message, "commit 2 files on main: second")
      assert.include(made.asked[0]?.preview?.diff, "-one\n+two")
      assert.include(made.asked[0]?.preview?.diff, "+++ b/staged.txt\n@@ -0,0 +1 @@\n+s")
      assert.strictEqual(here.git("log", "-1", "--format=%an|%B").trim(), "Ada|second\n\nwith details")
      assert.strictEqual(here.git("show", "--name-only", "--format=", "HEAD"), "a.txt\nstaged.txt\n")
      assert.strictEqual(here.git("status", "--short"), "?? other.txt\n")
      const nothing = yield* Effect.provide(call("git_commit", { message: "third" }), here.layer())
      assert.strictEqual(nothing.error, "GitRefused")
      assert.strictEqual(nothing.asked.length, 0)
    })
  )

  it.scopedLive("git_commit makes the first commit, takes deletions and a message that looks like an option (S1)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.git("init", "--quiet", "--initial-branch=main")
      here.write("-a.txt", "one\n")
      const first = yield* Effect.provide(call("git_commit", { message: "--amend", paths: ["."] }), here.layer())
      assert.strictEqual(first.error, undefined, first.text)
      assert.strictEqual(here.git("log", "--format=%s"), "--amend\n")
      fs.unlinkSync(`${here.root}/-a.txt`)
      const second = yield* Effect.provide(call("git_commit", { message: "gone", paths: ["-a.txt"] }), here.layer())
      assert.strictEqual(second.error, undefined, second.text)
      assert.strictEqual(here.git("ls-files"), "")
    })
  )

  it.scopedLive("git_commit commits nothing once files or the branch changed after it was shown (T6)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write("a.txt", "two\n")
      const head = here.git("rev-parse", "HEAD")
      const stale = yield* Effect.provide(
        call(
          "git_commit",
          { message: "second", paths: ["a.txt"] },
          approved,
          meanwhile(() => here.write("a.txt", "three\n"))
        ),
        here.layer()
      )
      assert.strictEqual(stale.error, "GitStale")
      assert.strictEqual(here.git("rev-parse", "HEAD"), head)
      const moved = yield* Effect.provide(
        call(
          "git_commit",
          { message: "second", paths: ["a.txt"] },
          approved,
          meanwhile(() => here.git("commit", "--quiet", "--allow-empty", "--message=other"))
        ),
        here.layer()
      )
      assert.strictEqual(moved.error, "GitStale")
    })
  )

  it.scopedLive("git_push is for people, shows where it goes and sends what was shown (S1, U2)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const bare = `${here.base}/bare`
      execFileSync("git", ["init", "--quiet", "--bare", bare])
      here.git("remote", "add", "origin", bare)
      const denied = yield* Effect.provide(
        call("git_push", {}, () => "deny"),
        here.layer()
      )
      assert.strictEqual(denied.error, "ApprovalDenied")
      const pushed = yield* Effect.provide(call("git_push", {}), here.layer())
      assert.strictEqual(pushed.error, undefined, pushed.text)
      assert.match(pushed.asked[0]?.message ?? "", /^push main \([0-9a-f]{12}, a new branch\) to origin: \/.*\/bare$/)
      assert.strictEqual(
        here.git("ls-remote", "origin", "refs/heads/main").slice(0, 40),
        here.git("rev-parse", "HEAD").trim()
      )
      here.git("commit", "--quiet", "--allow-empty", "--message=second")
      const again = yield* Effect.provide(call("git_push", { branch: "main" }), here.layer())
      assert.include(again.asked[0]?.message, "1 commit)")
      const redirected = yield* Effect.provide(
        call(
          "git_push",
          {},
          approved,
          meanwhile(() => here.git("config", `url.${here.base}/evil.insteadOf`, bare))
        ),
        here.layer()
      )
      assert.strictEqual(redirected.error, "GitStale")
      for (const params of [{ remote: "nowhere" }, { branch: "nowhere" }]) {
        assert.strictEqual((yield* Effect.provide(call("git_push", params), here.layer())).error, "GitRefused")
      }
      for (const url of ["ext::sh -c 'touch PWNED'", "http://example.org/x.git", "-oProxyCommand=x"]) {
        here.git("config", "remote.origin.url", url)
        assert.strictEqual((yield* Effect.provide(call("git_push", {}), here.layer())).error, "GitRefused", url)
      }
      here.git("config", "remote.origin.url", "https://example.org/x.git")
      here.git("config", "http.proxy", "http://127.0.0.1:9")
      const steered = yield* Effect.provide(call("git_push", {}), here.layer())
      assert.include(steered.text, "http.proxy")
    })
  )

  it.scopedLive("nothing that the repository's configuration names is run by any git tool (S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const bare = `${here.base}/bare`
      execFileSync("git", ["init", "--quiet", "--bare", bare])
      for (const hook of ["pre-receive", "update", "post-receive", "reference-transaction"]) {
        fs.writeFileSync(`${bare}/hooks/${hook}`, `#!/bin/sh\ntouch ${here.base}/PWNED-${hook}\n`, { mode: 0o755 })
      }
      here.git("remote", "add", "origin", bare)
      here.git("config", "remote.origin.receivepack", `touch ${here.base}/PWNED-receivepack; git-receive-pack`)
      here.write("b.p", "one\n")
      here.git("add", "b.p")
      hostile(here)
      here.write("a.txt", "two\n")
      here.write("b.p", "two\n")
      here.write("b.txt", "new\n")
      const run = (name: (typeof names)[number], params: object) => Effect.provide(call(name, params), here.layer())
      const called = [
        yield* run("git_status", {}),
        yield* run("git_diff", {}),
        yield* run("git_diff", { staged: true }),
        yield* run("git_diff", { base: "HEAD" }),
        yield* run("git_commit", { message: "second", paths: ["."] }),
        yield* run("git_push", {}),
        yield* run("git_status", {})
      ]
      assert.deepStrictEqual(
        called.map(({ error, text }) => (error === undefined ? "" : text)),
        ["", "", "", "", "", "", ""]
      )
      assert.deepStrictEqual(here.pwned(), [])
      assert.include(called[1]?.text, "-one\n+two")
      assert.include(called[4]?.text, "[the hooks of the repository did not run]")
      assert.strictEqual(execFileSync("git", ["-C", bare, "show", "main:a.txt"], { encoding: "utf8" }), "two\n")
      // The same commands as the user would run them do run the payloads.
      here.write("a.txt", "six\n")
      here.git("status")
      here.git("diff")
      here.git("-c", "commit.gpgSign=false", "commit", "--quiet", "--all", "--message=third")
      assert.includeMembers([...here.pwned()], ["PWNED-fsmonitor", "PWNED-clean", "PWNED-driver", "PWNED-pre-commit"])
    })
  )

  it.scopedLive("a missing object is not fetched through a program of the repository (S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const object = here.git("rev-parse", "HEAD:a.txt").trim()
      fs.rmSync(`${here.root}/.git/objects/${object.slice(0, 2)}/${object.slice(2)}`)
      fs.writeFileSync(`${here.base}/evil.sh`, `#!/bin/sh\ntouch ${here.base}/PWNED-ext\n`, { mode: 0o755 })
      here.git("config", "remote.origin.url", `ext::${here.base}/evil.sh`)
      here.git("config", "remote.origin.promisor", "true")
      here.git("config", "remote.origin.partialclonefilter", "blob:none")
      here.git("config", "extensions.partialClone", "origin")
      here.git("config", "core.repositoryformatversion", "1")
      here.git("config", "protocol.ext.allow", "always")
      here.write("a.txt", "two\n")
      const diff = yield* Effect.provide(call("git_diff", {}), here.layer())
      assert.strictEqual(diff.error, "GitFailed")
      assert.deepStrictEqual(here.pwned(), [])
    })
  )

  it.scopedLive("a hostile submodule runs nothing (S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const inner = `${here.root}/sub`
      execFileSync("git", ["init", "--quiet", inner], { env: here.environment })
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", inner, ...args], { env: here.environment, stdio: "pipe" })
      here.write("sub/x.txt", "x\n")
      git("add", "x.txt")
      git("commit", "--quiet", "--message=inner")
      here.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n')
      here.git("-c", "advice.addEmbeddedRepo=false", "add", ".gitmodules", "sub")
      here.git("commit", "--quiet", "--message=sub")
      fs.writeFileSync(`${here.base}/evil.sh`, `#!/bin/sh\ntouch ${here.base}/PWNED-sub\ncat\n`, { mode: 0o755 })
      git("config", "core.fsmonitor", `${here.base}/evil.sh`)
      git("config", "filter.evil.clean", `${here.base}/evil.sh`)
      here.write("sub/.gitattributes", "* filter=evil\n")
      here.write("sub/x.txt", "changed\n")
      for (const name of ["git_status", "git_diff"] as const) {
        const called = yield* Effect.provide(call(name, {}), here.layer())
        assert.strictEqual(called.error, undefined, called.text)
      }
      assert.deepStrictEqual(here.pwned(), [])
    })
  )

  it.scopedLive("a repository cannot make git look at another tree or another repository (S2)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.write(`${here.base}/other/secret.txt`, "secret\n")
      here.git("config", "core.worktree", `${here.base}/other`)
      const status = yield* Effect.provide(call("git_status", {}), here.layer())
      assert.strictEqual(status.text, "## main\n[no changes]")
      execFileSync("git", ["init", "--quiet", `${here.base}/other`])
      here.write(".git/commondir", `${here.base}/other/.git\n`)
      const shared = yield* Effect.provide(call("git_diff", {}), here.layer())
      assert.include(shared.text, "takes its objects and settings from another repository")
      fs.rmSync(`${here.root}/.git`, { recursive: true })
      here.write(".git", `gitdir: ${here.base}/other/.git\n`)
      const elsewhere = yield* Effect.provide(call("git_diff", {}), here.layer())
      assert.strictEqual(elsewhere.error, "GitRefused")
      fs.rmSync(`${here.root}/.git`)
      fs.symlinkSync(".git", `${here.root}/.git`)
      const loop = yield* Effect.provide(call("git_status", {}), here.layer())
      assert.include(loop.text, ".git cannot be read")
      fs.rmSync(`${here.root}/.git`)
      const none = yield* Effect.provide(call("git_status", {}), here.layer())
      assert.include(none.text, "not in a git repository")
    })
  )

  it.scopedLive("git tools work in a submodule, whose directory names its tree, and in no other tree (S1, S2)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      const from = `${here.base}/from`
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", args, { env: here.environment, stdio: "pipe" })
      git("init", "--quiet", from)
      git("-C", from, "commit", "--quiet", "--allow-empty", "--message=from")
      git("-C", here.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "lib")
      here.write("lib/n.txt", "n\n")
      const inside = yield* Effect.provide(call("git_status", {}), here.layer({}, `${here.root}/lib`))
      assert.include(inside.text, "?? n.txt")
      const other = `${here.base}/tree`
      fs.mkdirSync(other)
      fs.writeFileSync(`${other}/.git`, `gitdir: ${here.root}/.git/modules/lib\n`)
      const outside = yield* Effect.provide(call("git_status", {}), here.layer({}, other))
      assert.include(outside.text, "which is another repository")
    })
  )

  it.scopedLive("git tools work in a linked worktree and in a directory below the top (S1)", () =>
    Effect.gen(function* () {
      const here = yield* repository
      here.git("worktree", "add", "--quiet", `${here.base}/linked`, "-b", "side")
      fs.writeFileSync(`${here.base}/linked/n.txt`, "n\n")
      const committed = yield* Effect.provide(
        call("git_commit", { message: "n", paths: ["n.txt"] }),
        here.layer({}, `${here.base}/linked`)
      )
      assert.match(committed.text, /on side: n$/)
      here.write("sub/x.txt", "x\n")
      here.write("y.txt", "y\n")
      const below = yield* Effect.provide(call("git_status", {}), here.layer({}, `${here.root}/sub`))
      assert.strictEqual(below.text, "## main\n?? ./")
    })
  )
})
