import { assert, describe, it } from "@effect/vitest"
import { Chunk, Duration, Effect, Exit, Fiber, Layer, Queue, Stream, TestClock } from "effect"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { FileChanges } from "../../src/tool/FileChanges.ts"
import { Ids } from "../../src/tool/Ids.ts"
import * as Iterations from "../../src/tool/iterations.ts"
import { Notifications } from "../../src/tool/Notifications.ts"
import { fraction, ProgressBoard } from "../../src/tool/ProgressBoard.ts"
import { fileChanged, progress } from "../../src/tool/ToolCall.ts"
import { FileChanged, trusted } from "../../src/tool/ToolEvent.ts"
import * as Gate from "../../src/gate/Gate.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import { progressId } from "../../src/tool/trackProgress.ts"
import { Broken, ear, Echo, request, running } from "./support.ts"

/** What a stream gives, one by one. */
const watch = <A>(stream: Stream.Stream<A>) =>
  Effect.gen(function* () {
    const queue = yield* Queue.bounded<A>(64)
    yield* Effect.forkScoped(Stream.runForEach(stream, (value) => queue.offer(value)))
    yield* TestClock.adjust(0)
    return queue
  })

describe("Notifications", () => {
  const layer = Notifications.layer({ capacity: 3 }).pipe(Layer.provide(Ids.layerSequential))
  const titles = Effect.flatMap(Notifications, ({ current }) =>
    Effect.map(current, (list) => list.map(({ title }) => title))
  )

  it.scoped("keep the newest, each for its time or until it is dismissed (T12)", () =>
    Effect.gen(function* () {
      const notifications = yield* Notifications
      yield* notifications.show({ level: "info", title: "short", message: "m" })
      yield* notifications.show({ level: "error", title: "long", message: "m" })
      const id = yield* notifications.show({
        level: "success",
        title: "stays",
        message: "m",
        duration: 0,
        action: { label: "Show", command: "/cost" }
      })
      assert.deepStrictEqual((yield* notifications.current)[2], {
        id: "notice_3",
        level: "success",
        title: "stays",
        message: "m",
        durationMillis: 0,
        action: { label: "Show", command: "/cost" },
        createdAt: 0
      })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* titles, ["long", "stays"])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* titles, ["stays"])
      assert.isTrue(yield* notifications.dismiss(id))
      assert.isFalse(yield* notifications.dismiss(id))
      for (const title of ["a", "b", "c", "d"]) yield* notifications.show({ level: "warning", title, message: "m" })
      assert.deepStrictEqual(yield* titles, ["b", "c", "d"])
    }).pipe(Effect.provide(layer))
  )

  it.scoped(
    "can be watched: the list as it is, then as it changes, in-between states skipped by who is slow (T12)",
    () =>
      Effect.gen(function* () {
        const notifications = yield* Notifications
        const seen = yield* watch(Stream.map(notifications.changes, (list) => list.map(({ title }) => title)))
        assert.deepStrictEqual(yield* seen.take, [])
        yield* notifications.show({ level: "info", title: "a", message: "m" })
        assert.deepStrictEqual(yield* seen.take, ["a"])
        const late = yield* Stream.runHead(notifications.changes)
        assert.strictEqual(late._tag === "Some" ? late.value.length : 0, 1)
        yield* notifications.show({ level: "info", title: "b", message: "m" })
        assert.deepStrictEqual(yield* seen.take, ["a", "b"])
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual((yield* Queue.takeAll(seen)).pipe(Chunk.toReadonlyArray).at(-1), [])
      }).pipe(Effect.provide(layer))
  )

  it.effect(
    "tell of bugs, of tools that gave up, and of the end of long calls; not of what concerns the model alone (T12, T15)",
    () =>
      Effect.gen(function* () {
        const notifications = yield* Notifications
        const { heard, sink } = ear()
        const tools = [
          Echo,
          running(Effect.die("bug"), "bug"),
          running(new Broken({ retryable: false }), "broken"),
          { ...running(Effect.never, "hang"), timeout: Duration.seconds(40) },
          running(Effect.interrupt, "gone"),
          running(Effect.sleep("31 seconds"), "slow")
        ]
        const toolset = yield* Toolset.make(tools, {
          middleware: DefaultStack.make({ notifications: { show: notifications } }),
          gate: Gate.unguarded("unit test")
        })
        const call = (name: string, params: unknown = {}) => Effect.exit(toolset.call(request(name, params, sink)))
        yield* call("echo", { text: "hi" })
        yield* call("echo", {})
        yield* call("broken")
        yield* call("gone")
        assert.deepStrictEqual(yield* titles, [])
        yield* call("bug")
        const slow = yield* Effect.fork(call("slow"))
        yield* TestClock.adjust("31 seconds")
        yield* Fiber.join(slow)
        const hang = yield* Effect.fork(call("hang"))
        yield* TestClock.adjust("40 seconds")
        yield* Fiber.join(hang)
        const told = heard.flatMap((event) =>
          event._tag === "Notified" ? [`${event.level} ${event.title}: ${event.message}`] : []
        )
        assert.deepStrictEqual(told, [
          "error bug: tool bug crashed",
          "success slow: finished after 31 s",
          "warning hang: hang did not finish within 40 s and was interrupted"
        ])
      }).pipe(Effect.provide(layer))
  )

  it.effect("follow a rule of one's own (T12)", () =>
    Effect.gen(function* () {
      const notifications = yield* Notifications
      const rule = () => ({ level: "info" as const, title: "always", message: "m", duration: "1 second" as const })
      const toolset = yield* Toolset.make([Echo], {
        middleware: DefaultStack.make({ notifications: { show: notifications, rule } }),
        gate: Gate.unguarded("unit test")
      })
      yield* toolset.call(request("echo", { text: "hi" }))
      assert.deepStrictEqual(yield* titles, ["always"])
    }).pipe(Effect.provide(layer))
  )
})

