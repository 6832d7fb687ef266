import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { ProcessCommand } from "../../src/process/ProcessCommand.ts"
import * as ProcessTable from "../../src/process/ProcessTable.ts"
import { ender } from "../../src/process/ProcessTree.ts"
import { Processes } from "../../src/process/Processes.ts"
import { sharing } from "../support/sharing.ts"
import { eventually, isAlive, openDescriptors, readyIn, sh, stay, tagged, zombies } from "./support.ts"

/** Starts a command and waits until it has said `ready` as often as asked. */
const started = (command: ProcessCommand, times = 1) =>
  Effect.gen(function* () {
    const processes = yield* Processes
    const ready = yield* Deferred.make<void>()
    let seen = ""
    const fiber = yield* Effect.fork(
      processes.run(command, {
        onOutput: ({ text }) => {
          seen += text
          return readyIn(seen).length >= times ? Deferred.succeed(ready, undefined) : Effect.void
        }
      })
    )
    yield* Deferred.await(ready)
    const pids = readyIn(seen)
    return { fiber, alive: () => pids.filter(isAlive) }
  })

sharing(Processes.layer)("the end of a process tree", (it) => {
  describe("after its leader's exit", () => {
    const leftovers = [
      ["a background process", "sleep 604800 >/dev/null 2>&1 &", 1],
      ["a background process that holds the output open", "sleep 604800 & echo done", 1],
      ["a process group of its own", "set -m; sleep 604800 >/dev/null 2>&1 &", 1],
      ["a daemon in a session of its own", "setsid -f sleep 604800 >/dev/null 2>&1", 1],
      ["a daemon that has forked twice", "(setsid sh -c 'sleep 604800 & sleep 604800' >/dev/null 2>&1 &)", 3],
      ["three that ignore SIGTERM", "trap '' TERM; for i in 1 2 3; do sleep 604800 >/dev/null 2>&1 & done", 3]
    ] as const
    for (const [what, script, most] of leftovers)
      it.scoped(`kills ${what} and says so (S3)`, () =>
        Effect.gen(function* () {
          const { env, living } = yield* tagged
          const processes = yield* Processes
          const { exitCode, survivors } = yield* processes.run(sh(script, { env, grace: "50 millis" }))
          assert.deepStrictEqual(living(), [])
          assert.strictEqual(exitCode, 0)
          assert.isTrue(survivors >= 1 && survivors <= most, `${survivors} survivors`)
        })
      )

    it.scoped("leaves the processes of a concurrent command alone (S3)", () =>
      Effect.gen(function* () {
        const { env, living } = yield* tagged
        const processes = yield* Processes
        const { fiber, alive } = yield* started(sh(stay, { env }))
        yield* processes.run(sh("sleep 604800 >/dev/null 2>&1 &", { env }))
        assert.strictEqual(alive().length, 1)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(living(), [])
      })
    )
  })

  describe("on interruption", () => {
    const trees = [
      ["a well-behaved command", stay, 1],
      ["a command that ignores SIGTERM", `trap '' TERM; ${stay}`, 1],
      [
        "a command that ignores SIGTERM and restarts its children",
        `trap '' TERM; echo "ready $$"; while :; do sleep 5; done`,
        1
      ],
      ["a pipeline", `${stay} | (trap '' TERM; cat)`, 1],
      ["grandchildren in sessions of their own", `setsid ${stay} & setsid ${stay} & wait`, 2],
      ["a child that cleared its environment and left the session", `env -i setsid ${stay} & wait`, 1],
      ["a stopped command", `${stay} & echo "ready $$"; kill -STOP $$`, 2]
    ] as const
    for (const [what, script, times] of trees)
      it.scoped(`ends ${what} with all its children (S3)`, () =>
        Effect.gen(function* () {
          const { env, living } = yield* tagged
          const { fiber, alive } = yield* started(sh(script, { env, grace: "50 millis" }), times)
          assert.strictEqual(alive().length, times)
          const exit = yield* Fiber.interrupt(fiber)
          assert.isTrue(Exit.isInterrupted(exit))
          assert.deepStrictEqual([...alive(), ...living()], [])
        })
      )

    it.scoped("lets a command clean up within its grace (S3)", () =>
      Effect.gen(function* () {
        const { env } = yield* tagged
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "test-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(folder, { recursive: true })))
        const script = `trap 'echo bye > bye; exit' TERM; echo "ready $$"; while :; do sleep 0.01; done`
        const { fiber } = yield* started(sh(script, { env, cwd: folder, grace: "20 seconds" }))
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(fs.readFileSync(path.join(folder, "bye"), "utf8"), "bye\n")
      })
    )

    it.scoped("ends eight trees at once and leaves nothing (S3)", () =>
      Effect.gen(function* () {
        const { env, living } = yield* tagged
        const script = `trap '' TERM; ${stay} & setsid ${stay} & wait`
        const command = sh(script, { env, grace: "50 millis" })
        const trees = yield* Effect.forEach(Array.from({ length: 8 }), () => started(command, 2), { concurrency: 8 })
        assert.isAtLeast(living().length, 16)
        yield* Fiber.interruptAll(trees.map(({ fiber }) => fiber))
        assert.deepStrictEqual(living(), [])
      })
    )

    it.scoped("leaves no orphan, zombie or descriptor after fifty cancelled commands (R5)", () =>
      Effect.gen(function* () {
        const { env, living } = yield* tagged
        const command = sh(`${stay} & ${stay}`, { env })
        const cancelled = Effect.flatMap(started(command, 2), ({ fiber }) => Fiber.interrupt(fiber))
        yield* cancelled
        const before = openDescriptors()
        // Children of other tests of this process.
        const others = zombies()
        yield* Effect.forEach(Array.from({ length: 50 }), () => cancelled, { concurrency: 10, discard: true })
        assert.deepStrictEqual(living(), [])
        yield* eventually(() => zombies().every((pid) => others.includes(pid)))
        yield* eventually(() => openDescriptors() <= before)
      })
    )

    it.scoped("ends a command whose output nobody reads (S3)", () =>
      Effect.gen(function* () {
        const { env, living } = yield* tagged
        const processes = yield* Processes
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* processes.spawn(sh("yes", { env }))
            yield* eventually(() => living().length > 0)
          })
        )
        assert.deepStrictEqual(living(), [])
      })
    )
  })

  it.scoped("leaves another process alone that was given the number of its leader (R9)", () =>
    Effect.gen(function* () {
      const { env, living } = yield* tagged
      const { alive, fiber } = yield* started(sh(`exec ${stay}`, { env }))
      const [leader = 0] = living()
      const gone = {
        leader,
        started: (ProcessTable.startOf(leader) ?? 0) - 1,
        marker: "another",
        hasExited: () => true,
        supervised: false
      }
      assert.deepStrictEqual(yield* ender(gone, "50 millis"), { survivors: 0, complete: true })
      assert.strictEqual(alive().length, 1)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.scoped("releases what a command holds only after its whole tree has ended (S3)", () =>
    Effect.gen(function* () {
      const { env, living } = yield* tagged
      const processes = yield* Processes
      const seen: Array<number> = []
      const look = Effect.sync(() => void seen.push(living().length))
      const held = Effect.acquireRelease(look, () => look)
      yield* processes.run(sh("sleep 604800 >/dev/null 2>&1 &", { env, held }))
      assert.deepStrictEqual(seen, [0, 0])
    })
  )
})

it.effect("needs real time only, also where a test's clock stands still (S3)", () =>
  Effect.gen(function* () {
    const { env, living } = yield* tagged
    const { fiber } = yield* started(sh(`trap '' TERM; ${stay}`, { env, grace: "20 millis" }))
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(living(), [])
    assert.strictEqual(yield* TestClock.currentTimeMillis, 0)
  }).pipe(Effect.provide(Processes.layer), Effect.scoped)
)
