import type { ApprovalRequest } from "../../../tool/ApprovalRequest.ts"
import type { CallShown, Diff, Display, Level } from "../../../ui/Display.ts"
import { Output, type OutputLine } from "./Output.ts"

/** What a frontend is told of a call. */
export type CallTold = Extract<Display, { readonly call: CallShown }>

/** Something said of a call. */
export interface CallRemark {
  readonly level: Level
  readonly text: string
}

/** Lines of output that are printed as they come where nothing shows what runs. */
const earlyLines = 12
/** Remarks and diffs that are kept of one call; of more the first. */
const kept = 200

/** What is known of a call that is not printed yet. */
export class CallBlock {
  call: CallShown
  /** How it ended. */
  ended: Extract<Display, { readonly _tag: "CallEnded" }> | undefined
  output: Output | undefined
  /** What a person was asked about it. */
  request: ApprovalRequest | undefined
  /** It waits for the decision on its request. */
  waits = false
  /** Its tool has begun to run. */
  started = false
  /** A person has allowed it, this once. */
  approved = false
  readonly remarks: Array<CallRemark> = []
  /** What it changed. */
  readonly diffs: Array<Diff> = []
  /** The sub-worker that it has started. */
  worker: string | undefined
  /** How many calls it stands under. */
  readonly depth: number
  /** Its head is printed, where nothing shows what runs or its worker has more to show. */
  begun = false
  /** Lines of its output that are printed already. */
  streamed = 0
  /** The first lines of its output. */
  private early: Array<OutputLine> = []

  constructor(call: CallShown, depth = 0) {
    this.call = call
    this.depth = depth
  }

  /** Takes what is told of it. */
  note(told: CallTold): void {
    switch (told._tag) {
      case "CallAsked":
        // Its arguments are masked for a person, and no longer for a log.
        this.call = told.call
        this.request = told.request
        this.waits = true
        // What was allowed before did not run.
        this.approved = false
        return
      case "CallDecided":
        this.waits = false
        if (told.once) this.approved = true
        else if (told.text !== undefined) this.remark({ level: "info", text: told.text })
        return
      case "CallStarted":
        // What runs may not be what was asked for.
        if (told.changed) this.call = told.call
        this.waits = false
        this.started = true
        return
      case "CallOutput":
        return this.heard(told.channel, told.text)
      case "CallDelegated":
        this.worker = told.name
        return
      case "CallNote":
        return this.remark(told)
      case "CallEnded":
        this.ended = told
        if (this.output === undefined && told.result !== undefined) this.output = Output.ofResult(told.result)
        return this.output?.end()
      case "CallBegan":
        return
    }
  }

  private heard(channel: "stdout" | "stderr", text: string): void {
    this.started = true
    this.output ??= new Output()
    const lines = this.output.push(channel, text)
    this.early.push(...lines.filter(({ at }) => at < earlyLines))
  }

  /** The first lines that are not printed yet, which are so now. */
  stream(): ReadonlyArray<OutputLine> {
    const lines = this.early.slice(this.streamed)
    this.streamed = this.early.length
    return lines
  }

  private remark(remark: CallRemark): void {
    if (this.remarks.length < kept) this.remarks.push(remark)
  }

  change(diff: Diff): void {
    if (this.diffs.length < kept) this.diffs.push(diff)
  }
}
