import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Schema } from "effect"
import { existsSync } from "node:fs"
import type { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as Tool from "../../src/tool/Tool.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { calledBy, lastingWorld, type World, world } from "./support.ts"

const Send = Tool.make("send", {
  description: "Sends a message.",
  parameters: Schema.Struct({}),
  success: Schema.String,
  approval: "never",
  handler: () => Effect.succeed("sent")
})

/** How a call ended, and what was said of it. */
const called = (name: string, rawParams: unknown) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.make([...Builtin.tools, Send], { middleware: DefaultStack.make({}) })
    const result = yield* Effect.either(toolset.call(calledBy(name, rawParams)))
    return Either.match(result, {
      onLeft: (error) => ({ outcome: error._tag as string, text: error.message }),
      onRight: ({ text }) => ({ outcome: "ran", text })
    })
  })

const approvals = (policy: ApprovalPolicy, here: World, rules: Parameters<typeof Approvals.layer>[0]["rules"] = []) =>
  Approvals.layer({ policy, attended: false, root: here.root, home: here.home, rules })

describe("plan mode", () => {
  it.scoped("runs what reads, and tells the model of the mode for all else, whatever a rule allows (U13)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.ts", "before\n")
      const rules = [
        { id: "r1", decision: "allow", level: "user", tool: "write_file" },
        { id: "r2", decision: "allow", level: "user", tool: "run_shell", argv: ["touch"] }
      ] as const
      const run = (name: string, params: unknown) =>
        Effect.provide(called(name, params), Layer.merge(approvals("plan", here, rules), here.layer()))
      for (const [name, params] of [
        ["read_file", { path: "a.ts" }],
        ["grep", { pattern: "before" }],
        ["list_dir", { path: "." }],
        ["run_shell", { command: "cat a.ts | head -1" }]
      ] as const) {
        assert.strictEqual((yield* run(name, params)).outcome, "ran", name)
      }
      for (const [name, params] of [
        ["write_file", { path: "b.ts", content: "x" }],
        ["edit_file", { path: "a.ts", old_text: "before", new_text: "after" }],
        ["run_shell", { command: "touch c.ts" }],
        ["run_shell", { command: "npm test" }],
        ["remember", { text: "x" }],
        ["git_commit", { message: "x" }],
        ["fetch_url", { url: "https://example.com/" }],
        ["send", {}]
      ] as const) {
        const { outcome, text } = yield* run(name, params)
        assert.strictEqual(outcome, "ApprovalDenied", name)
        assert.include(text, "Plan mode is on", name)
      }
      assert.strictEqual(here.read("a.ts"), "before\n")
      assert.isFalse(here.has("b.ts") || here.has("c.ts"))
    })
  )
})

/** With the sandbox of this system. */
const confined = (here: World) =>
  Layer.merge(
    Memory.layerMemory(),
    Builtin.layer({ environment: here.environment, workspace: { root: here.root, home: here.home, trusted: false } })
  )

describe("sandboxed mode", () => {
  it.scopedLive("runs what the sandbox contains, and asks about what leaves it or is protected (U13)", () =>
    Effect.gen(function* () {
      const here = yield* lastingWorld
      here.write("a.txt", "a\n")
      here.write("AGENTS.md", "before\n")
      here.write(".env", "KEY=secret-value-1\n")
      here.write("sub/.envrc", "before\n")
      here.write(
        "evil.mjs",
        "import fs from 'node:fs'; const put = (f) => { try { fs.writeFileSync(f, 'x') } catch { console.log(f, 'kept') } };" +
          "put('AGENTS.md'); put('sub/.envrc'); put('plain.txt'); put('.git/commondir'); put('sub/.env.local'); put('CLAUDE.md');" +
          "fs.mkdirSync('new/.git/hooks', { recursive: true }); put('new/.git/hooks/pre-commit'); try { console.log(fs.readFileSync('.env', 'utf8')) } catch {}"
      )
      const services = Layer.merge(approvals("sandboxed", here), confined(here))
      const { describe: status } = yield* Effect.provide(Sandbox, confined(here))
      const run = (name: string, params: unknown) => Effect.provide(called(name, params), services)
      const shell = (command: string) => run("run_shell", { command })
      if (!status.isolated) return assert.strictEqual((yield* shell("cp a.txt b.txt")).outcome, "ApprovalUnavailable")
      assert.strictEqual((yield* shell("cp a.txt b.txt")).outcome, "ran")
      assert.strictEqual(here.read("b.txt"), "a\n")
      assert.strictEqual((yield* run("write_file", { path: "c.txt", content: "c" })).outcome, "ran")
      const opaque = yield* shell("node evil.mjs")
      assert.strictEqual(opaque.outcome, "ran", opaque.text)
      assert.include(opaque.text, "AGENTS.md kept")
      assert.include(opaque.text, "sub/.envrc kept")
      assert.notInclude(opaque.text, "secret-value-1")
      assert.strictEqual(here.read("plain.txt"), "x")
      assert.include(opaque.text, ".git/commondir kept")
      for (const created of ["sub/.env.local", "new/.git"]) {
        assert.isFalse(here.has(created), created)
        assert.isTrue(here.has(`${created}.unapproved`), created)
        assert.include(opaque.text, `${created}.unapproved`)
      }
      assert.strictEqual(here.read("AGENTS.md"), "before\n")
      for (const command of [
        "rm -rf .",
        "echo x > AGENTS.md",
        "cp a.txt ../outside.txt",
        "cp a.txt .git/hooks/pre-commit",
        "cat .env",
        "$(cat a.txt)",
        "git push"
      ]) {
        assert.notStrictEqual((yield* shell(command)).outcome, "ran", command)
      }
      assert.isFalse(existsSync(`${here.base}/outside.txt`))
      for (const mode of ["ask", "edits", "plan"] as const) {
        const other = Layer.merge(approvals(mode, here), confined(here))
        const { outcome } = yield* Effect.provide(called("run_shell", { command: "cp a.txt d.txt" }), other)
        assert.notStrictEqual(outcome, "ran", mode)
      }
    })
  )

  it.scoped("lets nothing run unasked where there is no sandbox, or one with network, and cannot be set (U13)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("a.txt", "a\n")
      const run = { command: "cp a.txt b.txt" }
      const without = Layer.merge(approvals("sandboxed", here), here.layer())
      assert.strictEqual((yield* Effect.provide(called("run_shell", run), without)).outcome, "ApprovalUnavailable")
      assert.isFalse(here.has("b.txt"))
      const set = Effect.gen(function* () {
        const service = yield* Approvals
        const session = yield* service.session({ session: "s", project: here.root })
        const refused = yield* Effect.flip(session.setPolicy("sandboxed"))
        assert.include(refused.message, "needs a sandbox")
        assert.strictEqual(yield* session.policy, "ask")
        yield* session.setPolicy("plan")
        assert.strictEqual(yield* session.policy, "plan")
      })
      yield* Effect.provide(set, approvals("ask", here))
    })
  )
})
