import { Effect, Schema } from "effect"
import * as crypto from "node:crypto"

export const hashOf = (text: string): string => crypto.createHash("sha256").update(text).digest("hex")

/** Comes after the side effect. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {}) {
  readonly retryable = true
}

/** Files and a record of what ran; nothing is executed for real. */
export class Machine {
  readonly files = new Map<string, string>([
    ["/w/a", "1"],
    ["/w/b", "1"],
    ["/w/package.json", `{"scripts":{"test":"vitest"}}`]
  ])
  /** Symbolic links, by their own path. */
  readonly links = new Map<string, string>()
  readonly executed: Array<string> = []
  /** What a hook of the user's makes of the parameters of a tool. */
  readonly rewritten = new Map<string, Readonly<Record<string, unknown>>>()
  failFirst = false
  /** Set where a call never comes back. */
  hangs = false
  answer = "done"

  /** Where a path leads. */
  resolve(file: string): string {
    for (const [link, target] of this.links) {
      if (file === link || file.startsWith(`${link}/`)) return `${target}${file.slice(link.length)}`
    }
    return file
  }

  hash(file: string): string | null {
    const text = this.files.get(this.resolve(file))
    return text === undefined ? null : hashOf(text)
  }

  run(callId: string): Effect.Effect<string, TimedOut> {
    return Effect.suspend(() => {
      this.executed.push(callId)
      if (this.failFirst && this.executed.filter((id) => id === callId).length === 1) {
        return new TimedOut()
      }
      return this.hangs ? Effect.never : Effect.succeed(this.answer)
    })
  }
}
