import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Answer from "../../src/process/Answer.ts"
import * as Limits from "../../src/process/Limits.ts"
import { head, whole } from "../../src/process/Output.ts"
import { stdinLimit } from "../../src/process/SpawnFailed.ts"
import { Processes } from "../../src/process/Processes.ts"
import { now, pause } from "../../src/process/RealClock.ts"
import { sharing } from "../support/sharing.ts"
import { env, eventually, isAlive, node, openDescriptors, sh, zombies } from "./support.ts"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const run = (...args: Parameters<Processes["Type"]["run"]>) =>
  Effect.flatMap(Processes, (processes) => processes.run(...args))

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "test-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)])

sharing(Processes.layer)("Processes", (it) => {
  describe("a command that ends by itself", () => {
    it.effect("has its exit code, and each channel apart and in order (S3)", () =>
      Effect.gen(function* () {
        const result = yield* run(sh("echo out; echo err >&2; exit 3"))
        assert.deepInclude(result, { exitCode: 3, signal: null, survivors: 0 })
        assert.strictEqual(head(result.stdout), "out\n")
        assert.strictEqual(head(result.stderr), "err\n")
        assert.strictEqual(head(result.output).length, 8)
      })
    )

    it.effect("has the signal that ended it (S3)", () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* run(sh("kill -KILL $$")), { exitCode: null, signal: "SIGKILL" })
      })
    )

    it.effect("sees no terminal, an empty stdin and its own session (S3)", () =>
      Effect.gen(function* () {
        const { stdout } = yield* run(
          sh("cat; [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none; cut -d' ' -f 1,5,6 /proc/self/stat; echo $$")
        )
        const [tty, ids = "", shell = ""] = head(stdout).split("\n")
        assert.strictEqual(tty, "none")
        assert.deepStrictEqual(ids.split(" ").slice(1), [shell, shell])
        const terminal = yield* run(sh("exec 3</dev/tty"))
        assert.notStrictEqual(terminal.exitCode, 0)
      })
    )

    it.effect("inherits no variable that it was not given (S3)", () =>
      Effect.gen(function* () {
        const { stdout } = yield* run(sh("", { file: "env", args: [], env: { PATH: env["PATH"]!, A: "b" } }))
        const names = head(stdout)
          .trim()
          .split("\n")
          .map((line) => line.split("=")[0])
        assert.sameMembers(names, ["PATH", "A", "TOLLGATE_PROCESS"])
      })
    )

    it.effect("may open its output by name, as scripts do (S3)", () =>
      Effect.gen(function* () {
        const { stdout, stderr, exitCode } = yield* run(sh("echo one > /dev/stdout; echo two > /dev/stderr"))
        assert.deepStrictEqual([head(stdout), head(stderr), exitCode], ["one\n", "two\n", 0])
      })
    )

    it.effect("reads the bytes and text it was given, to their end (S3)", () =>
      Effect.gen(function* () {
        const text = "€".repeat(100_000)
        const digest = yield* run(sh("wc -c", { stdin: { text } }))
        assert.strictEqual(head(digest.stdout).trim(), "300000")
        const bytes = yield* run(sh("cat", { stdin: new Uint8Array([104, 105]) }))
        assert.strictEqual(head(bytes.stdout), "hi")
      })
    )

    it.effect("is not disturbed by a child that never reads its input (S3)", () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* run(sh("exit 0", { stdin: { text: "x".repeat(1_000_000) } })), { exitCode: 0 })
      })
    )
  })

  describe("a command that cannot start", () => {
    const cases = [
      ["a program that does not exist", sh("", { file: "no-such-program" }), "no-program", "ENOENT"],
      ["a directory that does not exist", sh("", { cwd: "/no/such/directory" }), "no-directory", "ENOENT"],
      ["a file that is not executable", sh("", { file: "/etc/passwd" }), "not-permitted", "EACCES"],
      ["arguments beyond the system's limit", sh("", { args: ["x".repeat(4_000_000)] }), "too-large", "E2BIG"],
      ["input beyond the limit", sh("", { stdin: new Uint8Array(stdinLimit + 1) }), "input-too-large", "E2BIG"],
      ["an argument with a zero byte", sh("a\0b"), "refused", "ERR_INVALID_ARG_VALUE"]
    ] as const
    for (const [what, command, reason, code] of cases)
      it.effect(`says what to do about ${what}, and neither arguments nor environment (S5)`, () =>
        Effect.gen(function* () {
          yield* run(sh("true"))
          const before = openDescriptors()
          const secret = { ...command, args: [...command.args, "s3cr3t"], env: { ...env, TOKEN: "s3cr3t" } }
          const error = yield* Effect.flip(run(secret))
          assert.deepInclude(error, { _tag: "SpawnFailed", reason, code })
          assert.notInclude(JSON.stringify(error) + error.message, "s3cr3t")
          yield* eventually(() => openDescriptors() <= before)
        })
      )
  })

  describe("output", () => {
    it.effect("holds the child back while its consumer is busy (R5)", () =>
      Effect.gen(function* () {
        const counter = path.join(yield* folder, "count")
        const written = () => (fs.existsSync(counter) ? Number(fs.readFileSync(counter, "utf8")) : 0)
        const script = `
          const fs = require("fs"), block = Buffer.alloc(16384, "x")
          for (let bytes = 0; ; ) { bytes += fs.writeSync(1, block); fs.writeFileSync(process.argv[1], String(bytes)) }`
        const first = yield* Deferred.make<void>()
        const busy = { onOutput: () => Effect.zipRight(Deferred.succeed(first, undefined), Effect.never) }
        const fiber = yield* Effect.fork(run(node(script, counter), busy))
        yield* Deferred.await(first)
        let [last, same] = [-1, 0]
        yield* eventually(() => {
          const now = written()
          same = now > 0 && now === last ? same + 1 : 0
          last = now
          return same > 40
        })
        yield* Fiber.interrupt(fiber)
        assert.isAtMost(written(), 512 * 1024)
      }).pipe(Effect.scoped)
    )

    it.effect("is bounded, whatever its size, and counted to the byte (R5)", () =>
      Effect.gen(function* () {
        const seen = yield* Ref.make(0)
        const result = yield* run(sh("yes 0123456789abcde | head -c 67108864"), {
          limit: 4096,
          onOutput: ({ text }) => Ref.update(seen, (sum) => sum + text.length)
        })
        if (result.output._tag === "Whole") return assert.fail("all of it was kept")
        const { head, tail, droppedBytes, droppedLines } = result.output.captured
        assert.deepStrictEqual([head.length, tail.length, droppedBytes], [2048, 2048, 67_108_864 - 4096])
        assert.strictEqual(droppedLines, (67_108_864 - 4096) / 16)
        assert.strictEqual(yield* Ref.get(seen), 67_108_864)
      })
    )

    it.effect("arrives whole from a child that has long exited, even if it is read slowly (S3)", () =>
      Effect.gen(function* () {
        const processes = yield* Processes
        const pid = yield* Deferred.make<number>()
        const { stdout } = yield* processes.run(sh("echo $$; yes | head -c 60000", { drain: "1 millis" }), {
          onOutput: ({ text }) =>
            Effect.gen(function* () {
              yield* Deferred.succeed(pid, Number(text.split("\n")[0]))
              const leader = yield* Deferred.await(pid)
              yield* eventually(() => !isAlive(leader))
            })
        })
        assert.strictEqual(head(stdout).length - head(stdout).indexOf("\n") - 1, 60_000)
      })
    )
  })

  describe("the end of output", () => {
    /** Takes the event loop for 150 milliseconds in every turn, as a machine does that is too busy. */
    const busy = Effect.forkScoped(
      Effect.forever(
        Effect.suspend(() => {
          const until = now() + 150
          while (now() < until);
          return pause("1 millis")
        })
      )
    )

    it.effect("is waited for however late it is read after the exit (R15)", () =>
      Effect.gen(function* () {
        yield* busy
        const lengths = Array.from({ length: 48 }, (_, index) => 1 + (index % 4) * 16_000)
        const results = yield* Effect.forEach(
          lengths,
          (length) =>
            run(sh(`cat >/dev/null; head -c ${length} /dev/zero | tr '\\0' x; exit 2`, { stdin: { text: "in" } })),
          { concurrency: 40 }
        )
        assert.deepStrictEqual(
          results.map(({ stdout }) => (stdout._tag === "Whole" ? stdout.text.length : "lost")),
          lengths
        )
      }).pipe(Effect.scoped)
    )

    it.effect(
      "is known to be lost where another process still holds the output, and what the leader wrote is not (R15)",
      () =>
        Effect.gen(function* () {
          const held = yield* run(sh("sleep 604800 & head -c 60000 /dev/zero | tr '\\0' x", { grace: "50 millis" }))
          assert.strictEqual(held.stdout._tag === "Incomplete" && held.stdout.truncated, true)
          assert.strictEqual(head(held.stdout), "x".repeat(60_000))
          assert.strictEqual(held.survivors, 1)
          const chatty = yield* run(sh("echo first; yes later & exit 0", { drain: "1 millis", grace: "50 millis" }))
          assert.strictEqual(chatty.stdout._tag === "Incomplete" && chatty.stdout.truncated, true)
          assert.match(head(chatty.stdout), /^(later\n)*first\n/)
          const apart = yield* run(sh("sleep 604800 >/dev/null 2>&1 & echo done", { grace: "50 millis" }))
          assert.deepStrictEqual([apart.stdout, apart.survivors], [whole("done\n"), 1])
        })
    )

    it.effect("makes an answer only where it is whole and the program ended by itself (R15)", () =>
      Effect.gen(function* () {
        const read = (script: string, limit = 100) =>
          Effect.map(run(sh(script, { grace: "50 millis" }), { limit }), (result) =>
            Either.match(Answer.of(result), { onLeft: ({ reason }) => reason, onRight: ({ stdout }) => stdout })
          )
        assert.strictEqual(yield* read("echo yes"), "yes\n")
        assert.strictEqual(yield* read("echo yes; exit 1"), "failed")
        assert.strictEqual(yield* read("echo yes; kill -TERM $$"), "signalled")
        assert.strictEqual(yield* read("echo yes; sleep 604800 &"), "truncated")
        assert.strictEqual(yield* read("echo yes; seq 1000"), "too-long")
        const limited = yield* run(sh("echo yes; sleep 604800"), { limits: { time: Duration.millis(50) } })
        assert.strictEqual(Either.isLeft(Answer.of(limited)) && limited.exceeded, "time")
      })
    )
  })

  describe("limits", () => {
    const used = (script: string, limits: Limits.Limits) =>
      Effect.map(
        run(Limits.enforced(sh(script, { grace: "50 millis" }), limits), { limits }),
        ({ exceeded }) => exceeded
      )

    it.effect("end a runaway with all that it started, and say which it was (S3)", () =>
      Effect.gen(function* () {
        const memory = 64 * 2 ** 20
        const hungry = `${process.execPath} -e 'const kept = []; setInterval(() => kept.push(Buffer.alloc(4e6, 1)), 20)'`
        assert.strictEqual(yield* used(`${hungry} & ${hungry} & wait`, { memory: 160 * 2 ** 20 }), "memory")
        assert.strictEqual(
          yield* used("for i in $(seq 40); do sleep 604800 & done; wait", { processes: 20 }),
          "processes"
        )
        assert.strictEqual(yield* used("while :; do :; done", { cpu: 1 }), "cpu")
        assert.strictEqual(yield* used("yes", { output: 2 ** 20 }), "output")
        assert.strictEqual(yield* used("echo x; sleep 604800", { idle: Duration.millis(100) }), "idle")
        assert.strictEqual(yield* used("sleep 604800", { time: Duration.millis(100) }), "time")
        assert.strictEqual(yield* used("echo x", Limits.unasked), undefined)
        const greedy = yield* run(
          Limits.enforced(sh("", { file: "grep", args: ["-E", "x{1,32767}{1,32767}", "/dev/null"] }), { memory }),
          { limits: { memory } }
        )
        assert.isTrue(greedy.exceeded === "memory" || greedy.exitCode !== 0)
      })
    )

    it.effect("end in a region that cannot be interrupted as well (S3)", () =>
      Effect.gen(function* () {
        const limits = { time: Duration.millis(100) }
        assert.strictEqual((yield* run(sh("echo x"), { limits: { time: Duration.minutes(1) } })).exceeded, undefined)
        assert.strictEqual((yield* run(sh("sleep 604800"), { limits })).exceeded, "time")
      }).pipe(Effect.uninterruptible)
    )

    it.effect("hold whoever does not take the output (R5)", () =>
      Effect.gen(function* () {
        const { exceeded } = yield* run(sh("yes", { grace: "50 millis" }), {
          limits: { time: Duration.millis(100) },
          onOutput: () => Effect.never
        })
        assert.strictEqual(exceeded, "time")
      })
    )
  })

  it.effect("as many commands run at once as the machine bears, and none holds up who decides (R5)", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const gate = path.join(place, "go")
      const script = `: > ${place}/$$.run; until [ -e ${gate} ]; do sleep 0.02; done; rm ${place}/$$.run`
      const running = () => fs.readdirSync(place).filter((name) => name.endsWith(".run")).length
      const commands = yield* Effect.forkAll(Array.from({ length: 40 }, () => run(sh(script), { lane: "commands" })))
      yield* eventually(() => running() > 1)
      const most = Math.max(2, 2 * os.availableParallelism())
      for (let times = 0; times < 10; times++) {
        assert.deepInclude(yield* run(sh("echo decided")), { exitCode: 0, stdout: whole("decided\n") })
        assert.isAtMost(running(), most)
      }
      fs.writeFileSync(gate, "")
      assert.strictEqual((yield* Fiber.join(commands)).filter(({ exitCode }) => exitCode === 0).length, 40)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves no descriptor, no zombie and no listener after many commands (R5)", () =>
    Effect.gen(function* () {
      yield* run(sh("true"))
      const [descriptors, before] = [openDescriptors(), listeners()]
      yield* Effect.forEach(Array.from({ length: 60 }), () => run(sh("echo x; exit 1")), { concurrency: 12 })
      yield* eventually(() => openDescriptors() <= descriptors)
      yield* eventually(() => zombies().length === 0)
      assert.deepStrictEqual(listeners(), before)
    })
  )
})

it.live("removes its files and its guardian with its layer (R5)", () =>
  Effect.gen(function* () {
    const before = openDescriptors()
    const command = sh("readlink /proc/$$/fd/0", { stdin: { text: "x" } })
    const { stdout } = yield* Effect.provide(run(command), Processes.layer)
    const [input = ""] = head(stdout).split(" ")
    assert.match(input, /tollgate-/)
    assert.isFalse(fs.existsSync(path.dirname(input)))
    yield* eventually(() => openDescriptors() <= before)
    yield* eventually(() => zombies().length === 0)
  })
)
