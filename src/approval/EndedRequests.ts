import type { ApprovalNotPending } from "./ApprovalError.ts"

type EndState = ApprovalNotPending["state"]

/** Ended requests that are still told from those that never were. */
const maxEnded = 1000

/** How requests ended that wait no more; the oldest are forgotten. */
export class EndedRequests {
  private readonly ended = new Map<string, EndState>()

  add(approvalId: string, state: EndState): void {
    this.ended.set(approvalId, state)
    for (const oldest of this.ended.keys()) {
      if (this.ended.size <= maxEnded) break
      this.ended.delete(oldest)
    }
  }

  stateOf(approvalId: string): EndState {
    return this.ended.get(approvalId) ?? "unknown"
  }
}
