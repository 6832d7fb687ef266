import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, FastCheck, Schema } from "effect"
import { ToolCallRequested } from "../../src/gate/CallEvent.ts"
import { WorkerCompleted, WorkerStarted } from "../../src/agent/AgentEvent.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { TaskStarted } from "../../src/runtime/RuntimeEvent.ts"
import { trusted } from "../../src/tool/ToolEvent.ts"
import { Interrupt, SubmitPrompt } from "../../src/runtime/Command.ts"
import * as Testing from "../../src/testing.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { toText } from "../../src/tool/WorkerPath.ts"
import { Delegate } from "../../src/tools/Delegate.ts"
import { NeedInput } from "../../src/tools/NeedInput.ts"
import * as WorkerTree from "../../src/ui/WorkerTree.ts"
import { delegate, turn } from "../agent/Delegating.ts"

const at = (worker: ReadonlyArray<string>, event: Envelope["event"], time = 0): Envelope => ({
  version: 1,
  seq: 1,
  time,
  session: "s",
  task: "t",
  worker,
  event
})
const started = (path: ReadonlyArray<string>, time = 0) =>
  at(path, new WorkerStarted({ callId: "c", task: "do it", depth: path.length - 1 }), time)
const ended = (path: ReadonlyArray<string>, time = 0) =>
  at(path, new WorkerCompleted({ status: "done", usage: noUsage, iterations: 1, durationMillis: 0 }), time)
const fold = (events: ReadonlyArray<Envelope>) => events.reduce(WorkerTree.step, WorkerTree.empty)
const texts = (tree: WorkerTree.WorkerTree, most = 8, now = 0) =>
  WorkerTree.rows(tree, now, most).map(({ text }) => text)

describe("the tree of workers", () => {
  it("shows each with its state, tool, tokens and time, children under their parent (U9)", () => {
    const tree = fold([
      started(["root", "a"]),
      started(["root", "b"]),
      started(["root", "a", "a1"]),
      at(["root", "a", "a1"], new ToolCallRequested({ callId: "c1", tool: "grep", arguments: "{}" })),
      ended(["root", "b"], 1500)
    ])
    assert.deepStrictEqual(texts(tree, 8, 3000), ["● a  thinking · 3 s", "  ● a1  grep · 3 s", "✓ b  1.5 s"])
  })

  it("stays when a task begins that starts none, and is of the next one that does (U9)", () => {
    const begins = (task: string) => ({ ...at(["root"], new TaskStarted({}, trusted)), task })
    const before = [started(["root", "a"]), ended(["root", "a"], 1500), begins("t2")]
    assert.deepStrictEqual(texts(fold(before)), ["✓ a  1.5 s"])
    assert.strictEqual(fold(before).task, "t")
    const after = fold([...before, { ...started(["root", "b"]), task: "t2" }])
    assert.deepStrictEqual([after.task, texts(after, 8, 1000)], ["t2", ["● b  thinking · 1 s"]])
  })

  it("keeps those that run in the rows that there are, and counts the others (U9)", () => {
    const many = Array.from({ length: 20 }, (_, n) => ["root", `w${n}`])
    const tree = fold([...many.map((path) => started(path)), ...many.slice(0, 17).map((path) => ended(path))])
    const rows = texts(tree)
    assert.strictEqual(rows.length, 8)
    assert.deepStrictEqual(
      rows.filter((row) => row.startsWith("●")).map((row) => row.split(" ")[1]),
      ["w17", "w18", "w19"]
    )
    assert.strictEqual(rows.at(-1), "… 13 more workers")
    assert.strictEqual(texts(tree, 2).at(-1), "… 19 more workers, 2 running")
  })

  it.prop(
    "stays bounded, never has a worker without the one above it, and loses none that runs (U9)",
    [FastCheck.array(FastCheck.tuple(FastCheck.nat(5), FastCheck.boolean()), { maxLength: 1200 })],
    ([script]) => {
      let tree = WorkerTree.empty
      const open: Array<ReadonlyArray<string>> = []
      let count = 0
      for (const [which, begins] of script) {
        const path = open[which % Math.max(1, open.length)]
        if ((begins && open.length < 40) || path === undefined) {
          const child = [...(path ?? ["root"]), `n${count++}`]
          open.push(child)
          tree = WorkerTree.step(tree, started(child, count))
        } else {
          const inner = open.filter((other) => path.every((name, index) => other[index] === name))
          for (const one of inner.toSorted((a, b) => b.length - a.length)) {
            open.splice(open.indexOf(one), 1)
            tree = WorkerTree.step(tree, ended(one, count++))
          }
        }
      }
      assert.isAtMost(tree.nodes.length, WorkerTree.maxNodes)
      const known = new Set(tree.nodes.map(({ path }) => toText(path)))
      for (const { path } of tree.nodes) if (path.length > 2) assert.isTrue(known.has(toText(path.slice(0, -1))))
      const running = tree.nodes.filter(WorkerTree.isOpen).map(({ path }) => toText(path))
      assert.sameMembers(running, open.map(toText))
      for (const most of [1, 3, 8]) assert.isAtMost(WorkerTree.rows(tree, 0, most).length, most)
    },
    { fastCheck: { numRuns: 40 } }
  )

  it.effect("shows every one as ended once the task is interrupted (U8, U9)", () =>
    Effect.gen(function* () {
      const hanging = yield* Deferred.make<void>()
      const Hang = Tool.make("hang", {
        description: "d",
        parameters: Schema.Struct({}),
        success: Schema.String,
        readOnly: true,
        handler: () => Effect.zipRight(Deferred.succeed(hanging, undefined), Effect.never)
      })
      const need = { call: { name: "need_input", arguments: { question: "Which?" } } }
      const model = yield* Testing.Scripted.make([
        turn("go", delegate("ask", "ask")),
        turn("ask", need),
        turn("go", delegate("a", "a")),
        turn("a", delegate("b", "b")),
        turn("b", delegate("c", "c")),
        turn("c", { call: { name: "hang" } })
      ])
      const events = yield* Effect.gen(function* () {
        const session = yield* Testing.session()
        yield* session.send(new SubmitPrompt({ session: session.id, task: "t", prompt: "go" }))
        yield* Deferred.await(hanging)
        const before = fold(yield* session.recorded)
        assert.deepStrictEqual(
          before.nodes.map(({ path, status }) => [toText(path), status]),
          [
            ["root/ask", "asked"],
            ["root/a", "running"],
            ["root/a/b", "running"],
            ["root/a/b/c", "running"]
          ]
        )
        assert.strictEqual(WorkerTree.find(before, "c"), WorkerTree.find(before, "a/b/c"))
        yield* session.send(new Interrupt({ session: session.id }))
        yield* session.awaitEnd("t")
        return yield* session.recorded
      }).pipe(Effect.provide(Testing.layer({ tools: [Delegate, NeedInput, Hang], model })))
      const statuses = fold(events).nodes.map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["asked", "interrupted", "interrupted", "interrupted"])
    })
  )
})
