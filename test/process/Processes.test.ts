import { assert, describe, it, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import { stdinLimit } from "../../src/process/ProcessCommand.ts"
import { Processes } from "../../src/process/Processes.ts"
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

layer(Processes.layer, { excludeTestServices: true })("Processes", (it) => {
  describe("a command that ends by itself", () => {
    it.effect("has its exit code, and each channel apart and in order (S3)", () =>
      Effect.gen(function* () {
        const result = yield* run(sh("echo out; echo err >&2; exit 3"))
        assert.deepInclude(result, { exitCode: 3, signal: null, survivors: 0 })
        assert.strictEqual(result.stdout.head, "out\n")
        assert.strictEqual(result.stderr.head, "err\n")
        assert.strictEqual(result.output.head.length, 8)
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
        const [tty, ids = "", shell = ""] = stdout.head.split("\n")
        assert.strictEqual(tty, "none")
        assert.deepStrictEqual(ids.split(" ").slice(1), [shell, shell])
        const terminal = yield* run(sh("exec 3</dev/tty"))
        assert.notStrictEqual(terminal.exitCode, 0)
      })
    )

    it.effect("inherits no variable that it was not given (S3)", () =>
      Effect.gen(function* () {
        const { stdout } = yield* run(sh("", { file: "env", args: [], env: { PATH: env["PATH"]!, A: "b" } }))
        const names = stdout.head
          .trim()
          .split("\n")
          .map((line) => line.split("=")[0])
        assert.sameMembers(names, ["PATH", "A", "TOLLGATE_PROCESS"])
      })
    )

    it.effect("may open its output by name, as scripts do (S3)", () =>
      Effect.gen(function* () {
        const { stdout, stderr, exitCode } = yield* run(sh("echo one > /dev/stdout; echo two > /dev/stderr"))
        assert.deepStrictEqual([stdout.head, stderr.head, exitCode], ["one\n", "two\n", 0])
      })
    )

    it.effect("reads the bytes and text it was given, to their end (S3)", () =>
      Effect.gen(function* () {
        const text = "€".repeat(100_000)
        const digest = yield* run(sh("wc -c", { stdin: { text } }))
        assert.strictEqual(digest.stdout.head.trim(), "300000")
        const bytes = yield* run(sh("cat", { stdin: new Uint8Array([104, 105]) }))
        assert.strictEqual(bytes.stdout.head, "hi")
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
      ["input beyond the limit", sh("", { stdin: new Uint8Array(stdinLimit + 1) }), "too-large", "E2BIG"],
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
          same = written() === last ? same + 1 : 0
          last = written()
          return same > 40
        })
        yield* Fiber.interrupt(fiber)
        assert.isAbove(written(), 0)
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
        const { head, tail, droppedBytes, droppedLines } = result.output
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
        assert.strictEqual(stdout.head.length - stdout.head.indexOf("\n") - 1, 60_000)
      })
    )
  })

  it.effect("leaves no descriptor, no zombie and no listener after many commands (R5)", () =>
    Effect.gen(function* () {
      yield* run(sh("true"))
      const [descriptors, before] = [openDescriptors(), listeners()]
      yield* Effect.forEach(Array.from({ length: 60 }), () => run(sh("echo x; exit 1")), { concurrency: 12 })
      yield* eventually(() => openDescriptors() <= descriptors)
      assert.deepStrictEqual(zombies(), [])
      assert.deepStrictEqual(listeners(), before)
    })
  )
})

it.live("removes its files and its guardian with its layer (R5)", () =>
  Effect.gen(function* () {
    const before = openDescriptors()
    const command = sh("readlink /proc/$$/fd/0", { stdin: { text: "x" } })
    const { stdout } = yield* Effect.provide(run(command), Processes.layer)
    const [input = ""] = stdout.head.split(" ")
    assert.match(input, /tollgate-/)
    assert.isFalse(fs.existsSync(path.dirname(input)))
    yield* eventually(() => openDescriptors() <= before)
    assert.deepStrictEqual(zombies(), [])
  })
)
