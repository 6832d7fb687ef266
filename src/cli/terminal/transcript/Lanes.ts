import type { CallShown } from "../../../ui/Display.ts"
import { CallBlock, type CallRemark, type CallTold } from "./CallBlock.ts"

/** What a worker said between its calls. */
export interface Said {
  readonly said: CallRemark
  readonly depth: number
}

type Entry = CallBlock | Said

/** What is to be printed next: the head of a call whose worker has something to show, what that worker said, or a call that has ended. */
export type Ready =
  | { readonly _tag: "Begins"; readonly block: CallBlock }
  | { readonly _tag: "Said"; readonly remark: CallRemark; readonly depth: number }
  /** With what is to be printed under its head. */
  | { readonly _tag: "Ended"; readonly block: CallBlock; readonly inner: ReadonlyArray<Ready> }

const laneOf = ({ under, worker }: CallShown): string => under ?? JSON.stringify(worker)

const isWorthIt = (ready: Ready): boolean =>
  ready._tag !== "Ended" ||
  ready.block.begun ||
  ready.block.ended !== undefined ||
  ready.block.output !== undefined ||
  ready.inner.some(isWorthIt)

/**
 * What is not printed yet: the calls of each worker in the order in which the model asked for them. The lane of a sub-worker stands
 * under the call that started it, and waits for what stands before that call.
 */
export class Lanes {
  private readonly lanes = new Map<string, Array<Entry>>()
  private readonly blocks = new Map<string, CallBlock>()

  /** The block of a call, which is the last of its worker where it is new. */
  of(call: CallShown): CallBlock {
    const known = this.blocks.get(call.key)
    if (known !== undefined) return known
    const above = call.under === undefined ? undefined : this.blocks.get(call.under)
    const block = new CallBlock(call, above === undefined ? 0 : above.depth + 1)
    this.blocks.set(call.key, block)
    this.lane(above === undefined ? JSON.stringify(call.worker) : laneOf(call)).push(block)
    return block
  }

  /** Takes what is told of a call; what its worker said stands behind the calls that the worker has asked for. */
  note(told: CallTold): void {
    const block = this.of(told.call)
    if (told._tag !== "CallNote" || block.worker === undefined) return block.note(told)
    this.lane(block.call.key).push({ said: told, depth: block.depth + 1 })
  }

  /** Takes what has ended and waits for nothing in front of it. */
  ready(): ReadonlyArray<Ready> {
    return this.tops().flatMap(([key, lane]) => this.take(key, lane, false))
  }

  /** Takes all of them, in their order, but for those that have nothing to show. */
  all(): ReadonlyArray<Ready> {
    const all = this.tops().flatMap(([, lane]) => this.rest(lane))
    this.lanes.clear()
    this.blocks.clear()
    return all.filter(isWorthIt)
  }

  /** The calls that are not printed, those above before those under them. */
  open(): ReadonlyArray<CallBlock> {
    const under = (lane: ReadonlyArray<Entry>): ReadonlyArray<CallBlock> =>
      lane.flatMap((entry) => ("said" in entry ? [] : [entry, ...under(this.lanes.get(entry.call.key) ?? [])]))
    return this.tops().flatMap(([, lane]) => under(lane))
  }

  /** The lanes that stand under no call. */
  private tops(): ReadonlyArray<readonly [string, Array<Entry>]> {
    return [...this.lanes].filter(([key]) => !this.blocks.has(key))
  }

  private lane(key: string): Array<Entry> {
    const lane = this.lanes.get(key) ?? []
    this.lanes.set(key, lane)
    return lane
  }

  private take(key: string, lane: Array<Entry>, closed: boolean): ReadonlyArray<Ready> {
    const ready: Array<Ready> = []
    for (let entry = lane[0]; entry !== undefined; entry = lane[0]) {
      if ("said" in entry) {
        // What was said last stands with the end of the worker, which may be all that there is to show.
        if (!closed && lane.length === 1) break
        ready.push({ _tag: "Said", remark: entry.said, depth: entry.depth })
      } else {
        const own = entry.call.key
        const isOver = entry.ended !== undefined
        const lower = this.lanes.get(own) ?? []
        const inner = [...this.take(own, lower, isOver), ...(isOver ? this.rest(lower) : [])]
        if (isOver && !entry.begun) ready.push({ _tag: "Ended", block: entry, inner })
        else {
          if (inner.length > 0 && !entry.begun) ready.push({ _tag: "Begins", block: entry })
          ready.push(...inner)
          if (!isOver) break
          ready.push({ _tag: "Ended", block: entry, inner: [] })
        }
        this.blocks.delete(own)
        this.lanes.delete(own)
      }
      lane.shift()
    }
    if (lane.length === 0) this.lanes.delete(key)
    return ready
  }

  private rest(lane: ReadonlyArray<Entry>): ReadonlyArray<Ready> {
    return lane.flatMap((entry): ReadonlyArray<Ready> => {
      if ("said" in entry) return [{ _tag: "Said", remark: entry.said, depth: entry.depth }]
      const inner = this.rest(this.lanes.get(entry.call.key) ?? [])
      this.blocks.delete(entry.call.key)
      this.lanes.delete(entry.call.key)
      return entry.begun
        ? [...inner, { _tag: "Ended", block: entry, inner: [] }]
        : [{ _tag: "Ended", block: entry, inner }]
    })
  }
}
