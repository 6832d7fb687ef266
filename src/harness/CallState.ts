import type { Event } from "../runtime/Event.ts"
import { isSame, toText, type WorkerPath } from "../tool/WorkerPath.ts"

export type Complain = (what: string) => void
export type Of<Tag extends Event["_tag"]> = Extract<Event, { readonly _tag: Tag }>
type CallEnd = "ToolCallCompleted" | "ToolCallFailed" | "ToolCallInterrupted" | "ToolCallOutcomeUnknown"

/** What the whole log has told of so far. */
export interface Known {
  /** Of the owner of the session. */
  epoch: number
  readonly approvals: Set<string>
  readonly requests: Set<string>
}

/** A withdrawn request is ignored if its task was replaced or no longer asks. */
const replaced: ReadonlySet<string> = new Set(["change", "restart"])

/** One call, by its place: an id of a model comes again in other iterations and workers. */
export class CallState {
  requested = false
  readOnly: boolean | undefined
  concurrent = false
  /** The owner of the session when it started. */
  epoch = 0
  ended: Of<CallEnd>["_tag"] | undefined
  approval: string | undefined
  refused = false
  /** Those that had not ended when it was requested. */
  beside: ReadonlyArray<CallState> = []
  answered = false
  crashed = false
  unreviewed = false
  attempts = 1
  stragglers = 0
  readonly id: string
  readonly tool: string

  constructor(id: string, tool: string) {
    this.id = id
    this.tool = tool
  }
  get started(): boolean {
    return this.readOnly !== undefined
  }

  /** Whether both have started, and may run side by side. */
  mayOverlap(other: CallState): boolean {
    const reads = this.readOnly === true && other.readOnly === true
    return reads || (this.concurrent && other.concurrent && this.tool === other.tool)
  }

  /** Its end, with the workers that it has started and that have not ended. */
  end(event: Of<CallEnd>, epoch: number, below: ReadonlyArray<WorkerPath>, complain: Complain): void {
    const { id } = this
    if (this.ended !== undefined) return complain(`${id} had ended before`)
    const { message } = event.message
    if (message.role !== "tool" || message.tool_call_id !== id) complain(`has no result for ${id}`)
    if (this.tool !== event.tool) complain(`${id} is a call of ${this.tool}`)
    if (this.approval !== undefined) complain(`before the decision on ${id}`)
    for (const path of below) complain(`before the end of its worker ${toText(path)}`)
    if (event._tag === "ToolCallCompleted" || event._tag === "ToolCallFailed") {
      if (!this.requested) complain(`${id} was not requested`)
    }
    if (event._tag === "ToolCallCompleted") {
      // Earlier versions have told of a hook that answered by `HookIntervened` alone.
      if (!this.started && !this.answered && event.answered === undefined) complain(`${id} has not started`)
      if (this.started && this.epoch === epoch && event.answered === true) complain(`${id} has started`)
      if (this.crashed) complain(`${id} has crashed`)
    }
    if (event._tag === "ToolCallOutcomeUnknown" && (this.readOnly !== false || this.epoch === epoch)) {
      complain(`${id} was not running when its owner died`)
    }
    this.ended = event._tag
  }

  /** What happens between its request and its end, to a call of the worker at this path. */
  within(event: Event, path: WorkerPath, log: Known, complain: Complain): void {
    const { id } = this
    if (!this.requested) complain(`${id} was not requested`)
    switch (event._tag) {
      case "ToolStragglerEnded":
        if (!this.started) complain(`${id} has not started`)
        if (++this.stragglers > this.attempts) complain(`${id} had ended before`)
        return
      case "FileChanged":
      case "ToolOutput":
      case "ToolProgressed":
        if (!this.started && event._tag === "FileChanged") complain(`${id} has not started`)
        // One that was given up on may go on for a while.
        if (this.ended === "ToolCallCompleted" && event._tag === "FileChanged") complain(`${id} has ended`)
        return
      default:
    }
    if (this.ended !== undefined) return complain(`${id} has ended`)
    switch (event._tag) {
      case "ApprovalRequested": {
        const { request } = event
        if (log.approvals.has(request.id)) complain(`${request.id} was requested before`)
        if (this.approval !== undefined) complain(`${this.approval} is open`)
        if (this.started) complain(`${id} has started`)
        if (request.tool !== this.tool || !isSame(request.workerPath, path)) complain("is that of another call")
        log.approvals.add(request.id)
        log.requests.add(request.id)
        this.approval = request.id
        return
      }
      case "ApprovalMoved":
        if (this.approval !== event.approvalId) complain(`${event.approvalId} is not open`)
        return
      case "ApprovalResolved":
        if (this.approval !== event.approvalId) complain(`${event.approvalId} is not open`)
        this.approval = undefined
        this.refused = event.outcome !== "granted" && !(event.outcome === "withdrawn" && replaced.has(event.by))
        return
      case "ToolCallStarted":
        // What only reads may be read again by the next owner.
        if (this.started && (this.readOnly === false || this.epoch === log.epoch)) complain(`${id} had started before`)
        if (this.approval !== undefined) complain(`before the decision on ${id}`)
        if (this.refused) complain(`${id} was refused`)
        this.readOnly = event.readOnly
        this.concurrent = event.concurrent === true
        if (this.beside.some((other) => !this.mayOverlap(other))) {
          complain(`${id} has not waited for the calls before it`)
        }
        this.epoch = log.epoch
        return
      case "ClientCallRequested":
        if (!this.started) complain(`${id} has not started`)
        if (log.requests.has(event.requestId)) complain(`${event.requestId} was requested before`)
        log.requests.add(event.requestId)
        return
      case "ToolCallRetried":
        if (!this.started) complain(`${id} has not started`)
        if (event.attempt !== this.attempts + 1) complain(`attempt ${event.attempt} follows ${this.attempts}`)
        this.attempts = event.attempt
        return
      case "ToolDefectCaught":
        if (this.crashed) complain(`${id} had crashed before`)
        this.crashed = true
        return
      case "ReviewerFailed":
        if (this.unreviewed) complain(`${id} was reported before`)
        if (this.started) complain(`${id} has started`)
        this.unreviewed = true
        return
      case "HookIntervened":
        this.answered ||= event.action === "answered"
        return
      default:
    }
  }
}
