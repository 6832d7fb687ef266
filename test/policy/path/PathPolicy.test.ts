import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import * as fs from "node:fs"
import type { PathContext } from "../../../src/policy/path/PathContext.ts"
import type { PathOp } from "../../../src/policy/path/PathOp.ts"
import { isRememberable, judge, judgeLexical } from "../../../src/policy/path/PathPolicy.ts"
import { isWithin, normalise } from "../../../src/policy/path/PathText.ts"
import { resolve } from "../../../src/policy/path/PhysicalPath.ts"
import type { Decision } from "../../../src/policy/Verdict.ts"
import { Scratch } from "./scratch.ts"

const context: PathContext = {
  cwd: "/w",
  roots: ["/w", "/data"],
  home: "/home/u",
  trusted: true,
  stateDirs: ["/w/.tollgate", "/home/u/.local/state/tollgate"]
}

const atHome: PathContext = { ...context, cwd: "/home/u", roots: ["/home/u"] }

const table = (where: PathContext, rows: ReadonlyArray<readonly [op: PathOp, expected: Decision, paths: string]>) => {
  for (const [op, expected, paths] of rows) {
    for (const path of paths.split(" ")) {
      const verdict = judgeLexical(path, op, where)
      assert.strictEqual(verdict.decision, expected, `${op} ${path} (${verdict.rule})`)
    }
  }
}

