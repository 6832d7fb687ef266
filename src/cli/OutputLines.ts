/** Lines of a call's output that are shown as they come. */
const shownFirst = 12
/** Lines that are kept for the end once more have come than are shown. */
const shownLast = 4
/** Characters of an unfinished line. */
const partialLimit = 4096

type Channel = "stdout" | "stderr"

export interface OutputLine {
  readonly channel: Channel
  readonly text: string
}

/** A line as a terminal leaves it: a carriage return begins it anew. */
const settled = (line: string): string => line.replace(/\r$/, "").split("\r").at(-1) ?? ""

/** The output of one call: the first lines at once, of a long rest only the last ones. */
export class OutputLines {
  private readonly partial: Record<Channel, string> = { stdout: "", stderr: "" }
  private shown = 0
  private left = 0
  private last: Array<OutputLine> = []

  push(channel: Channel, text: string): ReadonlyArray<OutputLine> {
    const lines = (this.partial[channel] + text).split("\n")
    this.partial[channel] = (lines.pop() ?? "").slice(-partialLimit)
    return this.take(lines.map((line) => ({ channel, text: settled(line) })))
  }

  /** What is left to show, and how many lines were left out before it. */
  end(): { readonly omitted: number; readonly lines: ReadonlyArray<OutputLine> } {
    const rest = (["stdout", "stderr"] as const)
      .filter((channel) => this.partial[channel] !== "")
      .map((channel) => ({ channel, text: settled(this.partial[channel]) }))
    const lines = [...this.take(rest), ...this.last]
    return { omitted: this.left - this.last.length, lines }
  }

  private take(lines: ReadonlyArray<OutputLine>): ReadonlyArray<OutputLine> {
    const now = lines.slice(0, Math.max(0, shownFirst - this.shown))
    this.shown += now.length
    const later = lines.slice(now.length)
    this.left += later.length
    this.last = [...this.last, ...later].slice(-shownLast)
    return now
  }
}
