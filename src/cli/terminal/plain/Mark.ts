/** The mark behind which the next prompt is typed, in a terminal that only grows: what comes meanwhile stands above it. */
export class Mark {
  private asked: string | undefined
  private isShown = false

  /** What shows it, to stand until a line is taken. */
  show(mark: string): string {
    this.asked = mark
    this.isShown = true
    return mark
  }

  /** The line behind it was taken; the terminal has ended it. */
  take(): void {
    this.asked = undefined
    this.isShown = false
  }

  /** What ends its line, if it stands on one. */
  leave(): string {
    const { isShown } = this
    this.isShown = false
    return isShown ? "\n" : ""
  }

  /** What shows it again below other lines, if a prompt is waited for still. */
  again(): string {
    return this.asked === undefined ? "" : this.show(this.asked)
  }

  /** What ends its line for good: no prompt is waited for any more. */
  close(): string {
    const ended = this.leave()
    this.take()
    return ended
  }
}