describe("ProgressBoard", () => {
  const layer = ProgressBoard.layer({ capacity: 3 }).pipe(Layer.provide(Ids.layerSequential))

  it.effect("knows what is under way: indeterminate, determinate and steps, from start to done (T13)", () =>
    Effect.gen(function* () {
      const board = yield* ProgressBoard
      const plain = yield* board.start({ label: "thinking" })
      const counted = yield* board.start({ label: "copying", total: 4 })
      const stepped = yield* board.start({ id: "plan", label: "planning", kind: "steps", total: 3 })
      yield* TestClock.adjust("1 second")
      yield* board.update(counted, { current: 1 })
      yield* board.update(plain, { label: "still thinking", current: 2, total: 8 })
      yield* board.update("nobody", { current: 1 })
      const shown = (yield* board.active).map(({ current, id, kind, label, total, updatedAt }) => [
        id,
        kind,
        label,
        current,
        total,
        updatedAt
      ])
      assert.deepStrictEqual(shown, [
        ["progress_1", "determinate", "still thinking", 2, 8, 1000],
        ["progress_2", "determinate", "copying", 1, 4, 1000],
        ["plan", "steps", "planning", 0, 3, 0]
      ])
      assert.deepStrictEqual((yield* board.active).map(fraction), [0.25, 0.25, 0])
      assert.isUndefined(fraction({ ...(yield* board.active)[0]!, total: 0 }))
      yield* board.start({ label: "one too many" })
      assert.strictEqual((yield* board.active).length, 3)
      for (const id of [plain, counted, stepped, "nobody"]) yield* board.done(id)
      assert.deepStrictEqual(yield* board.active, [])
    }).pipe(Effect.provide(layer))
  )

  it.scoped("can be watched and cancelled (T13)", () =>
    Effect.gen(function* () {
      const board = yield* ProgressBoard
      const seen = yield* watch(Stream.map(board.changes, (list) => list.map(({ label }) => label)))
      assert.deepStrictEqual(yield* seen.take, [])
      let cancelled = false
      const id = yield* board.start({ label: "a", cancel: Effect.sync(() => (cancelled = true)) })
      assert.deepStrictEqual(yield* seen.take, ["a"])
      assert.isTrue(yield* board.cancel(id))
      assert.isTrue(cancelled)
      assert.isFalse(yield* board.cancel("nobody"))
      yield* board.done(id)
      assert.deepStrictEqual(yield* seen.take, [])
      assert.isFalse(yield* board.cancel(id))
    }).pipe(Effect.provide(layer))
  )

  it.effect("cancels nothing of what an entry was before another one took its id (T13)", () =>
    Effect.gen(function* () {
      const board = yield* ProgressBoard
      let cancelled = false
      yield* board.start({ id: "plan", label: "first", cancel: Effect.sync(() => (cancelled = true)) })
      yield* board.start({ id: "plan", label: "second" })
      assert.isFalse((yield* board.active)[0]?.cancellable)
      assert.isFalse(yield* board.cancel("plan"))
      assert.isFalse(cancelled)
    }).pipe(Effect.provide(layer))
  )

  for (const timeouts of [{}, { limit: Duration.seconds(60) }]) {
    it.effect(
      `shows a call while it runs and cancels it alone, ${"limit" in timeouts ? "with" : "without"} a timeout (T13)`,
      () =>
        Effect.gen(function* () {
          const board = yield* ProgressBoard
          const work = {
            ...running(Effect.never),
            handler: (_: unknown, call: Parameters<typeof progress>[0]) =>
              Effect.zipRight(progress(call, { label: "half", current: 1, total: 2 }), Effect.never)
          }
          const toolset = yield* Toolset.make([work], {
            middleware: DefaultStack.make({ progress: board, timeouts }),
            gate: Gate.unguarded("unit test")
          })
          const call = (callId: string) => Effect.exit(toolset.call({ ...request("work", {}), callId }))
          const both = yield* Effect.fork(Effect.all([call("a"), call("b")], { concurrency: 2 }))
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(
            (yield* board.active).map(({ current, kind, label }) => [label, kind, current]),
            [
              ["half", "determinate", 1],
              ["half", "determinate", 1]
            ]
          )
          const place = { sessionId: "session_1", workerPath: ["root"], attempt: 1 }
          assert.isTrue(yield* board.cancel(progressId({ ...place, callId: "a" })))
          yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* board.active).length, 1)
          assert.strictEqual((yield* both.poll)._tag, "None")
          yield* board.cancel(progressId({ ...place, callId: "b" }))
          const [a, b] = yield* Fiber.join(both)
          assert.isTrue(Exit.isInterrupted(a) && Exit.isInterrupted(b))
          assert.deepStrictEqual(yield* board.active, [])
        }).pipe(Effect.provide(layer))
    )
  }
})

