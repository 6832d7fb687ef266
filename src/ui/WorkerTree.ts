import { isWorkerEnd } from "../agent/AgentEvent.ts"
import { isCallEnd } from "../gate/CallEvent.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { isTerminal } from "../runtime/Event.ts"
import { duration } from "../text/duration.ts"
import { visibleLine } from "../text/visible.ts"
import { isBelow, isSame, isWithin, parentOf, toText, type WorkerPath } from "../tool/WorkerPath.ts"
import { many } from "./Words.ts"

/** `waiting` is for a decision of the user. */
export type WorkerStatus = "waiting" | "running" | "asked" | "done" | "failed" | "interrupted"

/** A sub-worker as a frontend shows it. */
export interface WorkerNode {
  readonly path: WorkerPath
  readonly status: WorkerStatus
  /** The task as its parent put it, at most 200 characters. */
  readonly task: string
  /** The named worker that it is. */
  readonly named?: string
  /** The calls that have not ended, the latest last. */
  readonly calls: ReadonlyArray<{ readonly callId: string; readonly tool: string }>
  /** Requests that wait for a decision. */
  readonly requests: number
  /** Of its own answers. */
  readonly tokens: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt?: number
}

/** The sub-workers of the last task that started any. */
export interface WorkerTree {
  readonly task: string | undefined
  /** Those above before those below, siblings in the order of their start. */
  readonly nodes: ReadonlyArray<WorkerNode>
  /** Ended ones that are no longer among the nodes. */
  readonly dropped: number
}

/** Nodes that are kept. */
export const maxNodes = 256
const maxTask = 200

export const empty: WorkerTree = { task: undefined, nodes: [], dropped: 0 }

export const isOpen = ({ status }: WorkerNode): boolean => status === "running" || status === "waiting"

const change = (tree: WorkerTree, path: WorkerPath, to: (node: WorkerNode) => WorkerNode): WorkerTree => {
  const at = tree.nodes.findIndex((node) => isSame(node.path, path))
  const node = tree.nodes[at]
  if (node === undefined || !isOpen(node)) return tree
  const changed = to(node)
  return changed === node ? tree : { ...tree, nodes: tree.nodes.with(at, changed) }
}

/** The tree without its oldest ended leaf, if it has more nodes than are kept. */
const bounded = (tree: WorkerTree): WorkerTree => {
  if (tree.nodes.length <= maxNodes) return tree
  const isLeaf = ({ path }: WorkerNode) => !tree.nodes.some((other) => isBelow(other.path, path))
  const ended = tree.nodes.filter((node) => !isOpen(node) && isLeaf(node))
  const oldest = ended.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))[0]
  if (oldest === undefined) return tree
  return { ...tree, nodes: tree.nodes.filter((node) => node !== oldest), dropped: tree.dropped + 1 }
}

const added = (tree: WorkerTree, node: WorkerNode): WorkerTree => {
  const parent = parentOf(node.path)
  const last = tree.nodes.findLastIndex(({ path }) => isWithin(path, parent))
  const at = last < 0 ? tree.nodes.length : last + 1
  return bounded({ ...tree, nodes: tree.nodes.toSpliced(at, 0, node) })
}

const decided = (node: WorkerNode, requests: number): WorkerNode => ({
  ...node,
  requests,
  status: requests > 0 ? "waiting" : "running"
})

