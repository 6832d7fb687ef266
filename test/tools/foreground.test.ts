import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { BackgroundCommands } from "../../src/process/BackgroundCommands.ts"
import { runInForeground } from "../../src/tools/shell/foreground.ts"

const call = { sessionId: "s", callId: "c" }

/** A command that has printed `printed` and ends when it is told to, in a session; `ended` is how. */
const world = (refused?: string, printed = "so far") =>
  Effect.gen(function* () {
    const commands = yield* BackgroundCommands
    yield* Effect.asVoid(commands.open("s", () => Effect.void))
    const begun = yield* Deferred.make<void>()
    const finish = yield* Deferred.make<string>()
    const ended = yield* Deferred.make<Exit.Exit<string>>()
    const self = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(finish)).pipe(
      Effect.onExit((exit) => Deferred.succeed(ended, exit))
    )
    const running = yield* Effect.fork(
      runInForeground(call, self, {
        command: "wait",
        directory: "/",
        refused,
        moved: (print) => print(printed),
        end: (reason) => Effect.succeed({ reason, exitCode: 0 })
      })
    )
    yield* Deferred.await(begun)
    return { commands, ended, finish, running }
  })

describe("a command in the foreground", () => {
  it.effect("belongs to its call until it has moved, and to the session afterwards (U12, R5)", () =>
    Effect.gen(function* () {
      const { commands, ended, finish, running } = yield* world()
      yield* commands.detach("s", "c")
      const outcome = yield* Fiber.join(running)
      assert.include(outcome, { _tag: "Moved", text: "so far" })
      assert.isFalse(yield* Deferred.isDone(ended))
      const again = yield* Effect.flip(commands.detach("s"))
      assert.strictEqual(again.message, "No command runs in the foreground.")
      const [listed] = yield* commands.list("s")
      const id = listed?.id ?? ""
      assert.include(outcome, { id })
      yield* Deferred.succeed(finish, "exit code 0")
      yield* commands.news("s", id)
      assert.strictEqual((yield* commands.find("s", id)).end?.reason, "exit code 0")
    }).pipe(Effect.provide(BackgroundCommands.layer))
  )

  it.effect("leaves its call at once where it has printed nothing yet (U12, R5)", () =>
    Effect.gen(function* () {
      const { commands, running } = yield* world(undefined, "")
      yield* commands.detach("s", "c")
      assert.include(yield* Fiber.join(running), { _tag: "Moved", text: "" })
    }).pipe(Effect.provide(BackgroundCommands.layer))
  )

  it.effect("ends with its call, and with the session once it has moved (R5)", () =>
    Effect.gen(function* () {
      const front = yield* world()
      yield* Fiber.interrupt(front.running)
      assert.isTrue(Exit.isInterrupted(yield* Deferred.await(front.ended)))
      const behind = yield* world()
      yield* behind.commands.detach("s")
      yield* Fiber.join(behind.running)
      const [listed] = yield* behind.commands.list("s")
      yield* behind.commands.stop("s", listed?.id ?? "")
      assert.isTrue(Exit.isInterrupted(yield* Deferred.await(behind.ended)))
    }).pipe(Effect.provide(BackgroundCommands.layer))
  )

  it.effect("stays where it cannot move, and goes on (U12)", () =>
    Effect.gen(function* () {
      const { commands, finish, running } = yield* world("it stays in the foreground.")
      assert.strictEqual((yield* Effect.flip(commands.detach("s", "c"))).message, "it stays in the foreground.")
      assert.strictEqual((yield* Effect.flip(commands.detach("s", "d"))).message, "No command runs in the foreground.")
      yield* Deferred.succeed(finish, "done")
      assert.deepStrictEqual(yield* Fiber.join(running), { _tag: "Ended", result: "done" })
      assert.isEmpty(yield* commands.list("s"))
    }).pipe(Effect.provide(BackgroundCommands.layer))
  )
})
