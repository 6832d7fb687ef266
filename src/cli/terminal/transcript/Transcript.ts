import { makeVisible } from "../../../text/visible.ts"
import type { Diff, Display } from "../../../ui/Display.ts"
import type { Style } from "../Style.ts"
import { Answer } from "./Answer.ts"
import type { CallBlock } from "./CallBlock.ts"
import { endedRows, liveRows, outputRow, type RowsOptions, runningRow } from "./callRows.ts"
import { Folded, type FoldedBlock } from "./Folded.ts"
import { foldedCall, foldedThought } from "./folding.ts"
import { Lanes } from "./Lanes.ts"
import { noteRows, promptRows, taskRows, thoughtRow } from "./noteRows.ts"
import { Output } from "./Output.ts"
import { Reads, readsRow } from "./Reads.ts"

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
type CallTag = "CallBegan" | "CallAsked" | "CallDecided" | "CallOutput" | "CallNote" | "CallEnded"

/** What stands together without a blank line between it. */
const kindOf = (tag: Display["_tag"]): string => (tag.startsWith("Call") || tag === "Thought" ? "Call" : tag)

/**
 * Turns what a frontend is told into text that only grows. A call is printed once it has ended, after those that the model asked
 * for before it; what it does until then, and the part of an answer that is not complete, are `live`. Nothing lands inside
 * of an answer or of a request that waits for the person.
 */
export class Transcript {
  private readonly options: TranscriptOptions
  private readonly lanes = new Lanes()
  private readonly reads = new Reads()
  private readonly folds = new Folded()
  private answer: Answer | undefined
  /** The person is asked something, and what stands above belongs to it. */
  private asking = false
  private held: Array<Display> = []
  private before: string | undefined
  /** The failure of the call that was printed last. */
  private failure: string | undefined

  constructor(options: TranscriptOptions) {
    this.options = options
  }

  render(display: Display): ReadonlyArray<Written> {
    switch (display._tag) {
      case "CallBegan":
      case "CallAsked":
      case "CallDecided":
      case "CallOutput":
      case "CallNote":
      case "CallEnded":
        this.note(display)
        return this.progress(this.asking || this.answer !== undefined ? "" : this.streamed() + this.finished())
      default:
        if (this.asking || (this.answer !== undefined && (display._tag === "Note" || display._tag === "Thought"))) {
          this.held = [...this.held, display].slice(-heldLimit)
          return []
        }
        return this.shown(display)
    }
  }

  /** What is on the way to be printed: it may change, and some of it never is. */
  live(): ReadonlyArray<string> {
    if (this.asking) return []
    const options = this.rows()
    const rows = [...(this.answer?.live(liveLimit) ?? [])]
    const waiting = this.reads.waiting
    if (waiting.length > 0) rows.push(this.readsRow(waiting))
    for (const [index, block] of this.lanes.open().entries()) rows.push(...liveRows(block, index > 0, options))
    for (const display of this.held) if (display._tag === "Note") rows.push(...noteRows(display, this.room()))
    const apart = rows.length > 0 && this.before !== undefined && this.answer === undefined && this.before !== "Call"
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

  private note(display: Of<CallTag>): void {
    const block = this.lanes.of(display.call)
    switch (display._tag) {
      case "CallAsked":
        // Its arguments are masked for a person, and no longer for a log.
        block.call = display.call
        block.request = display.request
        return
      case "CallDecided":
        if (display.once) block.approved = true
        else block.remark({ level: "info", text: display.text })
        return
      case "CallOutput":
        return block.heard(display.channel, display.text)
      case "CallNote":
        return block.remark(display)
      case "CallEnded":
        block.ended = display
        if (block.output === undefined && display.result !== undefined) block.output = Output.ofResult(display.result)
        return block.output?.end()
      case "CallBegan":
        return
    }
  }

  /** What has been held back: in the order of its coming, the calls that have ended meanwhile first. */
  private released(): ReadonlyArray<Written> {
    const held = this.held
    this.held = []
    return [...this.progress(this.finished()), ...held.flatMap((display) => this.render(display))]
  }

  private shown(display: Exclude<Display, { readonly _tag: CallTag }>): ReadonlyArray<Written> {
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
        return this.printed("Prompt", promptRows(display, this.room()))
      case "Note":
        return this.printed("Note", noteRows(display, this.room()))
      case "Thought":
        if (display.text !== "") this.folds.add(foldedThought(display))
        return this.printed("Thought", [thoughtRow(display, this.options.live, this.options.style)])
      case "TaskEnded": {
        const left = this.abandoned()
        return left + this.printed("TaskEnded", taskRows(display, this.failure, this.room()))
      }
    }
  }

