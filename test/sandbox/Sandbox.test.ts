import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { head } from "../../src/process/Output.ts"
import { Processes } from "../../src/process/Processes.ts"
import { detectOn } from "../../src/sandbox/detect.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type { SandboxPolicy } from "../../src/sandbox/SandboxPolicy.ts"
import { sharing } from "../support/sharing.ts"
import { eventually, isAlive, readyIn, sh, stay, tagged } from "../process/support.ts"

/** A workspace, and a directory beside it that nothing may write. */
const workspace = Effect.acquireRelease(
  Effect.sync(() => {
    const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "test-")))
    const [root, outside] = [path.join(base, "ws"), path.join(base, "outside")]
    for (const folder of [root, outside, path.join(root, ".git"), path.join(root, "src")]) fs.mkdirSync(folder)
    fs.writeFileSync(path.join(root, ".git/config"), "original")
    fs.writeFileSync(path.join(root, "src/key"), "original")
    return { base, root, outside }
  }),
  ({ base }) => Effect.sync(() => fs.rmSync(base, { recursive: true }))
)

const policyOf = (root: string, change: Partial<SandboxPolicy> = {}): SandboxPolicy => ({
  writable: [root],
  protected: [".git/", ".tollgate/", ".npmrc", "src/key"],
  network: false,
  cwd: root,
  ...change
})

/** A server on the loopback of this machine. */
const server = Effect.acquireRelease(
  Effect.async<net.Server>((resume) => {
    const listening = net
      .createServer((socket) => socket.end("reached"))
      .listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
  }),
  (listening) => Effect.async<void>((resume) => void listening.close(() => resume(Effect.void)))
).pipe(Effect.map((listening) => (listening.address() as net.AddressInfo).port))

const run = (script: string, policy: SandboxPolicy, options: Parameters<typeof sh>[1] = {}) =>
  Effect.gen(function* () {
    const [processes, sandbox] = [yield* Processes, yield* Sandbox]
    return yield* processes.run(sandbox.wrap(sh(script, { cwd: policy.cwd, ...options }), policy))
  })

/** Promises of a sandbox hold where there is one; where there is none it has to say so, and why. */
const confined = <A, E, R>(promise: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { describe: status } = yield* Sandbox
    if (status.isolated) return void (yield* promise)
    assert.strictEqual(status.target, "none")
    assert.include(["not-installed", "not-permitted", "unsupported-platform"], status.reason)
    assert.match(status.detail, /^Commands run unconfined/)
  })