describe("FileChanges", () => {
  const change = (path: string, more: Partial<FileChanged> = {}) =>
    new FileChanged({ callId: "c", tool: "write_file", path, change: "modified", size: 1, ...more }, trusted)

  it.scoped("reach those who watch by glob, by the new or the old path (T14)", () =>
    Effect.gen(function* () {
      const changes = yield* FileChanges
      const all = yield* watch(changes.following())
      const typescript = yield* watch(changes.following("src/**/*.ts"))
      yield* TestClock.adjust("1 second")
      yield* changes.report(change("src/a/b.ts", { change: "created", size: 12 }))
      yield* changes.report(change("README.md"))
      yield* changes.report(change("docs/old.md", { change: "renamed", oldPath: "src/.x/c.ts" }))
      assert.deepStrictEqual(yield* typescript.take, {
        seq: 1,
        path: "src/a/b.ts",
        change: "created",
        size: 12,
        time: 1000,
        tool: "write_file",
        callId: "c"
      })
      assert.deepInclude(yield* typescript.take, { path: "docs/old.md", oldPath: "src/.x/c.ts", seq: 3 })
      assert.deepStrictEqual([(yield* all.take).seq, (yield* all.take).seq, (yield* all.take).seq], [1, 2, 3])
    }).pipe(Effect.provide(FileChanges.layer()))
  )

  it.scoped("are remembered within bounds; who is too slow sees the gap in the numbers (T14)", () =>
    Effect.gen(function* () {
      const changes = yield* FileChanges
      const slow = yield* Queue.bounded<number>(1)
      yield* Effect.forkScoped(Stream.runForEach(Stream.rechunk(changes.following(), 1), ({ seq }) => slow.offer(seq)))
      yield* TestClock.adjust(0)
      for (let index = 1; index <= 50; index++) {
        yield* changes.report(change(index % 2 === 0 ? "even.ts" : "odd.ts"))
        if (index === 1) assert.strictEqual(yield* slow.take, 1)
      }
      const recent = yield* changes.recent()
      assert.deepStrictEqual(
        recent.map(({ seq }) => seq),
        [47, 48, 49, 50]
      )
      assert.deepStrictEqual(
        (yield* changes.recent({ glob: "even.ts", limit: 1 })).map(({ seq }) => seq),
        [50]
      )
      assert.deepStrictEqual(yield* changes.recent({ limit: 0 }), [])
      const rest: Array<number> = []
      while (rest.at(-1) !== 50) rest.push(yield* slow.take)
      assert.isBelow(rest.length, 20)
      assert.deepStrictEqual(
        rest,
        rest.toSorted((a, b) => a - b)
      )
    }).pipe(Effect.provide(FileChanges.layer({ history: 4 })))
  )

  it.effect("come from what tools say; one that says nothing changes none (T14)", () =>
    Effect.gen(function* () {
      const changes = yield* FileChanges
      const write = {
        ...running(Effect.void, "write"),
        handler: (_: unknown, call: Parameters<typeof fileChanged>[0]) =>
          fileChanged(call, { path: "a", change: "deleted", size: 0 })
      }
      const toolset = yield* Toolset.make([write, running(Effect.void, "shell")], {
        middleware: DefaultStack.make({ fileChanges: changes }),
        gate: Gate.unguarded("unit test")
      })
      yield* toolset.call(request("write", {}))
      yield* toolset.call(request("shell", {}))
      assert.deepStrictEqual(
        (yield* changes.recent()).map(({ tool }) => tool),
        ["write"]
      )
    }).pipe(Effect.provide(FileChanges.layer()))
  )
})

describe("Iterations", () => {
  it.effect("drive a line of progress for each worker (T16)", () =>
    Effect.gen(function* () {
      const board = yield* ProgressBoard
      const { ended, iterated } = Iterations.make(board)
      const seen = { task: "task_1", worker: ["root"], iteration: 1, maxIterations: 100, totalTokens: 900 }
      yield* iterated(seen)
      yield* iterated({ ...seen, iteration: 2, totalTokens: 2100 })
      yield* iterated({ ...seen, worker: ["root", "search"] })
      assert.deepStrictEqual(
        (yield* board.active).map(({ current, kind, label, total }) => [label, kind, current, total]),
        [
          ["root: iteration 2, 2100 tokens", "steps", 2, 100],
          ["root › search: iteration 1, 900 tokens", "steps", 1, 100]
        ]
      )
      yield* ended("task_1")
      yield* ended("task_1")
      assert.deepStrictEqual(yield* board.active, [])
    }).pipe(Effect.provide(ProgressBoard.layer()))
  )
})
