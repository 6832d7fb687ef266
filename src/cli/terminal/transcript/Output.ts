/** Lines of a running call's output that are seen. */
export const liveLines = 5
/** Lines that are kept for the end. */
const keptLast = 20
/** Lines that name a failure, of those before them. */
const keptNaming = 20
const naming = /fail|error|not ok/i
/** Characters of an unfinished line. */
const partialLimit = 4096
/** Characters of the whole that are kept, of the beginning and of the end each. */
const wholeLimit = 64 * 1024

type Channel = "stdout" | "stderr"

export interface OutputLine {
  readonly channel: Channel
  readonly text: string
  /** How many whole lines came before it. */
  readonly at: number
}

/** A line as a terminal leaves it: a carriage return begins it anew. */
const settled = (line: string): string => (line.replace(/\r+$/, "").split("\r").at(-1) ?? "").slice(0, partialLimit)

/** The output of one call: its last lines, those that name a failure, and as much of the whole as there is room for. */
export class Output {
  private readonly partial: Record<Channel, string> = { stdout: "", stderr: "" }
  private last: Array<OutputLine> = []
  private naming: Array<OutputLine> = []
  private first: Array<OutputLine> = []
  private rest: Array<OutputLine> = []
  private firstSize = 0
  private restSize = 0
  private dropped = 0
  /** Whole lines so far. */
  count = 0

  /** The output of a call that did not tell it as it came. */
  static ofResult(text: string): Output {
    const output = new Output()
    output.push("stdout", text)
    return output
  }

  /** Gives the lines that are whole by now. */
  push(channel: Channel, text: string): ReadonlyArray<OutputLine> {
    const lines = (this.partial[channel] + text).split("\n")
    this.partial[channel] = (lines.pop() ?? "").slice(-partialLimit)
    return lines.map((line) => this.take({ channel, text: settled(line), at: this.count }))
  }

  /** What a terminal of a few rows would show. */
  get latest(): ReadonlyArray<OutputLine> {
    return [...this.last, ...this.unfinished].slice(-liveLines)
  }

  /** Nothing more comes. */
  end(): void {
    for (const line of this.unfinished) this.take({ ...line, at: this.count })
    this.partial.stdout = this.partial.stderr = ""
  }

  /** The last lines, and of a failure before them those that name it. */
  shown(failed: boolean): ReadonlyArray<OutputLine> {
    return failed ? [...this.naming, ...this.last] : this.last.slice(-liveLines)
  }

  /** As much of the whole as is kept: its beginning and its end. */
  get whole(): {
    readonly first: ReadonlyArray<string>
    readonly dropped: number
    readonly rest: ReadonlyArray<string>
  } {
    const text = (lines: ReadonlyArray<OutputLine>) => lines.map((line) => line.text)
    return { first: text(this.first), dropped: this.dropped, rest: text(this.rest) }
  }

  private get unfinished(): ReadonlyArray<OutputLine> {
    return (["stdout", "stderr"] as const)
      .filter((channel) => this.partial[channel] !== "")
      .map((channel) => ({ channel, text: settled(this.partial[channel]), at: this.count }))
  }

  private take(line: OutputLine): OutputLine {
    this.count++
    this.last.push(line)
    if (this.last.length > keptLast) {
      const passed = this.last.shift()!
      if (naming.test(passed.text)) this.naming = [...this.naming, passed].slice(-keptNaming)
    }
    this.keep(line)
    return line
  }

  private keep(line: OutputLine): void {
    const size = line.text.length + 1
    if (this.rest.length === 0 && this.firstSize + size <= wholeLimit) {
      this.first.push(line)
      this.firstSize += size
      return
    }
    this.rest.push(line)
    this.restSize += size
    if (this.restSize <= 2 * wholeLimit) return
    // Now and then rather than with each line: taking the first of many is dear.
    let gone = 0
    while (this.restSize > wholeLimit) this.restSize -= this.rest[gone++]!.text.length + 1
    this.rest = this.rest.slice(gone)
    this.dropped += gone
  }
}
