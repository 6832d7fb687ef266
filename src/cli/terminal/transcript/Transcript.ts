import { makeVisible } from "../../../text/visible.ts"
import type { CallShown, Diff, Display, Level } from "../../../ui/Display.ts"
import { duration } from "../../../text/duration.ts"
import { many } from "../../../ui/Words.ts"
import { advised } from "../advice.ts"
import { brief } from "../../Arguments.ts"
import { broken, columns, fit, Flow, hanging, wrap } from "../Layout.ts"
import { type CallBlock, Lanes } from "./Lanes.ts"
import { OutputLines } from "./OutputLines.ts"
import { resultSummary } from "./resultSummary.ts"
import type { Style } from "../Style.ts"

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

/** Columns of running text; longer lines are hard to read. */
const textWidth = 100
/** Lines of a diff, and of a message that says what went wrong. */
const diffLimit = 60
const messageLimit = 8

/** Rows of a prompt: a long one is cut in its middle. */
const promptFirst = 8
const promptLast = 3
/** Rows of what a running call has put out. */
const liveRows = 3
/** What is kept while something must not be interrupted by it. */
const heldLimit = 1000

const marks = { info: "·", warning: "!", error: "✗" } as const

/**
 * Turns what a frontend is told into text that only grows. A call is printed once it has ended, after those that the model asked
 * for before it; what it does until then, and the row that an answer is writing, are `live`. Nothing lands inside of an
 * answer or of a request that waits for the person.
 */
export class Transcript {
  private readonly options: TranscriptOptions
  private readonly lanes = new Lanes()
  private flow: Flow | undefined
  /** What has come of the row that is being written. */
  private row = ""
  /** The call whose lines stand at the end. */
  private open: string | undefined
  /** The person is asked something, and what stands above belongs to it. */
  private asking = false
  private held: Array<Display> = []
  private before: Display["_tag"] | undefined
  /** The failure of the call that was printed last. */
  private failure: string | undefined

  constructor(options: TranscriptOptions) {
    this.options = options
  }

  render(display: Display): ReadonlyArray<Written> {
    switch (display._tag) {
      case "CallBegan":
        this.lanes.of(display.call)
        return []
      case "CallOutput":
        this.output(display)
        return this.progress(this.streamed(display.call))
      case "CallNote":
        this.note(display)
        return this.progress(this.streamed(display.call))
      case "CallEnded":
        this.lanes.of(display.call).ended = display
        return this.progress(this.asking ? "" : this.finished())
      default:
        if (this.asking || (display._tag === "Note" && this.flow !== undefined)) {
          this.held = [...this.held, display].slice(-heldLimit)
          return []
        }
        return this.shown(display)
    }
  }

  /** What is on the way to be printed: it may change, and some of it never is. */
  live(): ReadonlyArray<string> {
    if (this.asking) return []
    const rows = this.flow === undefined ? [] : [this.row]
    for (const block of this.lanes.open()) {
      if (block.isEmpty) continue
      if (this.open !== block.call.key) rows.push(this.head(block.call))
      const latest = (block.output?.latest ?? []).map((line) => this.outputLine(line))
      rows.push(...[...block.lines(), ...latest].slice(-liveRows).map((line) => `    ${line}`))
    }
    for (const display of this.held) if (display._tag === "Note") rows.push(...this.noted(display))
    return rows
  }

  /** The person is asked about a call, or about something else: nothing comes between what is printed from here on. */
  ask(call?: CallShown): ReadonlyArray<Written> {
    const before = this.flowEnded()
    this.asking = true
    return this.progress(before + (call === undefined ? "" : this.begun(this.lanes.of(call))))
  }

  /** The person is asked no more. */
  asked(): ReadonlyArray<Written> {
    this.asking = false
    return this.released()
  }

  /** What has been held back: in the order of its coming, the calls that have ended meanwhile first. */
  private released(): ReadonlyArray<Written> {
    const held = this.held
    this.held = []
    return [...this.progress(this.finished()), ...held.flatMap((display) => this.render(display))]
  }