/** The tree after one more event; the same one where nothing of it changes. */
export const step = (tree: WorkerTree, { event, task, time, transient, worker = [] }: Envelope): WorkerTree => {
  if (transient === true) return tree
  if (event._tag === "WorkerStarted") {
    return added(task === tree.task ? tree : { ...empty, task }, {
      path: worker,
      status: "running",
      task: event.task.slice(0, maxTask),
      ...(event.named === undefined ? {} : { named: event.named }),
      calls: [],
      requests: 0,
      tokens: 0,
      startedAt: time
    })
  }
  if (tree.nodes.length === 0 || task !== tree.task) return tree
  if (isTerminal(event)) {
    const nodes = tree.nodes.map((node) =>
      isOpen(node) ? { ...node, status: "interrupted" as const, calls: [], requests: 0, endedAt: time } : node
    )
    return { ...tree, nodes }
  }
  if (worker.length < 2) return tree
  if (isWorkerEnd(event)) {
    const status =
      event._tag === "WorkerFailed"
        ? "failed"
        : event._tag === "WorkerInterrupted"
          ? "interrupted"
          : event.status === "question"
            ? "asked"
            : "done"
    return change(tree, worker, (node) => ({ ...node, status, calls: [], requests: 0, endedAt: time }))
  }
  if (isCallEnd(event)) {
    return change(tree, worker, (node) => ({
      ...node,
      calls: node.calls.filter(({ callId }) => callId !== event.callId)
    }))
  }
  switch (event._tag) {
    case "ToolCallRequested": {
      const { callId, tool } = event
      return change(tree, worker, (node) => ({ ...node, calls: [...node.calls, { callId, tool }] }))
    }
    case "ApprovalRequested":
      return change(tree, worker, (node) => decided(node, node.requests + 1))
    case "ApprovalResolved":
      return change(tree, worker, (node) => decided(node, Math.max(0, node.requests - 1)))
    case "IterationEnded": {
      const { inputTokens, outputTokens } = event.usage
      return change(tree, worker, (node) => ({ ...node, tokens: node.tokens + inputTokens + outputTokens }))
    }
    default:
      return tree
  }
}

export const marks: Readonly<Record<WorkerStatus, string>> = {
  running: "●",
  waiting: "○",
  asked: "?",
  done: "✓",
  failed: "✗",
  interrupted: "◼"
}

/** What a row says of a worker besides its state. */
const aboutNode = (node: WorkerNode, now: number): string => {
  const time = duration(Math.max(0, Math.floor(((node.endedAt ?? now) - node.startedAt) / 100) * 100))
  const doing = !isOpen(node)
    ? node.status === "asked"
      ? "needs to know more"
      : ""
    : node.status === "waiting"
      ? "needs an answer"
      : (node.calls.at(-1)?.tool ?? "thinking")
  return [doing, node.tokens === 0 ? "" : many(node.tokens, "token"), time].filter((text) => text !== "").join(" · ")
}

/** One row of the tree. */
export interface WorkerRow {
  /** Unset for the row that counts those that are left out. */
  readonly status?: WorkerStatus
  /** On one line, visible, not fitted to any width. */
  readonly text: string
}

const rowOf = (node: WorkerNode, now: number): WorkerRow => ({
  status: node.status,
  text: visibleLine(
    `${"  ".repeat(node.path.length - 2)}${marks[node.status]} ${node.path.at(-1) ?? ""}  ${aboutNode(node, now)}`
  )
})

/** The tree in at most `most` rows: the open workers and those above them first, then the others, in the order of the tree. */
export const rows = ({ dropped, nodes }: WorkerTree, now: number, most: number): ReadonlyArray<WorkerRow> => {
  const room = nodes.length + (dropped > 0 ? 1 : 0) <= most ? nodes.length : Math.max(0, most - 1)
  const open = nodes.filter(isOpen)
  const chosen = new Set([...open, ...nodes.toReversed()].slice(0, room + open.length).slice(0, room))
  for (const node of nodes) if (chosen.size < room) chosen.add(node)
  const left = nodes.filter((node) => !chosen.has(node))
  const running = left.filter(isOpen).length
  const hidden = left.length + dropped
  const shown = nodes.filter((node) => chosen.has(node)).map((node) => rowOf(node, now))
  if (hidden === 0) return shown
  const more = `… ${many(hidden, "more worker")}${running === 0 ? "" : `, ${running} running`}`
  return [...shown, { text: more }]
}

/** The worker that a person means by a path, with or without the root's name, or by a name that only one has. */
export const find = ({ nodes }: WorkerTree, named: string): WorkerNode | undefined => {
  const exact = nodes.find(({ path }) => toText(path) === named || toText(path.slice(1)) === named)
  const same = nodes.filter(({ path }) => path.at(-1) === named)
  return exact ?? (same.length === 1 ? same[0] : undefined)
}