describe("PathPolicy", () => {
  it("judges ordinary files by the boundary alone (S2)", () => {
    table(context, [
      ["read", "allow", "README.md /w/src/x.ts /data/d.csv src/foo~ a:b src/$id.ts [slug].tsx package.json .gitignore"],
      ["write", "allow", "src/new.ts /data/new.csv .github/ISSUE_TEMPLATE/bug.md src/proc/x .prettierrc ./~literal"],
      ["read", "ask", "/etc/hosts /w-evil/x /tmp/x ../out /home/u/notes.txt"],
      ["write", "deny", "/etc/hosts /w-evil/x /tmp/x ../out /home/u/notes.txt /w /w/ src/ src/. src/.."],
      ["list", "allow", ". /w src/ /data"],
      ["list", "ask", "/ .. /home/u"],
      ["glob", "allow", "**/*.ts src/{a,b}/*.ts /data/*.csv *"],
      ["glob", "ask", "/etc/* /home/u/**"],
      ["glob", "deny", "../* src/../../* {..,src}/* {a/..,b}/x src/{x,../..}/y /home/u/.ssh/*"]
    ])
  })

  it("lets what is kept for the model be read and never changed, wherever it is (T10, S2)", () => {
    const state = "/home/u/.local/state/tollgate"
    table({ ...context, readable: [`${state}/results`, "/tmp/kept"] }, [
      ["read", "allow", `${state}/results/a.txt /tmp/kept/b.txt`],
      ["read", "ask", "/tmp/kept-too/b.txt"],
      ["read", "deny", `${state}/tollgate.db ${state}/results/../tollgate.db`],
      ["write", "deny", `${state}/results/a.txt /tmp/kept/b.txt /tmp/kept`]
    ])
  })

  it("never opens keys and credentials, even inside a root (S2)", () => {
    table(atHome, [
      [
        "read",
        "deny",
        ".ssh/id_ed25519 .ssh .SSH/id_rsa .aws/credentials .gnupg/x .netrc .npmrc .config/gcloud/x .kube/config"
      ],
      ["write", "deny", ".ssh/authorized_keys .aws/config .config/gh/hosts.yml .docker/config.json"],
      ["list", "deny", ".ssh .aws/"],
      ["read", "deny", "/home/other/.ssh/id_rsa /etc/shadow /private/etc/master.passwd"]
    ])
  })

  it("never writes what runs at the next login (S2)", () => {
    table(atHome, [
      [
        "write",
        "deny",
        ".bashrc .BASHRC .zshenv .profile .config/fish/config.fish .config/systemd/user/x bin/ls .local/bin/git"
      ],
      [
        "write",
        "deny",
        ".gitconfig .config/git/config .vimrc Library/LaunchAgents/x.plist .config/autostart/x.desktop"
      ],
      ["read", "allow", ".bashrc .gitconfig"],
      ["write", "allow", "notes.txt project/src/x.ts"]
    ])
    table({ ...context, cwd: "/home/u/.config/nvim", roots: ["/home/u/.config/nvim"] }, [["write", "ask", "init.lua"]])
  })

  it("leaves git's own files and ours to git and to us, under any spelling (S2)", () => {
    table(context, [
      [
        "write",
        "deny",
        ".git .git/config .GIT/config .Git/hooks/x sub/.git/x .git./x git~1/config GIT~1/x .git::$DATA/x .ｇit/x"
      ],
      ["write", "deny", ".tollgate .tollgate/x .TOLLGATE/x sub/.tollgate/x /home/u/.local/state/tollgate/db"],
      ["remove", "deny", ".git .git/index .tollgate/config.json"],
      ["read", "allow", ".git/config"],
      ["read", "ask", "sub/.tollgate/config.json"],
      ["read", "deny", ".tollgate/config.json /home/u/.local/state/tollgate/db"],
      ["write", "ask", "mirror.git/hooks/post-receive .gitmodules .gitattributes"]
    ])
    const bare = { ...context, gitDirs: ["/w/store"] }
    table(bare, [
      ["write", "deny", "store/config store/hooks/x"],
      ["write", "allow", "stored/config"]
    ])
  })

  it("asks each time for secrets and for what runs later (S2)", () => {
    const paths =
      ".env .env.local sub/.env.production server.pem certs/x.key .npmrc .vscode/tasks.json .VSCODE/settings.json " +
      ".idea/x .github/workflows/ci.yml .husky/pre-commit .envrc .mcp.json .devcontainer/devcontainer.json AGENTS.md .claude/x " +
      ".claude-plugin/plugin.json hooks/hooks.json mcp.json gemini-extension.json netlify.toml vercel.json"
    table(context, [
      ["write", "ask", paths],
      ["read", "ask", ".env .env.local .npmrc id_rsa krb5cc_1000 server.pem secrets.yaml"],
      ["read", "allow", ".env.example .env.sample .env.local.template .vscode/tasks.json id_rsa.pub key.ts"]
    ])
    for (const path of paths.split(" ")) assert.isFalse(isRememberable(judgeLexical(path, "write", context)), path)
    assert.isTrue(isRememberable(judgeLexical("src/x.ts", "write", context)))
    assert.isTrue(isRememberable(judgeLexical("/etc/hosts", "read", context)))
    const inside = { ...context, cwd: "/home/u/.claude/tree", roots: ["/home/u/.claude/tree"], home: "/home/v" }
    table(inside, [["write", "allow", "src/x.ts"]])
  })

  it("refuses texts that are not plainly a path (S2)", () => {
    const texts = [
      "",
      " ",
      "a\0b",
      "a\nb",
      "a\rb",
      "a\u001b[2Kb",
      "a\u202eb",
      "a\u200bb",
      "a\ufeffb",
      "a\u2028b",
      "a\ud800b"
    ]
    const more = ["~", "~/x", "~root/x", "$HOME/x", "${HOME}/x", "%USERPROFILE%/x", "file:///w/x", "http://h/x"]
    const foreign = [
      "C:\\x",
      "c:/x",
      "\\\\server\\share\\x",
      "a".repeat(256),
      `${"a/".repeat(2000)}x`,
      "a/".repeat(257)
    ]
    for (const text of [...texts, ...more, ...foreign]) {
      for (const op of ["read", "write", "list"] as const) {
        assert.strictEqual(
          judgeLexical(text, op, context).decision,
          "deny",
          `${op} ${JSON.stringify(text).slice(0, 60)}`
        )
      }
    }
    const windows = { ...context, platform: "win32" } as const
    for (const text of ["src/NUL", "src/con.txt", "COM1", "x:stream", "src\\x", "x.", "a/b /c"]) {
      assert.strictEqual(judgeLexical(text, "read", windows).decision, "deny", text)
    }
    assert.strictEqual(judgeLexical("src/aux.ts", "write", context).decision, "allow")
  })

  it("keeps out of the kernel's files, but knows the null device (S2)", () => {
    table(context, [
      ["read", "deny", "/proc/self/environ /proc /sys/kernel /dev/sda /dev/fd/0 /dev/stdin /proc/../proc/1/cwd"],
      ["write", "deny", "/proc/self/fd/1 /dev/tty"],
      ["read", "allow", "/dev/null"],
      ["write", "allow", "/dev/null"]
    ])
  })

  it("gives no access without a usable root (S2)", () => {
    for (const roots of [[], [""], ["/"], ["/etc"], ["w"], ["/home"], ["/w/.."]]) {
      for (const op of ["read", "write", "list"] as const) {
        assert.strictEqual(judgeLexical("/w/x", op, { ...context, roots }).decision, "deny", JSON.stringify(roots))
      }
    }
  })

  const name = fc.constantFrom(
    "..",
    ".",
    "",
    "w",
    "w-evil",
    "src",
    "a",
    ".git",
    ".GIT",
    "hooks",
    "home",
    "u",
    ".ssh",
    "data",
    "x.ts",
    "etc",
    "~",
    ".env"
  )
  const path = fc
    .tuple(fc.boolean(), fc.array(name, { maxLength: 8 }))
    .map(([absolute, names]) => `${absolute ? "/" : ""}${names.join("/")}`)

  it.prop("never lets a change out of the roots or into a protected place (S2)", [path], ([text]) => {
    const { decision } = judgeLexical(text, "write", context)
    const place = normalise(text.startsWith("/") ? text : `/w/${text}`)
    const inside = isWithin(place, "/w") || isWithin(place, "/data")
    if (decision !== "deny") {
      assert.isTrue(inside, place)
      assert.notMatch(place, /\/\.git(?:\/|$)|\/\.ssh(?:\/|$)/i)
    }
    if (judgeLexical(text, "read", context).decision === "allow") assert.isTrue(inside, place)
  })

  it.prop("judges a normalised path like the path it came from (S2)", [path], ([text]) => {
    const place = normalise(text.startsWith("/") ? text : `/w/${text}`)
    assert.strictEqual(normalise(place), place)
    assert.isFalse(/\/\.{1,2}(?:\/|$)/.test(place))
    const verdict = judgeLexical(text, "read", context)
    if (verdict.decision !== "deny") assert.deepStrictEqual(judgeLexical(place, "read", context), verdict)
  })

  it.prop(
    "survives any text and is never laxer for a change than for a look (S2)",
    [fc.fullUnicodeString({ maxLength: 60 })],
    ([text]) => {
      const severity = { allow: 0, ask: 1, deny: 2 }
      const [read, write] = [judgeLexical(text, "read", context), judgeLexical(text, "write", context)]
      assert.isAtLeast(severity[write.decision], severity[read.decision])
    }
  )

  it.scopedLive("resolves like the system does (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["symlink", "/w/up", ".."],
        ["symlink", "/w/deep", "src/../src/./"],
        ["symlink", "/w/abs", "/data"],
        ["symlink", "/w/chain", "up/w/deep/x.ts"],
        ["symlink", "/w/dangling", "src/none/../new.ts"]
      ])
      for (const text of [
        "w/up/w/up/out/o.txt",
        "w/chain",
        "w/abs/d.csv",
        "w/deep/../README.md",
        "w/up/up",
        "w//src/./x.ts"
      ]) {
        const given = `${scratch.prefix}/${text}`
        const resolved = resolve(given)
        const exists = fs.existsSync(given)
        assert.strictEqual(Either.isRight(resolved) && resolved.right.kind !== "missing", exists, text)
        if (exists) assert.strictEqual(Either.getOrThrow(resolved).path, fs.realpathSync(given), text)
      }
      assert.strictEqual(Either.getOrThrow(resolve(scratch.at("/w/dangling"))).path, scratch.at("/w/src/new.ts"))
      assert.isTrue(Either.isLeft(resolve(scratch.at("/w/README.md/x"))))
      assert.isTrue(Either.isLeft(resolve(scratch.at("/w/README.md/../x"))))
    })
  )

  it.scopedLive("gives a reason for what is below /dev that is true of it (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      for (const name of ["zero", "urandom", "stdin", "stdout", "fd/0", "shm/x", "tty"]) {
        const { verdict } = yield* Effect.flip(judge(`/dev/${name}`, "read", scratch.context()))
        assert.strictEqual(verdict.rule, "path/kernel", name)
        assert.match(verdict.reason, /below \/dev, where devices, streams and shared memory are/)
        assert.notInclude(verdict.reason, "kernel")
      }
    })
  )

  it.scopedLive("follows a link into the kernel's files nowhere (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["symlink", "/w/self", "/proc/self/root"],
        ["symlink", "/w/fd", "/dev/fd"]
      ])
      for (const text of [`self${scratch.at("/w/README.md")}`, "fd/0", "self"]) {
        const refused = yield* Effect.flip(judge(text, "read", scratch.context()))
        assert.strictEqual(refused.verdict.rule, "path/kernel", text)
      }
    })
  )

  it.scopedLive("refuses another name of a key, and of our own records (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["hardlink", "/w/notes.txt", "/home/u/.ssh/id_ed25519"],
        ["hardlink", "/w/config.txt", "/w/.tollgate/config.json"],
        ["hardlink", "/w/twin.ts", "/w/src/x.ts"]
      ])
      for (const text of ["notes.txt", "config.txt"]) {
        const refused = yield* Effect.flip(judge(text, "read", scratch.context()))
        assert.strictEqual(refused.verdict.rule, "path/hard-link")
      }
      assert.strictEqual((yield* judge("twin.ts", "read", scratch.context())).verdict.decision, "allow")
    })
  )

  it.scopedLive("asks for another name of a secret of the workspace, and reads what package managers link (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["text", "/w/pkg/.env", "SECRET=1"],
        ["text", "/w/node_modules/a/index.js", "1"],
        ["hardlink", "/w/notes.txt", "/w/pkg/.env"],
        ["hardlink", "/w/node_modules/b/index.js", "/w/node_modules/a/index.js"]
      ])
      const verdict = (text: string) => Effect.map(judge(text, "read", scratch.context()), (judged) => judged.verdict)
      const asked = yield* verdict("notes.txt")
      assert.deepInclude(asked, { decision: "ask", rule: "path/hard-link" })
      assert.isFalse(isRememberable(asked))
      assert.strictEqual((yield* verdict("node_modules/b/index.js")).decision, "allow")
    })
  )

  it.scopedLive("says what it refused and why (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      const refused = yield* Effect.flip(judge(".git/config", "write", scratch.context()))
      assert.strictEqual(refused.message.split(":", 1)[0], 'Refused to write ".git/config"')
      assert.strictEqual(refused.verdict.rule, "path/repository")
      const judged = yield* judge("src/none/new.ts", "write", scratch.context())
      assert.deepInclude(judged, {
        op: "write",
        path: scratch.at("/w/src/none/new.ts"),
        kind: "missing",
        exists: false
      })
    })
  )
})
