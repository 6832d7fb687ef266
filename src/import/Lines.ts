import { refuse } from "./ImportProblem.ts"
import { maxPiece } from "./Limits.ts"

/** Cuts a text that comes in pieces into lines, without their ends. */
export class Lines {
  private parts: Array<string> = []
  private size = 0
  private count = 0

  push(text: string): ReadonlyArray<string> {
    const [first = "", ...others] = text.split("\n")
    this.hold(first)
    if (others.length === 0) return []
    const out = [this.take()]
    const last = others.pop() ?? ""
    for (const line of others) {
      this.hold(line)
      out.push(this.take())
    }
    this.hold(last)
    return out
  }

  /** The last line, which nothing ends. */
  end(): ReadonlyArray<string> {
    return this.size === 0 ? [] : [this.take()]
  }

  private hold(text: string): void {
    this.parts.push(text)
    this.size += text.length
    if (this.size > maxPiece) refuse(`line ${this.count + 1} is longer than ${maxPiece} characters`)
  }

  private take(): string {
    const line = this.parts.join("")
    this.parts = []
    this.size = 0
    this.count += 1
    return line.endsWith("\r") ? line.slice(0, -1) : line
  }
}
