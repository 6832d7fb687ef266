import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { visibleLine } from "../../text/visible.ts"
import type { Sent } from "./editor/TextEditor.ts"
import { fit } from "./Layout.ts"
import type { Style } from "./Style.ts"

/** Prompts that wait; a person who types more has stopped reading. */
const limit = 32

/** Rows of them. */
const shown = 3

const hint = "↑ edits it"
const lead = "─ queued: "
/** Columns of a prompt that are shown at least. */
const leastText = 8

/**
 * What was typed while a task runs, in the order of its coming, and perhaps that nothing more follows; or the one who waits for the
 * next prompt.
 */
export class PromptQueue {
  private waiting: Array<Sent> = []
  private ended = false
  private asked: Deferred.Deferred<Option.Option<string>> | undefined

  /** Someone waits for a prompt. */
  get isAsked(): boolean {
    return this.asked !== undefined
  }

  /** Gives a prompt, or none at the end, to the one who waits; whether anyone does. */
  give(prompt: Option.Option<string>): boolean {
    const { asked } = this
    this.asked = undefined
    if (asked !== undefined) Deferred.unsafeDone(asked, Effect.succeed(prompt))
    return asked !== undefined
  }

  /** The first prompt, or the next one that is given; none at the end. `shown` says first what is at hand, if anything. */
  next(
    shown: (atHand: Option.Option<string> | undefined) => Effect.Effect<void>
  ): Effect.Effect<Option.Option<string>> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const asked = Deferred.unsafeMake<Option.Option<string>>(FiberId.none)
        const atHand = this.shift()
        if (atHand === undefined) this.asked = asked
        return { asked, atHand }
      }),
      ({ asked, atHand }) =>
        Effect.zipRight(shown(atHand), atHand === undefined ? Deferred.await(asked) : Effect.succeed(atHand)),
      ({ asked }) =>
        Effect.sync(() => {
          if (this.asked === asked) this.asked = undefined
        })
    )
  }

  get isFull(): boolean {
    return this.waiting.length >= limit
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && !this.ended
  }

  push(sent: Sent): void {
    this.waiting.push(sent)
  }

  /** Nothing follows what waits. */
  end(): void {
    this.ended = true
  }

  /** Takes the last one back. */
  pop(): Sent | undefined {
    return this.waiting.pop()
  }

  /** Takes all of them back. */
  takeAll(): ReadonlyArray<Sent> {
    const all = this.waiting
    this.waiting = []
    this.ended = false
    return all
  }

  private shift(): Option.Option<string> | undefined {
    const next = this.waiting.shift()
    if (next !== undefined) return Option.some(next.text)
    if (!this.ended) return undefined
    this.ended = false
    return Option.none()
  }

  /** With the key that edits the last one, if it does now. */
  rows(width: number, style: Style, isEditable: boolean): ReadonlyArray<string> {
    const latest = this.waiting.slice(-shown)
    const more = this.waiting.length - latest.length
    return [
      ...(more > 0
        ? [style.dim(fit(`─ ${more} more queued${this.isFull ? " · no room for another" : ""} ─`, width))]
        : []),
      ...latest.map(({ text }, index) => {
        const hinted = `   ${hint} ─`
        const most = width - lead.length - 2
        const isHinted = isEditable && index === latest.length - 1
        const tail = isHinted && most - hinted.length >= leastText ? hinted : " ─"
        const room = Math.max(leastText, most - tail.length)
        return style.dim(fit(`${lead}${fit(`"${visibleLine(text)}"`, room)}${tail}`, width))
      })
    ]
  }
}
