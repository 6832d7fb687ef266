import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SessionStore } from "../../../runtime/SessionStore.ts"
import { toText } from "../../../tool/WorkerPath.ts"
import * as WorkerTree from "../../../ui/WorkerTree.ts"
import { Screen } from "../../terminal/Screen.ts"
import { workerRows } from "../workerRows.ts"
import { command, type Prompt } from "./Command.ts"

/** Events of one worker and those below it that are looked through, the last ones. */
const lookedThrough = 10_000
/** Columns in front of the rows of a note. */
const noteIndent = 2

const treeOf = (prompt: Prompt): WorkerTree.WorkerTree => prompt.current()?.workers() ?? WorkerTree.empty

const nameOf = ({ path }: WorkerTree.WorkerNode): string => toText(path.slice(1))

const completing = (which: (node: WorkerTree.WorkerNode) => boolean) => (_: ReadonlyArray<string>, prompt: Prompt) =>
  Effect.succeed(
    treeOf(prompt)
      .nodes.filter(which)
      .map((node) => ({ word: nameOf(node), summary: node.task }))
  )

const unknown = (name: string, prompt: Prompt) =>
  prompt.say(`no worker ${name} · ${treeOf(prompt).nodes.map(nameOf).join(", ") || "no task has started one"}`, "error")

export const workers = command({
  name: "workers",
  group: "work",
  summary: "show the sub-workers of the last task that had any, or all that one did",
  arguments: "[WORKER]",
  duringTask: true,
  complete: completing(() => true),
  run: (name, prompt) =>
    Effect.gen(function* () {
      const session = prompt.current()
      const tree = treeOf(prompt)
      if (session === undefined || tree.nodes.length === 0) return yield* prompt.say("no sub-workers yet")
      if (name === "") {
        const rows = WorkerTree.rows(tree, yield* Clock.currentTimeMillis, Infinity)
        return yield* prompt.say(rows.map(({ text }) => text).join("\n"))
      }
      const node = WorkerTree.find(tree, name)
      if (node === undefined || tree.task === undefined) return yield* unknown(name, prompt)
      const store = yield* SessionStore
      const which = { tasks: [tree.task], within: node.path, limit: lookedThrough, last: true }
      const events = yield* store.ofTasks(session.session, which)
      const { width } = yield* Screen
      const told = workerRows(node.path, events, () => width() - noteIndent)
      const earlier = events.length < lookedThrough ? [] : ["… what it did before is not shown"]
      yield* prompt.say([`${nameOf(node)}: ${node.status}`, ...earlier, ...told].join("\n"))
    })
})

export const cancel = command({
  name: "cancel",
  group: "work",
  summary: "stop one sub-worker and those below it; the task goes on",
  arguments: "WORKER",
  duringTask: true,
  complete: completing(WorkerTree.isOpen),
  run: (name, prompt) =>
    Effect.gen(function* () {
      if (name === "") return yield* prompt.say("usage: /cancel WORKER", "error")
      const session = prompt.current()
      const node = WorkerTree.find(treeOf(prompt), name)
      if (session === undefined || node === undefined) return yield* unknown(name, prompt)
      if (!WorkerTree.isOpen(node)) return yield* prompt.say(`${nameOf(node)} has ended: ${node.status}`, "error")
      yield* session.cancelWorker(node.path)
      yield* prompt.say(`stopped ${nameOf(node)}`)
    })
})
