import * as Effect from "effect/Effect"
import type { ToolCall } from "../tool/ToolCall.ts"

/** A call that runs, as its tool knows it. */
export type CallRunning = Pick<ToolCall, "callId" | "taskId" | "workerPath">

interface Opened {
  readonly call: CallRunning
  /** Whether the editor has been told which call runs in it. */
  shown: boolean
  /** Opened once it has been told how the call has ended. */
  readonly over: Effect.Latch
}

/** How long a terminal is kept for the editor to be told of the end of its call. */
const patience = "5 seconds"

/** The terminals that the calls of a session run in. Some editors drop what names one that they were asked to forget. */
export class Terminals {
  private readonly opened = new Map<string, Opened>()

  open(call: CallRunning, terminal: string): void {
    this.opened.set(terminal, { call, shown: false, over: Effect.unsafeMakeLatch(false) })
  }

  /** The terminal of a call, to be shown with it now. */
  show(isOf: (call: CallRunning) => boolean): string | undefined {
    for (const [terminal, opened] of this.opened) {
      if (opened.shown || !isOf(opened.call)) continue
      opened.shown = true
      return terminal
    }
    return undefined
  }

  isOpen(terminal: string): boolean {
    return this.opened.has(terminal)
  }

  /** The editor has been told how the call has ended. */
  over(terminal: string): void {
    this.opened.get(terminal)?.over.unsafeOpen()
  }

  /** Returns once nothing that the editor is told names the terminal any more. */
  unnamed(terminal: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { over } = this.opened.get(terminal) ?? {}
      if (over === undefined) return Effect.void
      const awaited = Effect.raceFirst(Effect.interruptible(over.await), Effect.interruptible(Effect.sleep(patience)))
      return Effect.zipRight(
        awaited,
        Effect.sync(() => this.opened.delete(terminal))
      )
    })
  }
}
