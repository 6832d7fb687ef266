import { type Line, LineReader } from "../text/LineReader.ts"
import { refuse } from "./ImportProblem.ts"
import { maxPiece } from "./Limits.ts"

/** Cuts a text that comes in pieces into lines, without their ends. */
export class Lines {
  private readonly reader = new LineReader(maxPiece)
  private count = 0

  push(text: string): ReadonlyArray<string> {
    return this.reader.push(text).map((line) => this.take(line))
  }

  /** The last line, which nothing ends. */
  end(): ReadonlyArray<string> {
    return this.reader.end().map((line) => this.take(line))
  }

  private take({ isCut, text }: Line): string {
    this.count += 1
    if (isCut) refuse(`line ${this.count} is longer than ${maxPiece} characters`)
    return text.endsWith("\r") ? text.slice(0, -1) : text
  }
}