  private shown(
    display: Exclude<Display, { readonly _tag: "CallBegan" | "CallOutput" | "CallNote" | "CallEnded" }>
  ): ReadonlyArray<Written> {
    switch (display._tag) {
      case "Text":
        return this.options.split ? [] : this.progress(this.text(display.text))
      case "TextEnded":
        return [...this.textEnded(display), ...this.released()]
      default:
        return [...this.progress(this.flowEnded() + this.block(display)), ...this.released()]
    }
  }

  private output({ call, channel, text }: Extract<Display, { readonly _tag: "CallOutput" }>): void {
    const block = this.lanes.of(call)
    block.output ??= new OutputLines()
    for (const line of block.output.push(channel, text)) block.add(() => [this.outputLine(line)])
  }

  private note({ call, level, text }: Extract<Display, { readonly _tag: "CallNote" }>): void {
    const { style } = this.options
    const block = this.lanes.of(call)
    // Those of a request are masked for a person, and no longer for a log.
    block.call = call
    block.add(() => {
      const mark = text.startsWith("approved") ? style.green("✓") : this.painted(level)(marks[level])
      const paint = this.painted(level)
      return wrap(makeVisible(text), this.width() - 6)
        .slice(0, messageLimit)
        .map((line, index) => `${index === 0 ? mark : " "} ${paint(line)}`)
    })
  }

  diff({ call, omitted, text }: Diff): ReadonlyArray<Written> {
    const { style } = this.options
    const lines = makeVisible(text)
      .replace(/\n$/, "")
      .split("\n")
      .filter((line) => !/^(?:Index: |=+$|\\ )/.test(line))
      .flatMap((line) => {
        const paint = /^(?:---|\+\+\+) /.test(line)
          ? style.bold
          : line.startsWith("@@")
            ? style.cyan
            : line.startsWith("+")
              ? style.green
              : line.startsWith("-")
                ? style.red
                : style.dim
        // Broken, not cut: what would be written is all there for who decides on it.
        return broken(line.replaceAll("\t", "  "), this.width() - 4).map(paint)
      })
    const body = lines.slice(0, diffLimit)
    const left = omitted + lines.length - body.length
    const more = left > 0 ? [style.dim(`… ${many(left, "more line")}`)] : []
    this.lanes.of(call).add(() => [...body, ...more])
    return []
  }

  /** Lines under the header of a call. */
  under(call: CallShown, lines: ReadonlyArray<string>): ReadonlyArray<Written> {
    return this.progress(this.nested(call, lines))
  }

  /** What was held back, at the end. */
  end(): ReadonlyArray<Written> {
    this.asking = false
    const rest = this.flowEnded()
    const left = this.lanes.all().map((block) => this.begun(block) + this.endOf(block))
    return [...this.progress(rest + left.join("")), ...this.released()]
  }

  /** The answer that is being written, to its end. */
  private flowEnded(): string {
    if (this.flow === undefined) return ""
    const rest = this.row + this.flow.end()
    this.flow = undefined
    this.row = ""
    return rest === "" ? "" : `${rest}\n`
  }

  /** What a call has put out so far, where nothing else shows it and no call stands in front. */
  private streamed(call: CallShown): string {
    if (this.options.live || this.asking || this.flow !== undefined) return ""
    const [first] = this.lanes.open()
    return first?.call.key === call.key ? this.begun(first) : ""
  }

  private finished(): string {
    return this.lanes
      .ended()
      .map((block) => this.begun(block) + this.endOf(block))
      .join("")
  }

  /** What has come of a call so far, under its header. */
  private begun(block: CallBlock): string {
    const { lines, more } = block.take()
    if (lines.length === 0) return ""
    const rest = more === 0 ? [] : [this.options.style.dim(`… ${many(more, "more line")}`)]
    return this.nested(block.call, [...lines, ...rest])
  }

  private progress(text: string): ReadonlyArray<Written> {
    return text === "" ? [] : [{ to: "progress", text }]
  }

  private width(): number {
    return Math.max(20, this.options.width())
  }