sharing(Layer.provideMerge(Sandbox.layerDetect, Processes.layer))("Sandbox.layerDetect", (it) => {
  it.scoped("runs a command as it is, output and exit code included (R13)", () =>
    Effect.gen(function* () {
      const { root } = yield* workspace
      const { exitCode, stdout } = yield* run("pwd; cat; exit 7", policyOf(root), { stdin: { text: "in" } })
      assert.deepStrictEqual([head(stdout), exitCode], [`${root}\nin`, 7])
    })
  )

  it.scoped("lets a command write its directories and nothing else (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root, outside } = yield* workspace
        const { stdout } = yield* run(
          `for f in ${root}/in ${outside}/out /etc/tollgate-test /usr/tollgate-test "$HOME/tollgate-test" /tmp/private; do
             { echo x > "$f"; } 2>/dev/null && echo "$f"; done; true`,
          policyOf(root)
        )
        assert.deepStrictEqual(head(stdout).trim().split("\n"), [`${root}/in`, "/tmp/private"])
        assert.isTrue(fs.existsSync(path.join(root, "in")))
        assert.deepStrictEqual(fs.readdirSync(outside), [])
        assert.isFalse(fs.existsSync("/tmp/private"))
      })
    )
  )

  it.scoped("does not take the directory of a command for a writable one (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root } = yield* workspace
        const { exitCode } = yield* run("echo x > new", policyOf(root, { writable: [] }), { cwd: root })
        assert.notStrictEqual(exitCode, 0)
        assert.isFalse(fs.existsSync(path.join(root, "new")))
      })
    )
  )

  const attacks = [
    ["written", "echo evil > .git/config"],
    ["removed", "rm -rf .git"],
    ["replaced by a rename of itself", "mv .git old && mkdir .git && echo evil > .git/config"],
    ["replaced by a rename of what it is in", "mv src old && mkdir src && echo evil > src/key"],
    ["replaced by a link", "ln -sfn /tmp .git"],
    ["mounted over", "mount -t tmpfs none .git && echo evil > .git/config"],
    ["remounted", "mount -o remount,rw,bind .git && echo evil > .git/config"],
    [
      "reached in a namespace of its own",
      "unshare -Urm sh -c 'umount .git; mount -o remount,rw,bind .git; echo evil > .git/config'"
    ],
    ["created as a directory", "mkdir .tollgate || echo evil > .tollgate/config"],
    ["created as a file", "rm -rf .tollgate; echo evil > .tollgate"],
    ["created where it was absent", "echo evil > .npmrc"]
  ] as const
  for (const [what, attack] of attacks)
    it.scoped(`keeps a protected path from being ${what} (S3)`, () =>
      confined(
        Effect.gen(function* () {
          const { root } = yield* workspace
          yield* run(`{ ${attack}; } 2>/dev/null; true`, policyOf(root))
          assert.strictEqual(fs.readFileSync(path.join(root, ".git/config"), "utf8"), "original")
          assert.strictEqual(fs.readFileSync(path.join(root, "src/key"), "utf8"), "original")
          assert.sameMembers(fs.readdirSync(root), [".git", "src"])
        })
      )
    )

  it.scoped("shares the place of an absent path between commands and clears it after the last (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root } = yield* workspace
        const attack = (gate: string) =>
          run(`touch ${gate}-waits; while [ ! -e ${gate} ]; do sleep 0.01; done; echo evil > .npmrc`, policyOf(root))
        const started = (gate: string) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.fork(attack(gate))
            yield* eventually(() => fs.existsSync(path.join(root, `${gate}-waits`)))
            return Effect.suspend(() => {
              fs.writeFileSync(path.join(root, gate), "")
              return Fiber.join(fiber)
            })
          })
        const first = yield* started("first")
        const second = yield* started("second")
        assert.isTrue(fs.existsSync(path.join(root, ".npmrc")))
        assert.notStrictEqual((yield* first).exitCode, 0)
        assert.notStrictEqual((yield* second).exitCode, 0)
        assert.isFalse(fs.existsSync(path.join(root, ".npmrc")))
        assert.isFalse(fs.existsSync(path.join(root, ".tollgate")))
      })
    )
  )

  it.scoped("hides what the policy hides (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root, outside } = yield* workspace
        fs.mkdirSync(path.join(outside, "inner"))
        const hidden = [path.join(root, "src"), path.join(root, ".git/config"), outside, path.join(outside, "inner")]
        const { stdout } = yield* run(`ls src; cat .git/config; echo end`, policyOf(root, { protected: [], hidden }))
        assert.strictEqual(head(stdout), "end\n")
      })
    )
  )

  it.scoped("has no network, not even this machine's, unless it is configured (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root } = yield* workspace
        const port = yield* server
        const connect = `${JSON.stringify(process.execPath)} -e '
          require("net").connect(${port}, "127.0.0.1").on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))'`
        const closed = yield* run(connect, policyOf(root))
        assert.notInclude(head(closed.stdout), "reached")
        const open = yield* run(connect, policyOf(root, { network: true }))
        assert.include(head(open.stdout), "reached")
      })
    )
  )

  it.scoped("gives no capability and no way to gain one (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root } = yield* workspace
        const { stdout } = yield* run("grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/self/status", policyOf(root))
        assert.deepStrictEqual(
          head(stdout)
            .trim()
            .split("\n")
            .map((line) => Number(line.split(/\s+/)[1])),
          [0, 0, 1]
        )
      })
    )
  )

  it.scoped("leaves no process, whatever a command starts (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root } = yield* workspace
        const { env, living } = yield* tagged
        const script = `env -i setsid -f sleep 604801 >/dev/null 2>&1; setsid -f sleep 604800 >/dev/null 2>&1`
        const { exitCode } = yield* run(script, policyOf(root), { env })
        assert.strictEqual(exitCode, 0)
        assert.deepStrictEqual(living(), [])
        const all = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))
        assert.isFalse(all.some((pid) => isAlive(Number(pid)) && commandLine(pid).includes("604801")))
      })
    )
  )

  it.scoped("limits how many processes a command may have, e.g. a fork bomb (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root } = yield* workspace
        const { stdout } = yield* run("grep -i 'max processes' /proc/self/limits", policyOf(root))
        const [, soft, hard] = /(\d+)\s+(\d+)\s+processes/.exec(head(stdout)) ?? []
        assert.strictEqual(soft, hard)
        assert.isAtLeast(Number(soft), 1024)
        assert.isAtMost(Number(soft), 100_000)
      })
    )
  )

  it.scoped("ends with its command's tree when it is interrupted, and lets it clean up (S3)", () =>
    confined(
      Effect.gen(function* () {
        const { root } = yield* workspace
        const { env, living } = yield* tagged
        const [processes, sandbox] = [yield* Processes, yield* Sandbox]
        const ready = yield* Deferred.make<void>()
        const script = `trap 'echo bye > bye; exit' TERM; trap '' HUP; setsid ${stay} & echo "ready $$"; while :; do sleep 0.01; done`
        const command = sandbox.wrap(sh(script, { env, cwd: root, grace: "20 seconds" }), policyOf(root))
        let seen = ""
        const fiber = yield* Effect.fork(
          processes.run(command, {
            onOutput: ({ text }) => {
              seen += text
              return readyIn(seen).length === 2 ? Deferred.succeed(ready, undefined) : Effect.void
            }
          })
        )
        yield* Deferred.await(ready)
        assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
        assert.deepStrictEqual(living(), [])
        assert.strictEqual(fs.readFileSync(path.join(root, "bye"), "utf8"), "bye\n")
      })
    )
  )
})

