import { effect, signal } from "@preact/signals"
import type { Envelope } from "../../runtime/Envelope.ts"
import type { WaitingApproval } from "../../server/ApiSchema.ts"
import { login } from "../Api.ts"
import { drop, queue, queueProblem, take } from "../approval/Queue.ts"
import { happened, loadSessions } from "../session/Sessions.ts"

/** Whether this page hears of what happens. */
export const watching = signal<"opening" | "live" | "lost">("opening")

/** Pause before a stream that was refused is asked for again, in milliseconds. */
const again = 1500

interface Snapshot {
  readonly resumed: boolean
  readonly approvals: ReadonlyArray<WaitingApproval>
}

/** Follows all sessions and the queue of requests as long as the browser is logged in. */
export const watch = (): void => {
  effect(() => {
    if (login.value !== "in") {
      queue.value = []
      return
    }
    let timer = 0
    let source: EventSource
    const listen = () => {
      source = new EventSource("/v1/events")
      source.addEventListener("open", () => {
        watching.value = "live"
        queueProblem.value = undefined
      })
      source.addEventListener("error", () => {
        watching.value = "lost"
        queueProblem.value = { status: 0, message: "The server does not answer; the queue may have changed." }
        if (source.readyState === EventSource.CLOSED) timer = window.setTimeout(listen, again)
      })
      source.addEventListener("snapshot", ({ data }: MessageEvent<string>) => {
        const { approvals, resumed } = JSON.parse(data) as Snapshot
        take(approvals)
        if (!resumed) void loadSessions()
      })
      source.addEventListener("approvals", ({ data }: MessageEvent<string>) =>
        take(JSON.parse(data) as ReadonlyArray<WaitingApproval>)
      )
      source.addEventListener("message", ({ data }: MessageEvent<string>) => {
        const envelope = JSON.parse(data) as Envelope
        if (envelope.event._tag === "ApprovalResolved") drop(envelope.event.approvalId)
        happened(envelope)
      })
    }
    listen()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  })
}