  private fitted(text: string, indent = 0): string {
    return fit(text, this.width() - indent)
  }

  /** A blank line where another kind of thing begins. */
  private gap(tag: Display["_tag"]): string {
    const call = (kind: string | undefined) => kind?.startsWith("Call") ?? false
    const apart =
      this.before !== undefined && !(call(tag) && call(this.before)) && !(tag === "Note" && this.before === "Note")
    this.before = tag
    return apart ? "\n" : ""
  }

  private text(text: string): string {
    const width = () => Math.min(textWidth, this.width())
    const gap = this.flow === undefined ? this.gap("Text") : ""
    this.open = undefined
    this.flow ??= new Flow(width, true)
    const written = this.row + this.flow.push(makeVisible(text))
    const end = written.lastIndexOf("\n") + 1
    this.row = written.slice(end)
    return gap + written.slice(0, end)
  }

  private textEnded({ final, text }: Extract<Display, { readonly _tag: "TextEnded" }>): ReadonlyArray<Written> {
    if (!this.options.split) return this.progress(this.flowEnded())
    if (text === "") return []
    const visible = makeVisible(text).replace(/\n+$/, "")
    if (final) return [{ to: "answer", text: `${visible}\n` }]
    this.open = undefined
    return this.progress(`${this.gap("Text")}${visible}\n`)
  }

  private block(display: Extract<Display, { readonly _tag: "Prompt" | "Note" | "TaskEnded" }>): string {
    const { style } = this.options
    switch (display._tag) {
      case "Prompt": {
        this.open = undefined
        const rows = wrap(makeVisible(display.text), Math.min(textWidth, this.width()) - 2)
        const omitted = rows.length - promptFirst - promptLast
        const [first = "", ...rest] = (omitted < 2 ? rows : rows.slice(0, promptFirst)).map(style.bold)
        const cut =
          omitted < 2 ? [] : [style.dim(`… ${many(omitted, "more line")}`), ...rows.slice(-promptLast).map(style.bold)]
        const lines = [`${style.cyan("›")} ${first}`, ...[...rest, ...cut].map((line) => `  ${line}`)]
        return `${this.gap("Prompt")}${lines.join("\n")}\n`
      }
      case "Note": {
        this.open = undefined
        return (
          this.gap("Note") +
          this.noted(display)
            .map((line) => `${line}\n`)
            .join("")
        )
      }
      case "TaskEnded":
        return this.taskEnded(display)
    }
  }

  private noted({ error, level, text, whole }: Extract<Display, { readonly _tag: "Note" }>): ReadonlyArray<string> {
    const paint = this.painted(level)
    return wrap(makeVisible(advised(text, error)), this.width() - 2)
      .slice(0, whole === true ? Infinity : messageLimit)
      .map((line, index) => `${index === 0 ? paint(marks[level]) : " "} ${paint(line)}`)
  }

  private painted(level: Level) {
    const { style } = this.options
    return level === "error" ? style.red : level === "warning" ? style.yellow : style.dim
  }

  private outputLine({ channel, text }: { readonly channel: "stdout" | "stderr"; readonly text: string }): string {
    const { style } = this.options
    const line = this.fitted(makeVisible(text.replaceAll("\t", "    ")), 6)
    return channel === "stderr" ? `${style.yellow("┃")} ${line}` : `${style.dim("│")} ${style.dim(line)}`
  }

  private title(call: CallShown, room: number): string {
    const { style } = this.options
    const path = call.worker.length > 1 ? style.dim(`${makeVisible(call.worker.slice(1).join("/"))} `) : ""
    const tool = makeVisible(call.tool)
    const args = fit(makeVisible(brief(call.arguments)), Math.max(8, room - columns(tool) - columns(path) - 1))
    return `${path}${style.bold(tool)}${args === "" ? "" : ` ${args}`}`
  }

  /** The header of the call, unless its lines stand at the end already. */
  private header(call: CallShown): string {
    if (this.open === call.key) return ""
    this.open = call.key
    return `${this.gap("CallBegan")}${this.head(call)}\n`
  }