  private text(text: string): string {
    if (text === "") return ""
    const before = this.answer === undefined ? this.readsEnded() + this.gap("Text") : ""
    this.answer ??= new Answer(this.options)
    return before + this.answer.push(text)
  }

  private textEnded({ final, text }: Of<"TextEnded">): ReadonlyArray<Written> {
    if (!this.options.split) return this.progress(this.answerEnded())
    if (text === "") return []
    const visible = makeVisible(text).replace(/\n+$/, "")
    if (final) return [...this.progress(this.readsEnded()), { to: "answer", text: `${visible}\n` }]
    return this.progress(`${this.readsEnded()}${this.gap("Text")}${visible}\n`)
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
    const options = this.rows()
    const begins = block.begun ? "" : this.readsEnded() + this.printed("CallBegan", [runningRow(block, options)])
    block.begun = true
    return begins + lines.map((line) => `${outputRow(line, options)}\n`).join("")
  }

  /** The calls that have ended and wait for none in front of them. */
  private finished(): string {
    return this.lanes
      .ended()
      .map((block) => (this.reads.takes(block) ? "" : this.readsEnded() + this.ended(block)))
      .join("")
  }

  /** The calls that end with their task. */
  private abandoned(): string {
    return this.lanes
      .all()
      .map((block) => (block.ended === undefined && block.output === undefined ? "" : this.ended(block)))
      .join("")
  }

  private ended(block: CallBlock): string {
    this.failure = block.ended?.outcome === "failed" ? block.ended.text : undefined
    this.folds.add(foldedCall(block))
    const rows = endedRows(block, this.rows())
    return block.begun ? `${rows.join("\n")}\n` : this.printed("CallEnded", rows)
  }

  /** The reads that have waited for what comes next. */
  private readsEnded(): string {
    const blocks = this.reads.taken()
    const [only] = blocks
    if (only === undefined) return ""
    if (blocks.length === 1) return this.ended(only)
    this.failure = undefined
    for (const block of blocks) this.folds.add(foldedCall(block))
    return this.printed("CallEnded", [this.readsRow(blocks)])
  }

  private readsRow(blocks: ReadonlyArray<CallBlock>): string {
    const [only] = blocks
    return blocks.length === 1 && only !== undefined
      ? (endedRows(only, this.rows())[0] ?? "")
      : readsRow(blocks, this.rows())
  }

  private progress(text: string): ReadonlyArray<Written> {
    return text === "" ? [] : [{ to: "progress", text }]
  }

  private room(): { readonly style: Style; readonly width: number } {
    return { style: this.options.style, width: Math.max(20, this.options.width()) }
  }

  private rows(): RowsOptions {
    return { ...this.room(), opens: this.options.live }
  }

  private printed(tag: Display["_tag"], rows: ReadonlyArray<string>): string {
    return rows.length === 0 ? "" : `${this.gap(tag)}${rows.join("\n")}\n`
  }

  /** A blank line where another kind of thing begins. */
  private gap(tag: Display["_tag"]): string {
    const kind = kindOf(tag)
    const apart = this.before !== undefined && !(kind === this.before && (kind === "Call" || kind === "Note"))
    this.before = kind
    return apart ? "\n" : ""
  }
}
