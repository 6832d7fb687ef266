import type { Touch } from "./Step.ts"
import type { Touched } from "./Touched.ts"

/** What commands touch, one after the other as far as their order is known. */
export class Sequence {
  readonly touched: Array<Touched> = []
  #isAtOnce = false
  /** Where the loop, pipe or function begins that is read, whose commands may run before those that stand in front of them. */
  #since: number | undefined

  add(touch: Touch, from: ReadonlyArray<string>): void {
    const since = this.#isAtOnce ? 0 : (this.#since ?? this.touched.length)
    this.touched.push({ ...touch, from, ...(touch.op === "upset" && { since }) })
  }

  /** Notes that some commands run while others do. */
  atOnce(): void {
    this.#isAtOnce = true
    for (const [at, one] of this.touched.entries()) if (one.op === "upset") this.touched[at] = { ...one, since: 0 }
  }

  /** Reads what may run in another order than it is written. */
  inAnyOrder(read: () => void): void {
    const before = this.#since
    this.#since ??= this.touched.length
    read()
    this.#since = before
  }
}
