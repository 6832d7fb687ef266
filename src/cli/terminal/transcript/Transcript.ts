import { makeVisible } from "../../../text/visible.ts"
import type { Diff, Display } from "../../../ui/Display.ts"
import type { Style } from "../Style.ts"
import { Answer } from "./Answer.ts"
import type { CallBlock, CallTold } from "./CallBlock.ts"
import { beginRow, endedRows, liveRows, outputRow, remarkRows, resultOf, resultRows } from "./callRows.ts"
import { Folded, type FoldedBlock } from "./Folded.ts"
import { foldedCall, foldedThought } from "./folding.ts"
import { Lanes, type Ready } from "./Lanes.ts"
import { noteRows, promptRows, taskRows, thoughtRow } from "./noteRows.ts"
import { Reads, readsRow } from "./Reads.ts"
import { Room } from "./Room.ts"
import { Spacing } from "./Spacing.ts"

export interface TranscriptOptions {
  readonly style: Style
  /** Columns; it may change at any time. */
  readonly width: () => number
  /** Only the final answer goes to standard output. */
  readonly split: boolean
  /** What runs is seen in `live`; where nothing shows that, output is printed as it comes. */
  readonly live: boolean
}

export interface Written {
  readonly to: "progress" | "answer"
  readonly text: string
}

/** Rows of everything that is on the way to be printed. */
const liveLimit = 9
/** What is kept while something must not be interrupted by it. */
const heldLimit = 1000

type Of<Tag extends Display["_tag"]> = Extract<Display, { readonly _tag: Tag }>

/**
 * Turns what a frontend is told into text that only grows. A call is printed once it has ended, after those that the model asked
 * for before it; what it does until then, and the part of an answer that is not complete, are `live`. Nothing lands inside
 * of an answer or of a request that waits for the person.
 */
export class Transcript {
  private readonly options: TranscriptOptions
  private readonly room: Room
  /** The room of what is drawn anew, which leaves the last column free. */
  private readonly liveRoom: Room
  private readonly spacing = new Spacing()
  private readonly lanes = new Lanes()
  private readonly reads = new Reads()
  private readonly folds = new Folded()
  private answer: Answer | undefined
  /** The person is asked something, and what stands above belongs to it. */
  private asking = false
  private held: Array<Display> = []
  /** The failure of the call that was printed last. */
  private failure: string | undefined

  constructor(options: TranscriptOptions) {
    this.options = options
    this.room = new Room(options)
    this.liveRoom = new Room({ ...options, width: () => options.width() - 1 })
  }

  render(display: Display): ReadonlyArray<Written> {
    switch (display._tag) {
      case "CallBegan":
      case "CallDelegated":
      case "CallAsked":
      case "CallDecided":
      case "CallStarted":
      case "CallOutput":
      case "CallNote":
        this.lanes.note(display)
        return this.asOf()
      case "CallEnded": {
        const block = this.lanes.of(display.call)
        this.lanes.note(display)
        return display.whole === true ? [...this.asOf(), ...this.result(block)] : this.asOf()
      }
      default:
        if (this.asking || (this.answer !== undefined && ["Note", "Thought", "Prompt"].includes(display._tag))) {
          this.held = [...this.held, display].slice(-heldLimit)
          return []
        }
        return this.shown(display)
    }
  }

  /** What can be printed of the calls by now. */
  private asOf(): ReadonlyArray<Written> {
    return this.progress(this.asking || this.answer !== undefined ? "" : this.streamed() + this.finished())
  }

  /** The result of a call that the person has asked for, where neither its output nor its head shows it. */
  private result(block: CallBlock): ReadonlyArray<Written> {
    const text = resultOf(block)
    if (text === "") return []
    const before = this.progress(this.readsEnded())
    if (this.options.split) return [...before, { to: "answer", text: `${text}\n` }]
    const rows = this.room.under(block.depth, (options) => resultRows(block, text, options))
    return [...before, ...this.progress(this.spacing.printed("CallEnded", rows))]
  }

  /** What is on the way to be printed: it may change, and some of it never is. */
  live(): ReadonlyArray<string> {
    if (this.asking) return []
    const rows = [...(this.answer?.live(liveLimit) ?? [])]
    const waiting = this.reads.waiting
    if (waiting.length > 0) rows.push(this.readsRow(waiting, this.liveRoom))
    const open = this.lanes.open().filter(({ begun, worker }) => !begun || worker === undefined)
    for (const [index, block] of open.entries()) {
      rows.push(...this.liveRoom.under(block.depth, (options) => liveRows(block, index > 0, options)))
    }
    for (const display of this.held) if (display._tag === "Note") rows.push(...noteRows(display, this.liveRoom.notes))
    const apart =
      rows.length > 0 &&
      this.spacing.before !== undefined &&
      this.answer === undefined &&
      this.spacing.before !== "Call"
    return [...(apart ? [""] : []), ...rows.slice(-liveLimit)]
  }

  /** What was printed in part, as a whole, the latest last. */
  get folded(): ReadonlyArray<FoldedBlock> {
    const running = this.lanes.open().filter(({ output }) => output !== undefined)
    return [...this.folds.all, ...running.map((block) => foldedCall(block))]
  }

  /** A file was changed. */
  diff(diff: Diff): ReadonlyArray<Written> {
    this.lanes.of(diff.call).change(diff)
    return []
  }

  /** The person is asked something: nothing comes between what is printed from here on. */
  ask(): ReadonlyArray<Written> {
    const before = this.answerEnded() + this.readsEnded()
    this.asking = true
    return this.progress(before)
  }

  /** The person is asked no more. */
  asked(): ReadonlyArray<Written> {
    this.asking = false
    return this.released()
  }

