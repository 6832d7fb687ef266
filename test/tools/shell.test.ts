import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fs from "node:fs"
import { eventually, isAlive, readyIn, stay } from "../process/support.ts"
import * as Limits from "../../src/process/Limits.ts"
import { timeouts } from "../../src/tools/shell/ShellSettings.ts"
import { approved, call, meanwhile, printed, world } from "./support.ts"

describe("run_shell", () => {
  it.scopedLive(
    "runs what only reads unasked, asks for the rest by how bad it is and refuses the hard-denied (S3, A16)",
    () =>
      Effect.gen(function* () {
        const here = yield* world
        here.write("a.txt", "one\n")
        const run = (command: string, decision: "approve" | "deny" = "approve") =>
          Effect.provide(
            call("run_shell", { command }, () => decision),
            here.layer()
          )
        const read = yield* run("cat a.txt")
        assert.strictEqual(read.text, "exit code 0\none\n")
        assert.strictEqual(read.asked.length, 0)
        const write = yield* run("echo hi > b.txt")
        assert.strictEqual(write.asked.length, 1)
        assert.include(write.asked[0]?.message, "run `echo hi > b.txt`")
        assert.notInclude(write.asked[0]?.message, "unconfined")
        assert.strictEqual(write.asked[0]?.risk, "medium")
        assert.strictEqual(here.read("b.txt"), "hi\n")
        const worse = yield* run("git reset --hard && touch c.txt", "deny")
        assert.strictEqual(worse.asked[0]?.risk, "high")
        assert.deepStrictEqual(worse.asked[0]?.severity, {
          level: "destructive",
          because: [{ command: "git reset --hard", reason: "Discards uncommitted changes and moves the branch" }]
        })
        const denied = yield* run("touch c.txt", "deny")
        assert.strictEqual(denied.error, "ApprovalDenied")
        assert.isFalse(here.has("c.txt"))
        const never = yield* run("rm -rf /")
        assert.strictEqual(never.error, "CommandRefused")
        assert.strictEqual(never.asked.length, 0)
        const key = yield* run("cat ~/.ssh/id_rsa")
        assert.notStrictEqual(key.text.slice(0, 9), "exit code")
      })
  )

  it.scopedLive("asks for everything where commands that only read are not to run unasked (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const asked = yield* Effect.provide(
        call("run_shell", { command: "pwd" }),
        here.layer({ shell: { autoApproveReadOnly: false } })
      )
      assert.strictEqual(asked.asked.length, 1)
      assert.strictEqual(asked.text, `exit code 0\n${here.root}\n`)
    })
  )

  it.scopedLive("reports exit codes and signals as results (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const run = (command: string) => Effect.provide(call("run_shell", { command }), here.layer())
      assert.strictEqual((yield* run("echo no >&2; exit 3")).text, "exit code 3\nno\n")
      assert.strictEqual((yield* run("kill -KILL $$")).text, "ended by SIGKILL\n[no output]")
    })
  )

  it.scopedLive("streams both channels while it runs, and no character is split (S3, T17)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const seen = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        Effect.provide(
          call(
            "run_shell",
            {
              command: `printf '\\xf0\\x9f'; sleep 0.05; printf '\\x90\\x99 é\\n'; echo err >&2; until [ -e go ]; do sleep 0.01; done`
            },
            approved,
            (event) =>
              event._tag === "ToolOutput" && event.channel === "stderr"
                ? Deferred.succeed(seen, undefined)
                : Effect.void
          ),
          here.layer()
        )
      )
      yield* Deferred.await(seen)
      here.write("go", "")
      const called = yield* Fiber.join(fiber)
      assert.strictEqual(printed(called.events, "stdout"), "🐙 é\n")
      assert.strictEqual(printed(called.events, "stderr"), "err\n")
      assert.include(called.text, "🐙 é")
    })
  )

  it.scopedLive("keeps the beginning and the end of long output and holds a fast command back (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      let taken = 0
      const called = yield* Effect.provide(
        call("run_shell", { command: "seq 1 300000" }, approved, (event) =>
          event._tag === "ToolOutput" ? Effect.sync(() => void (taken += event.text.length)) : Effect.void
        ),
        here.layer({ shell: { outputLimit: 2000 } })
      )
      assert.isBelow(called.text.length, 2200)
      assert.match(called.text, /^exit code 0\n1\n2\n/)
      assert.match(called.text, /bytes \(\d+ lines\) left out/)
      assert.isTrue(called.text.endsWith("300000\n"))
      assert.strictEqual(taken, 1_988_895)
    })
  )

  it.scopedLive("takes secrets out of what is streamed and of the result (S5)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
      const called = yield* Effect.provide(
        call("run_shell", { command: `printf '${token.slice(0, 10)}'; sleep 0.05; echo '${token.slice(10)}'` }),
        here.layer()
      )
      assert.notInclude(called.text, token.slice(0, 20))
      assert.notInclude(printed(called.events, "stdout"), token.slice(4, 20))
    })
  )

  it.scopedLive("has no terminal, no input and only a filtered environment (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const called = yield* Effect.provide(
        call("run_shell", {
          command: `[ -t 0 ] || [ -t 1 ] || echo none; wc -c < /dev/stdin; env | grep -c '^npm_\\|^VITEST' ; (: > /dev/tty) 2>&1 | grep -c tty`
        }),
        here.layer()
      )
      assert.strictEqual(called.text, "exit code 0\nnone\n0\n0\n1\n")
    })
  )

  it.scopedLive("ends a command at its limit with all that it started, and gives what it had printed (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const called = yield* Effect.provide(
        call("run_shell", { command: `${stay} & echo begun; wait`, timeout: 1 }),
        here.layer()
      )
      assert.match(called.text, /^timed out after 1 s; its processes were ended\n/)
      assert.include(called.text, "begun")
      for (const pid of readyIn(called.text)) assert.isFalse(isAlive(pid))
      assert.strictEqual(readyIn(called.text).length, 1)
    })
  )

  it.scopedLive("cancelling ends the command and its children, also those that ignore SIGTERM (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      let output = ""
      const ready = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        Effect.provide(
          call("run_shell", { command: `trap '' TERM; ${stay} & setsid ${stay} & wait` }, approved, (event) => {
            if (event._tag === "ToolOutput") output += event.text
            return readyIn(output).length === 2 ? Deferred.succeed(ready, undefined) : Effect.void
          }),
          here.layer()
        )
      )
      yield* Deferred.await(ready)
      yield* Fiber.interrupt(fiber)
      for (const pid of readyIn(output)) assert.isFalse(isAlive(pid))
    })
  )

  it.scopedLive("ends what a command leaves in the background and says so (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const called = yield* Effect.provide(
        call("run_shell", { command: `(${stay} > pid.txt) & until [ -s pid.txt ]; do sleep 0.01; done` }),
        here.layer()
      )
      const [pid = 0] = readyIn(here.read("pid.txt"))
      yield* eventually(() => !isAlive(pid))
      assert.match(called.text, /^exit code 0\n\[no output\]\n\[\d process(es)? left in the background ended/)
    })
  )

  it.scopedLive("runs in a directory inside the roots and nowhere else (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("sub/a", "")
      fs.mkdirSync(`${here.base}/other`)
      fs.symlinkSync(`${here.base}/other`, `${here.root}/door`)
      const run = (cwd: string) => Effect.provide(call("run_shell", { command: "pwd", cwd }), here.layer())
      assert.strictEqual((yield* run("sub")).text, `exit code 0\n${here.root}/sub\n`)
      for (const cwd of ["..", "/", "door", `${here.root}/../other`, "missing", "sub/a"]) {
        const refused = yield* run(cwd)
        assert.strictEqual(refused.error, "BoundaryInvalid", cwd)
        assert.strictEqual(refused.asked.length, 0)
      }
    })
  )

  it.scopedLive("consent to a directory is not consent to where its name leads afterwards (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("one/a", "")
      here.write("two/a", "")
      fs.symlinkSync("one", `${here.root}/link`)
      const called = yield* Effect.provide(
        call(
          "run_shell",
          { command: "rm a", cwd: "link" },
          approved,
          meanwhile(() => {
            fs.unlinkSync(`${here.root}/link`)
            fs.symlinkSync("two", `${here.root}/link`)
          })
        ),
        here.layer()
      )
      assert.strictEqual(called.error, "CommandRefused")
      assert.isTrue(here.has("one/a") && here.has("two/a"))
    })
  )

  it.scopedLive("looks for programs on the user's PATH, and never in the workspace (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      for (const place of [`${here.base}/bin`, `${here.root}/bin`]) {
        fs.mkdirSync(place)
        fs.writeFileSync(`${place}/mine`, `#!/bin/sh\necho ${place === `${here.base}/bin` ? "own" : "planted"}\n`, {
          mode: 0o755
        })
      }
      fs.writeFileSync(`${here.root}/bin/cat`, `#!/bin/sh\ntouch ${here.base}/PWNED-cat\n`, { mode: 0o755 })
      here.write("a.txt", "one\n")
      const environment = {
        ...here.environment,
        PATH: `.:bin::${here.root}/bin:${here.base}/bin:${here.environment["PATH"]}`
      }
      const run = (command: string, more: object = {}) =>
        Effect.provide(call("run_shell", { command }), here.layer({ environment: { ...environment, ...more } }))
      assert.strictEqual((yield* run("mine")).text, "exit code 0\nown\n")
      assert.strictEqual((yield* run("cat a.txt", { LC_ALL: "zh_CN.GBK" })).text, "exit code 0\none\n")
      assert.deepStrictEqual(here.pwned(), [])
    })
  )

  it.scopedLive("ends what runs unasked at its limit of memory, and says so (S3)", () =>
    Effect.gen(function* () {
      const here = yield* world
      here.write("big", "")
      fs.truncateSync(`${here.root}/big`, 8 * 2 ** 30)
      const ended = yield* Effect.provide(
        call("run_shell", { command: "grep -a -c xyzzy big" }),
        here.layer({ shell: { unasked: { ...Limits.unasked, memory: 64 * 2 ** 20 } } })
      )
      assert.strictEqual(ended.asked.length, 0)
      assert.match(ended.text, /^ended at its limit of \d+ MiB of memory|memory exhausted/)
    })
  )

  it.scopedLive("takes the user's timeouts, for silence as well, as the most that a call may ask for (T5)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const run = (params: object, limits: Parameters<typeof timeouts>[0]) =>
        Effect.provide(call("run_shell", params), here.layer({ shell: timeouts(limits) }))
      const second = Duration.seconds(1)
      const slow = yield* run({ command: "echo x; sleep 60; true", timeout: 30 }, { tool: second })
      assert.match(slow.text, /^timed out after 1 s; .*\nx\n/)
      const silent = yield* run({ command: "echo x; sleep 60; true" }, { tool: Duration.infinity, idle: second })
      assert.match(silent.text, /^ended at its limit of 1 s without output.*\nx\n/)
      const free = yield* run({ command: "echo x; sleep 2; true" }, { tool: Duration.infinity })
      assert.strictEqual(free.text, "exit code 0\nx\n")
    })
  )
})
