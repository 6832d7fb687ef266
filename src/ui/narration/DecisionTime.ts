import { isWorkerEnd } from "../../agent/AgentEvent.ts"
import { isCallEnd } from "../../gate/CallEvent.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { callKey } from "../../tool/CallPlace.ts"

/** How long nothing went on but a wait for a person's decision: with workers side by side, one may wait while another works. */
export class DecisionTime {
  private readonly asking = new Set<string>()
  /** Model requests and calls that go on; one that waits for its worker does nothing itself. */
  private readonly busy = new Set<string>()
  private last = 0
  private waited = 0

  get millis(): number {
    return this.waited
  }

  step(envelope: Envelope): void {
    if (envelope.transient === true) return
    const { event, time, worker = [] } = envelope
    if (this.asking.size > 0 && this.busy.size === 0) this.waited += Math.max(0, time - this.last)
    this.last = time
    const model = `model ${worker.join("/")}`
    if (isWorkerEnd(event)) this.busy.delete(model)
    else if (isCallEnd(event)) this.busy.delete(callKey(envelope, event.callId))
    else {
      switch (event._tag) {
        case "ModelRequested":
          this.busy.add(model)
          return
        case "ModelAnswered":
        case "ModelInterrupted":
          this.busy.delete(model)
          return
        case "ToolCallStarted":
          this.busy.add(callKey(envelope, event.callId))
          return
        case "WorkerStarted": {
          const parent = JSON.stringify(worker.slice(0, -1))
          const isOwn = (key: string) =>
            key.includes(`,${parent},`) && key.endsWith(`,${JSON.stringify(event.callId)}]`)
          for (const key of this.busy) if (isOwn(key)) this.busy.delete(key)
          return
        }
        case "ApprovalRequested":
          this.asking.add(event.request.id)
          return
        case "ApprovalMoved":
          this.asking.add(event.approvalId)
          return
        case "ApprovalResolved":
          this.asking.delete(event.approvalId)
          return
        case "SessionResumed":
        case "SessionSuspended":
          this.asking.clear()
          this.busy.clear()
          return
        default:
      }
    }
  }
}
