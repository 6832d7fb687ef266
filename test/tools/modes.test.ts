import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { calledBy, world, type World } from "./support.ts"

/** What tools have around them in a directory, which all calls there share. */
const around = (here: World) => Effect.map(Layer.build(here.layer()), Layer.succeedContext)

/** Whether a call has run, or why it has not. */
const called = (
  here: World,
  services: Effect.Effect.Success<ReturnType<typeof around>>,
  policy: ApprovalPolicy,
  name: string,
  rawParams: unknown
) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.make(Builtin.tools, { middleware: DefaultStack.make({}) })
    const result = yield* Effect.either(toolset.call(calledBy(name, rawParams)))
    return Either.isRight(result) ? "ran" : result.left._tag
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Approvals.layer({ policy, attended: false, root: here.root, home: here.home }), services)
    )
  )

const modes = ApprovalPolicy.literals.filter((mode) => mode !== "allow")

/** Some of the protected places, as their programs write them. */
const named = [
  ".envrc",
  ".husky/pre-commit",
  ".github/workflows/x.yml",
  "AGENTS.md",
  "sub/CLAUDE.md",
  ".npmrc",
  ".vscode/tasks.json",
  ".git/hooks/pre-commit",
  ".env",
  "deploy.pem",
  "x.code-workspace",
  ".pdbrc",
  ".venv/lib/evil.pth",
  ".helix/config.toml",
  ".run/Start.run.xml",
  "node_modules/.bin/tsc",
  "venv/bin/python",
  "gradlew"
]

const removal = (file: string) => `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch`
const addition = (file: string) => `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch`

/** What each tool of ours that changes files can do to one. */
const changing = (file: string) =>
  [
    ["write_file", { path: file, content: "x" }],
    ["edit_file", { path: file, old_text: "before", new_text: "x" }],
    ["apply_patch", { patch: removal(file) }],
    ["run_shell", { command: `echo x > '${file}'` }],
    ["run_shell", { command: `rm '${file}'` }]
  ] as const

const everyFile = (root: string): ReadonlyArray<string> =>
  fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => fs.statSync(path.join(root, name)).isFile())
    .map((name) => `${name}: ${fs.readFileSync(path.join(root, name), "utf8")}`)
    .toSorted()

describe("a mode", () => {
  it.scoped("leaves protected files as they are, whatever tool is asked to change them (U13)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const services = yield* around(here)
      for (const file of named) here.write(file, "before")
      const before = everyFile(here.root)
      for (const mode of modes) {
        for (const file of named) {
          for (const [tool, params] of changing(file)) {
            assert.notStrictEqual(yield* called(here, services, mode, tool, params), "ran", `${mode} ${tool} ${file}`)
          }
        }
        for (const file of named.map((name) => `new/${name}`)) {
          assert.notStrictEqual(
            yield* called(here, services, mode, "apply_patch", { patch: addition(file) }),
            "ran",
            file
          )
        }
      }
      assert.deepStrictEqual(everyFile(here.root), before)
    })
  )

  it.scoped("reads nothing protected or outside unasked, by any tool (U13)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const services = yield* around(here)
      const secrets = ["id_rsa", ".env", "keys/server.pem", ".npmrc"]
      for (const file of secrets) here.write(file, "secret")
      fs.mkdirSync(`${here.home}/.ssh`, { recursive: true })
      fs.writeFileSync(`${here.home}/.ssh/id_rsa`, "secret")
      fs.symlinkSync(`${here.home}/.ssh/id_rsa`, `${here.root}/innocent`)
      fs.linkSync(`${here.root}/.env`, `${here.root}/twin`)
      const places = [
        ...secrets,
        "/etc/passwd",
        `${here.home}/.ssh/id_rsa`,
        "innocent",
        "twin",
        "../outside",
        "/proc/self/environ"
      ]
      for (const mode of modes) {
        for (const file of places) {
          for (const [tool, params] of [
            ["read_file", { path: file }],
            ["grep", { pattern: ".", path: file }],
            ["edit_file", { path: file, old_text: "none", new_text: "none" }],
            ["apply_patch", { patch: removal(file) }],
            ["run_shell", { command: `cat '${file}'` }],
            ["run_shell", { command: `grep -rh . && cat '${file}'` }]
          ] as const) {
            assert.notStrictEqual(yield* called(here, services, mode, tool, params), "ran", `${mode} ${tool} ${file}`)
          }
        }
        for (const [tool, params] of [
          ["list_dir", { path: here.home }],
          ["glob", { pattern: `${here.home}/**` }],
          ["fetch_url", { url: "http://169.254.169.254/latest" }],
          ["fetch_url", { url: "https://example.com/" }],
          ["remember", { text: "x", scope: "project" }]
        ] as const) {
          assert.notStrictEqual(yield* called(here, services, mode, tool, params), "ran", `${mode} ${tool}`)
        }
      }
    })
  )

  it.scoped("covers what lies plainly inside the workspace, as it says (U13)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const services = yield* around(here)
      here.write("src/a.ts", "before")
      assert.strictEqual(
        yield* called(here, services, "edits", "write_file", { path: "src/b.ts", content: "x" }),
        "ran"
      )
      const edit = { path: "src/a.ts", old_text: "before", new_text: "after" }
      assert.strictEqual(yield* called(here, services, "edits", "edit_file", edit), "ran")
      assert.strictEqual(yield* called(here, services, "edits", "apply_patch", { patch: removal("src/a.ts") }), "ran")
      assert.strictEqual(yield* called(here, services, "allow-read-only", "read_file", { path: "src/b.ts" }), "ran")
      assert.notStrictEqual(
        yield* called(here, services, "allow-read-only", "write_file", { path: "src/b.ts", content: "y" }),
        "ran"
      )
      assert.strictEqual(
        yield* called(here, services, "allow", "write_file", { path: "AGENTS.md", content: "x" }),
        "ran"
      )
    })
  )
})
