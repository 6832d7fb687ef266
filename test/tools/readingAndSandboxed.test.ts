import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, Schema } from "effect"
import { chmodSync, existsSync, renameSync, statSync, writeFileSync } from "node:fs"
import * as net from "node:net"
import type { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { Approvals } from "../../src/approval/Approvals.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { turn } from "../../src/process/RealClock.ts"
import type { Limits } from "../../src/process/Limits.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as Tool from "../../src/tool/Tool.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { eventually } from "../process/support.ts"
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

const approvals = (
  policy: ApprovalPolicy,
  here: World,
  rules: Parameters<typeof Approvals.layer>[0]["rules"] = [],
  attended = false
) => Approvals.layer({ policy, attended, root: here.root, home: here.home, rules })

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

  it.scoped(
    "asks about nothing but reads outside the workspace, and denies by its name what else would ask (U13)",
    () =>
      Effect.gen(function* () {
        const here = yield* world
        for (const file of [".env", "a.ts", "sub/.env.local"]) here.write(file, "KEY=1\n")
        writeFileSync(`${here.base}/outside.txt`, "outside")
        writeFileSync(`${here.base}/.env`, "outside")
        const rules = [{ id: "r1", decision: "ask", level: "user", tool: "read_file", path: "a.ts" }] as const
        const services = Layer.merge(approvals("plan", here, rules, true), here.layer())
        const program = Effect.gen(function* () {
          const approvals = yield* Approvals
          const outcomeOf = (name: string, params: unknown) =>
            Effect.gen(function* () {
              const fiber = yield* Effect.fork(called(name, params))
              let waiting = (yield* approvals.state()).pending
              while (waiting.length === 0 && (yield* Fiber.poll(fiber))._tag === "None") {
                yield* turn
                waiting = (yield* approvals.state()).pending
              }
              if (waiting.length === 0) return yield* Fiber.join(fiber)
              yield* Fiber.interrupt(fiber)
              return { outcome: "asked", text: "" }
            })
          const reads = [
            [["a.ts", ".env", "sub/.env.local", `${here.base}/.env`, "~/.ssh/config"], "ApprovalDenied"],
            [[`${here.base}/outside.txt`, "../outside.txt"], "asked"]
          ] as const
          for (const [paths, expected] of reads) {
            for (const path of paths) {
              const place = path.replace("~", here.home)
              const calls: ReadonlyArray<readonly [string, unknown]> = [
                ["read_file", { path: place }],
                ...(path === "a.ts" ? [] : ([["run_shell", { command: `cat ${place}` }]] as const))
              ]
              for (const [name, params] of calls) {
                const { outcome, text } = yield* outcomeOf(name, params)
                assert.strictEqual(outcome, expected, `${name} ${place}: ${text}`)
                if (expected === "ApprovalDenied") assert.include(text, "Plan mode is on")
              }
            }
          }
        })
        yield* Effect.provide(program, services)
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
      // What makes a repository asks for it: hooks come with it.
      for (const command of ["git init", "cd sub && git -c a.b=c init", "git clone a.txt b", "git worktree add c"]) {
        assert.notStrictEqual((yield* shell(command)).outcome, "ran", command)
      }
      for (const mode of ["ask", "edits", "plan"] as const) {
        const other = Layer.merge(approvals(mode, here), confined(here))
        const { outcome } = yield* Effect.provide(called("run_shell", { command: "cp a.txt d.txt" }), other)
        assert.notStrictEqual(outcome, "ran", mode)
      }
    })
  )

  it.scopedLive(
    "reaches no socket of the workspace, leaves no set-user-ID file, and tells of protected files that changed (S3)",
    () =>
      Effect.gen(function* () {
        const here = yield* lastingWorld
        here.write("AGENTS.md", "before\n")
        here.write("kept.sh", "x\n")
        chmodSync(`${here.root}/kept.sh`, 0o4755)
        yield* Effect.acquireRelease(
          Effect.async<net.Server>((resume) => {
            const server = net.createServer((socket) => socket.end("reached"))
            server.listen(`${here.root}/talk.sock`, () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
        )
        here.write(
          "evil.mjs",
          "import fs from 'node:fs'; import net from 'node:net'; import { setTimeout } from 'node:timers/promises';" +
            "fs.writeFileSync('own.sh', 'x'); fs.chmodSync('own.sh', 0o6755); fs.mkdirSync('node_modules/a', { recursive: true });" +
            "fs.copyFileSync('own.sh', 'node_modules/a/own.sh'); fs.chmodSync('node_modules/a/own.sh', 0o4755); fs.writeFileSync('ready', '');" +
            "while (!fs.existsSync('go')) await setTimeout(10);" +
            "net.connect('talk.sock').on('data', (said) => console.log(String(said))).on('error', ({ code }) => console.log(code))"
        )
        const services = Layer.merge(approvals("sandboxed", here), confined(here))
        const { describe: status } = yield* Effect.provide(Sandbox, confined(here))
        if (!status.isolated) return
        const running = yield* Effect.fork(Effect.provide(called("run_shell", { command: "node evil.mjs" }), services))
        yield* eventually(() => here.has("ready"))
        here.write("AGENTS.md.new", "after\n")
        renameSync(`${here.root}/AGENTS.md.new`, `${here.root}/AGENTS.md`)
        here.write("go", "")
        const { outcome, text } = yield* Fiber.join(running)
        assert.strictEqual(outcome, "ran", text)
        assert.notInclude(text, "reached")
        assert.include(text, "ECONNREFUSED")
        assert.match(text, /protected files changed while it ran.*AGENTS\.md/)
        for (const file of ["own.sh", "node_modules/a/own.sh"]) {
          assert.strictEqual(statSync(`${here.root}/${file}`).mode & 0o6000, 0, file)
        }
        assert.isTrue(here.has("talk.sock"))
      })
  )

  it.scopedLive("keeps from programs what rules by path deny or ask about, and what they make there (A6, U13)", () =>
    Effect.gen(function* () {
      const here = yield* lastingWorld
      const outside = `${here.base}/outside`
      for (const file of ["secret/plan.txt", "sub/a.pic", "asked/b.txt", `${outside}/c.txt`])
        here.write(file, "classified\n")
      here.write("open.txt", "free\n")
      here.write(
        "s.mjs",
        "import fs from 'node:fs'; const tried = (f) => { try { console.log(f()) } catch (e) { console.log(e.code) } };" +
          `for (const f of ['secret/plan.txt', 'sub/a.pic', 'asked/b.txt', '${outside}/c.txt', 'open.txt']) {` +
          "tried(() => fs.readFileSync(f, 'utf8')); tried(() => fs.appendFileSync(f, 'more')) }" +
          "fs.mkdirSync('later/sub', { recursive: true }); fs.writeFileSync('later/sub/d.pic', 'x'); fs.mkdirSync('coming'); tried(() => fs.renameSync('sub', 'other'))"
      )
      const deny = { decision: "deny", level: "user", tool: "*" } as const
      const rules = [
        { ...deny, id: "r1", path: "secret/**" },
        { ...deny, id: "r2", path: "**/*.pic", tool: "run_shell", risk: "ordinary" },
        { ...deny, id: "r3", path: "asked/*", decision: "ask" },
        { ...deny, id: "r4", path: `${outside}/*.txt` },
        { ...deny, id: "r5", path: "coming" },
        { ...deny, id: "r6", path: "open.txt", tool: "read_file" }
      ] as const
      const { describe: status } = yield* Effect.provide(Sandbox, confined(here))
      if (!status.isolated) return
      const run = (more: Parameters<typeof approvals>[2]) =>
        Effect.provide(
          called("run_shell", { command: "node s.mjs" }),
          Layer.merge(approvals("sandboxed", here, [...rules, ...(more ?? [])]), confined(here))
        )
      const { outcome, text } = yield* run([])
      assert.strictEqual(outcome, "ran", text)
      assert.notInclude(text, "classified")
      assert.include(text, "free")
      for (const file of ["secret/plan.txt", "sub/a.pic", "asked/b.txt", `${outside}/c.txt`])
        assert.strictEqual(here.read(file), "classified\n", file)
      assert.strictEqual(here.read("open.txt"), "free\nmore")
      for (const made of ["later/sub/d.pic", "coming"]) {
        assert.isFalse(here.has(made), made)
        assert.include(text, `${made}.unapproved`)
      }
      const unbounded = yield* run([{ ...deny, id: "r7", path: "/**/x.txt" }])
      assert.include(unbounded.text, "shell/rule-unbounded")
    })
  )

  it.scopedLive(
    "shows programs no keys of the system and of other users, nor moves what hides a secret (S3, U13)",
    () =>
      Effect.gen(function* () {
        const here = yield* lastingWorld
        here.write("sub/.env", "KEY=secret-value-1\n")
        const places = ["/etc/shadow", "/etc/sudoers", "/root/.ssh", "/root/.npmrc", "/var/run/docker.sock"]
        here.write(
          "look.mjs",
          "import fs from 'node:fs';" +
            `for (const f of ${JSON.stringify(places)}) try { console.log(f, (fs.statSync(f).isDirectory() ? fs.readdirSync(f) : fs.readFileSync(f)).length) } catch { console.log(f, 0) };` +
            "try { fs.renameSync('sub', 'other'); console.log('moved') } catch { console.log('stays') }"
        )
        const { describe: status } = yield* Effect.provide(Sandbox, confined(here))
        if (!status.isolated) return
        const { text } = yield* Effect.provide(
          called("run_shell", { command: "node look.mjs" }),
          Layer.merge(approvals("sandboxed", here), confined(here))
        )
        for (const place of places) assert.include(text, `${place} 0\n`)
        assert.include(text, "stays")
        assert.isTrue(here.has("sub/.env"))
      })
  )

  it.scopedLive("holds what it lets run to limits of its own, and ends what goes beyond them (S3, U13)", () =>
    Effect.gen(function* () {
      const here = yield* lastingWorld
      const services = (limits: Limits) =>
        Layer.mergeAll(
          approvals("sandboxed", here),
          Memory.layerMemory(),
          Builtin.layer({
            environment: here.environment,
            workspace: { root: here.root, home: here.home, trusted: false },
            shell: { confined: limits }
          })
        )
      const { describe: status } = yield* Effect.provide(Sandbox, services({}))
      if (!status.isolated) return
      const run = (limits: Limits, text: string) => {
        here.write("run.sh", text)
        return Effect.provide(called("run_shell", { command: "bash run.sh" }), services(limits))
      }
      const loud = yield* run({ output: 1000 }, "yes | head -c 5000")
      assert.match(loud.text, /ended at its limit of \d+ MiB of output/)
      const crowd = yield* run({ processes: 4 }, "for one in 1 2 3 4 5 6; do sleep 300 & done; wait")
      assert.include(crowd.text, "ended at its limit of 4 processes")
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
