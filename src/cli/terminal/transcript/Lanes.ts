import type { CallShown, Display } from "../../../ui/Display.ts"
import type { OutputLines } from "./OutputLines.ts"

/** Lines under the header of a call, for the width that the screen has by then. */
export type Part = () => ReadonlyArray<string>

/** Parts that are kept of one call; what is more is counted. */
const partLimit = 200

/** What is to be printed of a call. */
export class CallBlock {
  call: CallShown
  /** How it ended. */
  ended: Extract<Display, { readonly _tag: "CallEnded" }> | undefined
  output: OutputLines | undefined
  private parts: Array<Part> = []
  private more = 0

  constructor(call: CallShown) {
    this.call = call
  }

  add(part: Part): void {
    if (this.parts.length < partLimit) this.parts.push(part)
    else this.more++
  }

  get isEmpty(): boolean {
    return this.parts.length === 0
  }

  /** What has not been taken yet, and how many parts of it were left out. */
  take(): { readonly lines: ReadonlyArray<string>; readonly more: number } {
    const taken = { lines: this.lines(), more: this.more }
    this.parts = []
    this.more = 0
    return taken
  }

  lines(): ReadonlyArray<string> {
    return this.parts.flatMap((part) => part())
  }
}

/** The calls that are not printed yet: those of each worker in the order in which the model asked for them. */
export class Lanes {
  private readonly lanes = new Map<string, Array<CallBlock>>()

  /** The block of a call, which is the last of its worker where it is new. */
  of(call: CallShown): CallBlock {
    const key = JSON.stringify(call.worker)
    const lane = this.lanes.get(key) ?? []
    this.lanes.set(key, lane)
    const known = lane.find((block) => block.call.key === call.key)
    if (known !== undefined) return known
    const block = new CallBlock(call)
    lane.push(block)
    return block
  }

  /** Takes those that have ended and wait for none in front of them. */
  ended(): ReadonlyArray<CallBlock> {
    const ready: Array<CallBlock> = []
    for (const [key, lane] of this.lanes) {
      while (lane[0]?.ended !== undefined) ready.push(lane.shift()!)
      if (lane.length === 0) this.lanes.delete(key)
    }
    return ready
  }

  /** Takes all of them. */
  all(): ReadonlyArray<CallBlock> {
    const all = this.open()
    this.lanes.clear()
    return all
  }

  open(): ReadonlyArray<CallBlock> {
    return [...this.lanes.values()].flat()
  }
}