const commandLine = (pid: string): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

sharing(Processes.layer)("Sandbox", (it) => {
  it.effect("says that it has nothing for an unknown platform, and what to use instead (R13)", () =>
    Effect.gen(function* () {
      const { target, reason, detail } = yield* detectOn("aix")
      assert.deepStrictEqual([target, reason], ["none", "unsupported-platform"])
      assert.match(detail, /unconfined.*aix.*container/)
    })
  )

  it.effect("shows what is missing where a platform's sandbox is not installed (R13)", () =>
    Effect.gen(function* () {
      const { target, reason, detail } = yield* detectOn(process.platform === "darwin" ? "linux" : "darwin")
      assert.deepStrictEqual([target, reason], ["none", "not-installed"])
      assert.match(detail, /is not installed/)
    })
  )

  it.effect("says what the sandbox of a platform said when it would not start (R13)", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const refusing = Layer.succeed(Processes, {
        ...processes,
        run: () => processes.run(sh("echo 'No permissions to create new namespace' >&2; exit 1"))
      })
      const { target, reason, detail } = yield* Effect.provide(detectOn("linux"), refusing)
      assert.deepStrictEqual([target, reason], ["none", "not-permitted"])
      assert.match(detail, /No permissions to create new namespace/)
    })
  )

  describe("without isolation", () => {
    it.effect("hands commands on unchanged, and says that they are unconfined (R13)", () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const command = sh("true")
        assert.strictEqual(sandbox.wrap(command, policyOf("/tmp")), command)
        assert.deepInclude(sandbox.describe, { target: "none", isolated: false, reason: "configured" })
      }).pipe(Effect.provide(Sandbox.layerNone))
    )

    it.effect("says that another machine is out of the policy's reach (R13)", () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        assert.deepInclude(sandbox.describe, { target: "ssh", isolated: false })
        assert.include(sandbox.wrap(sh("true"), policyOf("/tmp")).args, "example.org")
      }).pipe(Effect.provide(Sandbox.layerSsh({ host: "example.org" })))
    )
  })

  it.scoped("removes the container of a command that was cut short (R13)", () =>
    Effect.gen(function* () {
      const { root } = yield* workspace
      const seen: Array<string> = []
      const recording = Layer.succeed(Processes, {
        spawn: () => Effect.die("not used"),
        run: (command) =>
          Effect.sync(() => void seen.push(command.args.join(" "))).pipe(Effect.zipRight(Effect.die("no engine here")))
      })
      const wrapped = yield* Effect.provide(
        Effect.map(Sandbox, (sandbox) => sandbox.wrap(sh("true"), policyOf(root))),
        Layer.provide(Sandbox.layerContainer({ engine: "docker", image: "alpine" }), recording)
      )
      const name = wrapped.args[wrapped.args.indexOf("--name") + 1]
      yield* Effect.exit(Effect.scoped(wrapped.held ?? Effect.void))
      assert.deepStrictEqual(seen, [`rm --force ${name}`])
      assert.sameMembers(fs.readdirSync(root), [".git", "src"])
    })
  )
})