  /** What was held back, at the end. */
  end(): ReadonlyArray<Written> {
    this.asking = false
    return [...this.progress(this.answerEnded() + this.readsEnded() + this.abandoned()), ...this.released()]
  }

  /** What has been held back: in the order of its coming, the calls that have ended meanwhile first. */
  private released(): ReadonlyArray<Written> {
    const held = this.held
    this.held = []
    return [...this.progress(this.finished()), ...held.flatMap((display) => this.render(display))]
  }

  private shown(display: Exclude<Display, CallTold>): ReadonlyArray<Written> {
    switch (display._tag) {
      case "Text":
        return this.options.split ? [] : this.progress(this.text(display.text))
      case "TextEnded":
        return [...this.textEnded(display), ...this.released()]
      default:
        return [...this.progress(this.answerEnded() + this.readsEnded() + this.block(display)), ...this.released()]
    }
  }

  private block(display: Of<"Prompt" | "Note" | "Thought" | "TaskEnded">): string {
    switch (display._tag) {
      case "Prompt":
        return this.spacing.printed("Prompt", promptRows(display, this.room.notes))
      case "Note":
        return this.spacing.printed("Note", noteRows(display, this.room.notes))
      case "Thought":
        if (display.text !== "") this.folds.add(foldedThought(display))
        return this.spacing.printed("Thought", [thoughtRow(display, this.options.live, this.options.style)])
      case "TaskEnded": {
        const left = this.abandoned()
        return left + this.spacing.printed("TaskEnded", taskRows(display, this.failure, this.room.notes))
      }
    }
  }

  private text(text: string): string {
    if (text === "") return ""
    const before = this.answer === undefined ? this.readsEnded() + this.spacing.gap("Text") : ""
    this.answer ??= new Answer(this.options)
    return before + this.answer.push(text)
  }

  private textEnded({ final, text }: Of<"TextEnded">): ReadonlyArray<Written> {
    if (!this.options.split) return this.progress(this.answerEnded())
    if (text === "") return []
    const visible = makeVisible(text).replace(/\n+$/, "")
    if (final) return [...this.progress(this.readsEnded()), { to: "answer", text: `${visible}\n` }]
    return this.progress(`${this.readsEnded()}${this.spacing.gap("Text")}${visible}\n`)
  }

  /** The answer that is being written, to its end. */
  private answerEnded(): string {
    const rest = this.answer?.end() ?? ""
    this.answer = undefined
    return rest
  }

  /** Where nothing else shows it, what the first of the calls has put out so far. */
  private streamed(): string {
    if (this.options.live) return ""
    const [block] = this.lanes.open()
    if (block === undefined || block.ended !== undefined) return ""
    const lines = block.stream()
    if (lines.length === 0) return ""
    const options = this.room.rows
    const begins = block.begun ? "" : this.readsEnded() + this.spacing.printed("CallBegan", [beginRow(block, options)])
    block.begun = true
    return begins + lines.map((line) => `${outputRow(line, options)}\n`).join("")
  }

  /** The calls that have ended and wait for none in front of them. */
  private finished(): string {
    return this.told(this.lanes.ready())
  }

  private told(ready: ReadonlyArray<Ready>): string {
    return ready.map((one) => this.one(one)).join("")
  }

  private one(ready: Ready): string {
    switch (ready._tag) {
      case "Begins": {
        const { block } = ready
        block.begun = true
        const rows = this.room.under(block.depth, (options) => [beginRow(block, options)])
        return this.readsEnded() + this.spacing.printed("CallBegan", rows)
      }
      case "Said":
        return (
          this.readsEnded() +
          this.spacing.printed(
            "CallNote",
            this.room.under(ready.depth - 1, (options) => remarkRows(ready.remark, options))
          )
        )
      case "Ended": {
        const { block, inner } = ready
        if (inner.length === 0 && this.reads.takes(block)) return ""
        if (inner.length === 0) return this.readsEnded() + this.ended(block)
        const [head = "", ...rest] = this.endedRows(block)
        const above = this.readsEnded() + this.spacing.printed("CallEnded", [head])
        const within = this.told(inner) + this.readsEnded()
        this.failure = block.ended?.outcome === "failed" ? block.ended.text : undefined
        this.folds.add(foldedCall(block))
        return above + within + this.spacing.printed("CallEnded", rest)
      }
    }
  }

  private endedRows(block: CallBlock, room: Room = this.room): ReadonlyArray<string> {
    return room.under(block.depth, (options) => endedRows(block, options))
  }

  /** The calls that end with their task. */
  private abandoned(): string {
    return this.told(this.lanes.all()) + this.readsEnded()
  }

  private ended(block: CallBlock): string {
    this.failure = block.ended?.outcome === "failed" ? block.ended.text : undefined
    this.folds.add(foldedCall(block))
    const rows = this.endedRows(block)
    return block.begun ? `${rows.join("\n")}\n` : this.spacing.printed("CallEnded", rows)
  }

  /** The reads that have waited for what comes next. */
  private readsEnded(): string {
    const blocks = this.reads.taken()
    const [only] = blocks
    if (only === undefined) return ""
    if (blocks.length === 1) return this.ended(only)
    this.failure = undefined
    for (const block of blocks) this.folds.add(foldedCall(block))
    return this.spacing.printed("CallEnded", [this.readsRow(blocks)])
  }

  private readsRow(blocks: ReadonlyArray<CallBlock>, room: Room = this.room): string {
    const [only] = blocks
    return blocks.length === 1 && only !== undefined
      ? (this.endedRows(only, room)[0] ?? "")
      : (room.under(only?.depth ?? 0, (options) => [readsRow(blocks, options)])[0] ?? "")
  }

  private progress(text: string): ReadonlyArray<Written> {
    return text === "" ? [] : [{ to: "progress", text }]
  }
}
