import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import type { ApprovalResolved } from "../../tool/ToolEvent.ts"
import type { Approval, CallShown } from "../Display.ts"

/** The open approval requests of a session, in the order in which a person sees them. */
export class Requests {
  private queue: ReadonlyArray<Omit<Approval, "waiting">> = []
  /** Those from before a restart that have not been asked again yet. */
  private early: ReadonlyArray<ApprovalRequest> = []

  resume(requests: ReadonlyArray<ApprovalRequest>): void {
    this.queue = []
    this.early = requests
  }

  /** The request of before a restart that is asked again. */
  again(approvalId: string): ApprovalRequest | undefined {
    const found = this.early.find(({ id }) => id === approvalId)
    this.early = this.early.filter((other) => other !== found)
    return found
  }

  /** Gives the request where it is the first. */
  add(call: CallShown, request: ApprovalRequest, again = false): Approval | undefined {
    this.queue = [...this.queue, { call, request, ...(again && { again }) }]
    return this.queue.length === 1 ? this.first() : undefined
  }

  /** Whether it was the first. */
  remove({ approvalId }: ApprovalResolved): boolean {
    const [first] = this.queue
    this.queue = this.queue.filter(({ request }) => request.id !== approvalId)
    this.early = this.early.filter(({ id }) => id !== approvalId)
    return first?.request.id === approvalId
  }

  first(): Approval | undefined {
    const [first] = this.queue
    if (first === undefined) return undefined
    const worker = JSON.stringify(first.request.workerPath)
    return {
      ...first,
      waiting: () => this.queue.length - 1,
      others: () =>
        this.queue.flatMap(({ request }) =>
          request.id !== first.request.id && JSON.stringify(request.workerPath) === worker ? [request] : []
        )
    }
  }
}
