import { isCallEnd } from "../gate/CallEvent.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { isTerminal, type TerminalEvent } from "../runtime/Event.ts"
import { callKey } from "../tool/CallPlace.ts"

/** What has not ended yet of what the session has accepted: a line alone begins nothing, since it may be rejected or repeated. */
export class Unfinished {
  private readonly ended = new Set<string>()
  /** Requests that were answered here, whose events may still follow. */
  private readonly answered = new Set<string>()
  readonly tasks = new Set<string>()
  readonly approvals = new Map<string, string>()
  /** The calls that wait for the program, by their requests. */
  readonly clientCalls = new Map<string, string>()
  last: TerminalEvent | undefined

  begin(task: string): void {
    if (!this.ended.has(task)) this.tasks.add(task)
  }
  answer(request: string): void {
    this.answered.add(request)
    this.approvals.delete(request)
    this.clientCalls.delete(request)
  }
  note(envelope: Envelope): void {
    const { event, task } = envelope
    if (event._tag === "ApprovalRequested") {
      if (!this.answered.has(event.request.id)) this.approvals.set(event.request.id, event.request.tool)
    } else if (event._tag === "SessionResumed") {
      for (const { id, tool } of event.goesOn?.approvals ?? []) if (!this.answered.has(id)) this.approvals.set(id, tool)
    } else if (event._tag === "ApprovalResolved") this.approvals.delete(event.approvalId)
    else if (event._tag === "ClientCallRequested") {
      if (!this.answered.has(event.requestId)) this.clientCalls.set(event.requestId, callKey(envelope, event.callId))
    } else if (isCallEnd(event)) {
      const key = callKey(envelope, event.callId)
      for (const [request, call] of this.clientCalls) if (call === key) this.clientCalls.delete(request)
    } else if (event._tag === "TaskQueued" && task !== undefined) this.begin(task)
    else if (isTerminal(event) && task !== undefined) {
      this.ended.add(task)
      this.tasks.delete(task)
      this.last = event
    }
  }
}
