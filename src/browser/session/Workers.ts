import type { Envelope } from "../../runtime/Envelope.ts"

export type WorkerState = "waiting" | "running" | "asked" | "done" | "failed" | "interrupted"

/** A worker of the last task, the root included. */
export interface Worker {
  readonly path: ReadonlyArray<string>
  /** What it was asked to do. */
  readonly task: string
  state: WorkerState
  /** The tools of the calls that have not ended, by their ids. */
  readonly calls: Map<string, string>
  /** Requests that wait for a decision. */
  requests: number
  /** Of its own answers. */
  tokens: number
  /** Of its own requests, in billionths of a US dollar. */
  spent: number
  readonly startedAt: number
  endedAt: number | undefined
}

/** Workers that are kept; the oldest that have ended give way. */
const maxWorkers = 512

const keyOf = (path: ReadonlyArray<string>): string => path.join("/")

export const isOpen = ({ state }: Worker): boolean => state === "running" || state === "waiting"

/** The tree of workers of the last task. */
export class Workers {
  private readonly nodes = new Map<string, Worker>()
  task: string | undefined

  /** Those above before those below, siblings in the order of their start. */
  get all(): ReadonlyArray<Worker> {
    const inOrder = [...this.nodes.values()]
    const below = (path: ReadonlyArray<string>): ReadonlyArray<Worker> =>
      inOrder
        .filter(
          (node) => node.path.length === path.length + 1 && path.every((name, index) => node.path[index] === name)
        )
        .flatMap((node) => [node, ...below(node.path)])
    return below([])
  }

  step({ event, task, time, worker = [] }: Envelope): void {
    if (event._tag === "TaskStarted") {
      this.nodes.clear()
      this.task = task
      this.add(["root"], "", time)
      return
    }
    if (task !== this.task) return
    if (event._tag === "WorkerStarted") return this.add(worker, event.task, time)
    if (event._tag === "TaskCompleted" || event._tag === "TaskFailed" || event._tag === "TaskInterrupted") {
      const state = event._tag === "TaskCompleted" ? "done" : event._tag === "TaskFailed" ? "failed" : "interrupted"
      for (const node of this.nodes.values()) {
        if (isOpen(node)) this.close(node, node.path.length === 1 ? state : "interrupted", time)
      }
      return
    }
    const node = this.nodes.get(keyOf(worker))
    if (node === undefined || !isOpen(node)) return
    switch (event._tag) {
      case "WorkerCompleted":
        return this.close(node, event.status === "question" ? "asked" : "done", time)
      case "WorkerFailed":
        return this.close(node, "failed", time)
      case "WorkerInterrupted":
        return this.close(node, "interrupted", time)
      case "ToolCallRequested":
        node.calls.set(event.callId, event.tool)
        return
      case "ToolCallCompleted":
      case "ToolCallFailed":
      case "ToolCallInterrupted":
      case "ToolCallOutcomeUnknown":
        node.calls.delete(event.callId)
        return
      case "ApprovalRequested":
        node.requests++
        node.state = "waiting"
        return
      case "ApprovalResolved":
        node.requests = Math.max(0, node.requests - 1)
        if (node.requests === 0) node.state = "running"
        return
      case "IterationEnded":
        node.tokens += event.usage.inputTokens + event.usage.outputTokens
        return
      case "ModelCharged":
        node.spent += event.amount ?? 0
        return
      default:
    }
  }

  private add(path: ReadonlyArray<string>, task: string, time: number): void {
    if (this.nodes.size >= maxWorkers) {
      for (const [key, node] of this.nodes) {
        if (isOpen(node)) continue
        this.nodes.delete(key)
        break
      }
    }
    this.nodes.set(keyOf(path), {
      path,
      task,
      state: "running",
      calls: new Map(),
      requests: 0,
      tokens: 0,
      spent: 0,
      startedAt: time,
      endedAt: undefined
    })
  }

  private close(node: Worker, state: WorkerState, time: number): void {
    node.state = state
    node.calls.clear()
    node.requests = 0
    node.endedAt = time
  }
}
