import type { ToolCall } from "../../tool/ToolCall.ts"

/** Counts what rules of the user leave out of what a call finds. */
export class Withheld {
  private count = 0
  private readonly withholds: (path: string) => boolean

  constructor(call: ToolCall) {
    this.withholds = call.withheld ?? (() => false)
  }

  /** Whether it is left out; to be asked once of each path. */
  has(path: string): boolean {
    const withheld = this.withholds(path)
    if (withheld) this.count++
    return withheld
  }

  /** What is said of what was left out, which is not named. */
  get notes(): ReadonlyArray<string> {
    return this.count === 0
      ? []
      : [`[${this.count} ${this.count === 1 ? "entry was" : "entries were"} left out by rules of the user]`]
  }
}
