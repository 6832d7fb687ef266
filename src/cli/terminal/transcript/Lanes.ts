import type { CallShown } from "../../../ui/Display.ts"
import { CallBlock } from "./CallBlock.ts"

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
