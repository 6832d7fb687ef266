/** Lines of a call's output that are shown as they come. */
const shownFirst = 12
/** Lines that are kept for the end once more have come than are shown. */
const shownLast = 4
/** Lines that name a failure, of those that were left out. */
const shownNaming = 8
const naming = /fail|error|not ok/i
/** Characters of an unfinished line. */
const partialLimit = 4096

type Channel = "stdout" | "stderr"

export interface OutputLine {
  readonly channel: Channel
  readonly text: string
}

/** A line as a terminal leaves it: a carriage return begins it anew. */
const settled = (line: string): string => line.replace(/\r$/, "").split("\r").at(-1) ?? ""

/** The output of one call: the first lines at once, of a long rest the last ones, and those that name a failure. */
export class OutputLines {
  private readonly first: number
  private readonly partial: Record<Channel, string> = { stdout: "", stderr: "" }
  private shown = 0
  private left = 0
  private last: Array<OutputLine> = []
  private naming: Array<OutputLine> = []

  constructor(first = shownFirst) {
    this.first = first
  }

  /** The output of a failed call that was not shown live, without its first lines. */
  static ofResult(text: string): OutputLines {
    const lines = new OutputLines(0)
    lines.push("stdout", text.endsWith("\n") ? text : `${text}\n`)
    return lines
  }

  push(channel: Channel, text: string): ReadonlyArray<OutputLine> {
    const lines = (this.partial[channel] + text).split("\n")
    this.partial[channel] = (lines.pop() ?? "").slice(-partialLimit)
    return this.take(lines.map((line) => ({ channel, text: settled(line) })))
  }

  /** The last lines of those that are kept for the end. */
  get latest(): ReadonlyArray<OutputLine> {
    return this.last
  }

  /** What is left to show, and how many lines were left out before it; of a failure also the lines that name it. */
  end(failed = false): { readonly omitted: number; readonly lines: ReadonlyArray<OutputLine> } {
    const rest = (["stdout", "stderr"] as const)
      .filter((channel) => this.partial[channel] !== "")
      .map((channel) => ({ channel, text: settled(this.partial[channel]) }))
    const now = this.take(rest)
    const lines = [...now, ...(failed ? this.naming : []), ...this.last]
    return { omitted: this.left - (lines.length - now.length), lines }
  }

  private take(lines: ReadonlyArray<OutputLine>): ReadonlyArray<OutputLine> {
    const now = lines.slice(0, Math.max(0, this.first - this.shown))
    this.shown += now.length
    const later = lines.slice(now.length)
    this.left += later.length
    const last = [...this.last, ...later]
    const left = last.slice(0, -shownLast).filter(({ text }) => naming.test(text))
    this.naming = [...this.naming, ...left].slice(-shownNaming)
    this.last = last.slice(-shownLast)
    return now
  }
}
