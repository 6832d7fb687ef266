import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoredMessage } from "../../../conversation/Message.ts"
import { SessionStore } from "../../../runtime/SessionStore.ts"
import { toText } from "../../../tool/WorkerPath.ts"
import * as WorkerTree from "../../../ui/WorkerTree.ts"
import { command, type Prompt } from "./Command.ts"

/** Messages of one worker that are shown. */
const shownMessages = 500

const treeOf = (prompt: Prompt): WorkerTree.WorkerTree => prompt.current()?.workers() ?? WorkerTree.empty

const nameOf = ({ path }: WorkerTree.WorkerNode): string => toText(path.slice(1))

const linesOf = ({ message }: StoredMessage): ReadonlyArray<string> => {
  const said = message.content ?? ""
  switch (message.role) {
    case "assistant": {
      const calls = (message.tool_calls ?? []).map(({ function: { arguments: given, name } }) => `→ ${name} ${given}`)
      return said === "" ? calls : [said, ...calls]
    }
    case "tool":
      return [`← ${said}`]
    default:
      return [`> ${said}`]
  }
}

const completing = (which: (node: WorkerTree.WorkerNode) => boolean) => (_: ReadonlyArray<string>, prompt: Prompt) =>
  Effect.succeed(
    treeOf(prompt)
      .nodes.filter(which)
      .map((node) => ({ word: nameOf(node), summary: node.task }))
  )

const unknown = (name: string, prompt: Prompt) =>
  prompt.say(
    `no worker ${name} · ${treeOf(prompt).nodes.map(nameOf).join(", ") || "the task has started none"}`,
    "error"
  )

export const workers = command({
  name: "workers",
  group: "work",
  summary: "show the sub-workers of the last task, or all that one did",
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
      const of = { task: tree.task, worker: node.path, limit: shownMessages }
      const messages = yield* store.workerMessages(session.session, of)
      yield* prompt.say([`${nameOf(node)}: ${node.status}`, ...messages.flatMap(linesOf)].join("\n"))
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
      const session = prompt.current()
      const node = WorkerTree.find(treeOf(prompt), name)
      if (session === undefined || node === undefined) return yield* unknown(name, prompt)
      if (!WorkerTree.isOpen(node)) return yield* prompt.say(`${nameOf(node)} has ended: ${node.status}`, "error")
      yield* session.cancelWorker(node.path)
      yield* prompt.say(`stopped ${nameOf(node)}`)
    })
})
