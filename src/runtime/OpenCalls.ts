import type { AgentEvent } from "../agent/AgentEvent.ts"
import { isCallEnd } from "../gate/CallEvent.ts"
import { callKey } from "../tool/CallPlace.ts"
import type { ToolEvent } from "../tool/ToolEvent.ts"
import { toText, type WorkerPath } from "../tool/WorkerPath.ts"
import type { Place } from "./Envelope.ts"

/** A call without a result. */
export interface OpenCall {
  readonly callId: string
  readonly tool: string
  readonly place: Place
  /** Its open request. */
  readonly approval?: string
}

/** A call of before a restart that goes on. */
export interface TakenCall {
  readonly callId: string
  readonly tool: string
  readonly requested: boolean
  /** It started a worker, which goes on. */
  readonly started: boolean
  /** Its request, which waits again. */
  readonly approval: string | undefined
}

/** The calls of a task that have no result yet, and the requests that they wait for. */
export class OpenCalls {
  /** The ids of open requests, which the next owner can ask again. */
  readonly waiting: Set<string>
  /** By their workers and then by their keys. */
  private readonly calls = new Map<string, Map<string, OpenCall>>()
  /** Those that were requested, or started, before a restart, and have not been so again. */
  private readonly requested = new Set<string>()
  private readonly started = new Set<string>()

  constructor(requests: ReadonlyArray<string>) {
    this.waiting = new Set(requests)
  }

  private open(place: Place, call: Omit<OpenCall, "place">): void {
    const worker = toText(place.worker ?? [])
    const own = this.calls.get(worker) ?? new Map<string, OpenCall>()
    this.calls.set(worker, own.set(callKey(place, call.callId), { ...call, place }))
  }

  private close(place: Place, callId: string): void {
    const worker = toText(place.worker ?? [])
    const own = this.calls.get(worker)
    own?.delete(callKey(place, callId))
    if (own?.size === 0) this.calls.delete(worker)
  }

  /** Notes which calls and requests an event opens or closes. */
  track(event: AgentEvent | ToolEvent, place: Place): void {
    if (isCallEnd(event)) return this.close(place, event.callId)
    switch (event._tag) {
      case "ApprovalRequested": {
        const { callId, id: approval, masked, tool } = event.request
        // Its parameters are not kept, so no other owner could run it.
        if (masked === undefined) this.waiting.add(approval)
        return this.open(place, { callId, tool, approval })
      }
      case "ApprovalResolved":
        this.waiting.delete(event.approvalId)
        return this.open(place, { callId: event.callId, tool: event.tool })
      case "ToolCallRequested":
        return this.open(place, { callId: event.callId, tool: event.tool })
      case "ModelAnswered": {
        const { message } = event.message
        const asked = message.role === "assistant" ? (message.tool_calls ?? []) : []
        for (const { function: of, id } of asked) this.open(place, { callId: id, tool: of.name })
      }
    }
  }

  /** Whether a call has no result yet. */
  isOpen(worker: WorkerPath, callId: string): boolean {
    return [...(this.calls.get(toText(worker))?.values() ?? [])].some((call) => call.callId === callId)
  }

  /** The open request of a call. */
  requestOf(place: Place, callId: string): string | undefined {
    return this.calls.get(toText(place.worker ?? []))?.get(callKey(place, callId))?.approval
  }

  /** The calls of a worker, or of all of them, which are not open any more. */
  takeAll(worker: WorkerPath | undefined): ReadonlyArray<OpenCall> {
    const which = worker === undefined ? [...this.calls.keys()] : [toText(worker)]
    const taken = which.flatMap((one) => [...(this.calls.get(one)?.values() ?? [])])
    for (const one of which) this.calls.delete(one)
    for (const { approval } of taken) if (approval !== undefined) this.waiting.delete(approval)
    return taken
  }

  /** Takes up calls of before a restart. */
  takeUp(taken: ReadonlyArray<TakenCall>, place: Place): void {
    for (const { approval, callId, requested, started, tool } of taken) {
      const key = callKey(place, callId)
      this.open(place, { callId, tool, ...(approval === undefined ? {} : { approval }) })
      if (requested) this.requested.add(key)
      if (started) this.started.add(key)
    }
  }

  /** Whether a call was requested before a restart; told once. */
  wasRequested(place: Place, callId: string): boolean {
    return this.requested.delete(callKey(place, callId))
  }

  /** Whether a call had started before a restart; told once. */
  hadStarted(place: Place, callId: string): boolean {
    return this.started.delete(callKey(place, callId))
  }
}