  private head(call: CallShown): string {
    return `${this.options.style.cyan("●")} ${this.title(call, this.width() - 2)}`
  }

  private nested(call: CallShown, lines: ReadonlyArray<string>): string {
    return this.header(call) + lines.map((line) => `    ${line}\n`).join("")
  }

  private endOf({ call, ended, output: heard }: CallBlock): string {
    if (ended === undefined) return ""
    const { durationMillis, outcome, result, text } = ended
    const { style } = this.options
    this.failure = outcome === "failed" ? text : undefined
    const output = heard ?? (result === undefined ? undefined : OutputLines.ofResult(result))
    const { lines, omitted } = output?.end(outcome === "failed") ?? { lines: [], omitted: 0 }
    const rest =
      lines.length === 0
        ? ""
        : this.nested(call, [
            ...(omitted > 0 ? [style.dim(`… ${many(omitted, "line")}`)] : []),
            ...lines.map((line) => this.outputLine(line))
          ])
    const mark = {
      done: style.green("✓"),
      failed: style.red("✗"),
      interrupted: style.yellow("◼"),
      unknown: style.yellow("?")
    }[outcome]
    const time = durationMillis === 0 ? "" : ` · ${duration(durationMillis)}`
    const paint = outcome === "failed" ? style.red : style.yellow
    const said =
      outcome === "done"
        ? output === undefined
          ? resultSummary(call.tool, text)
          : ""
        : outcome === "failed"
          ? ""
          : outcome
    const tail = `${said === "" ? "" : ` · ${fit(makeVisible(said), 48)}`}${time}`
    const rows =
      outcome === "done" || text === ""
        ? []
        : wrap(makeVisible(text), this.width() - 6 - columns(time)).slice(0, messageLimit)
    const continued = this.open === call.key
    const gap = continued ? "" : this.gap("CallEnded")
    this.open = undefined
    this.before = "CallEnded"
    const painted = rows.map(paint)
    if (!continued) {
      const title = this.title(call, this.width() - 2 - columns(tail))
      return `${gap}${mark} ${title}${style.dim(tail)}\n${painted.map((row) => `    ${row}\n`).join("")}`
    }
    const [first = style.dim(tail.slice(3) || "done"), ...more] =
      painted.length === 0 ? [] : [...painted.slice(0, -1), `${painted.at(-1)}${style.dim(tail)}`]
    return `${rest}    ${mark} ${first}\n${more.map((row) => `      ${row}\n`).join("")}`
  }

  private taskEnded(ended: Extract<Display, { readonly _tag: "TaskEnded" }>): string {
    const { style } = this.options
    const left = this.lanes.all().map((block) => this.begun(block) + this.endOf(block))
    this.open = undefined
    const { usage } = ended
    const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens
    const figures = [
      many(ended.requests, "request"),
      `${many(ended.calls, "call")}${ended.failedCalls === 0 ? "" : `, ${ended.failedCalls} failed`}${(ended.deniedCalls ?? 0) === 0 ? "" : `, ${ended.deniedCalls} denied`}`,
      ...(tokens === 0 ? [] : [many(tokens, "token")]),
      duration(ended.durationMillis)
    ].join(" · ")
    const gap = left.join("") + this.gap("TaskEnded")
    const counted = (head: string) => hanging(head, figures, this.width()).trimEnd().split("\n")
    const dimmed = (head: string) =>
      counted(head)
        .map((row) => `${style.dim(row)}\n`)
        .join("")
    if (ended.outcome === "completed") return gap + dimmed("─ ")
    const [mark, paint] = ended.outcome === "failed" ? (["✗", style.red] as const) : (["◼", style.yellow] as const)
    const told = this.failure === ended.reason ? "the task ended with this call." : ended.reason
    const reason = wrap(makeVisible(advised(told, ended.error)), this.width() - 2).slice(0, messageLimit)
    const lines = reason.map((line, index) => `${index === 0 ? paint(mark) : " "} ${paint(line)}\n`).join("")
    return `${gap}${lines}${dimmed("  ")}`
  }
}
