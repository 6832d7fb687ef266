import { makeVisible } from "../redaction/visible.ts"
import type { CallShown, Diff, Display, Level } from "../ui/Display.ts"
import { duration, many } from "../ui/Words.ts"
import { advised } from "./advice.ts"
import { brief } from "./Arguments.ts"
import { broken, columns, fit, Flow, wrap } from "./Layout.ts"
import { OutputLines } from "./OutputLines.ts"
import { resultSummary } from "./resultSummary.ts"
import type { Style } from "./Style.ts"

export interface TranscriptOptions {
  readonly style: Style
  /** Columns; it may change at any time. */
  readonly width: () => number
  /** Only the final answer goes to standard output. */
  readonly split: boolean
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

const marks = { info: "·", warning: "!", error: "✗" } as const

/** Turns what a frontend is told into text. It keeps what is needed to group it: nothing but the tail of open calls. */
export class Transcript {
  private readonly options: TranscriptOptions
  private readonly outputs = new Map<string, OutputLines>()
  private flow: Flow | undefined
  /** The call whose lines stand at the end. */
  private open: string | undefined
  private before: Display["_tag"] | undefined

  constructor(options: TranscriptOptions) {
    this.options = options
  }

  render(display: Display): ReadonlyArray<Written> {
    switch (display._tag) {
      case "Text":
        return this.options.split ? [] : this.progress(this.text(display.text))
      case "TextEnded":
        return this.textEnded(display)
      case "CallBegan":
        return []
      default: {
        const cut = this.flow === undefined ? "" : `${this.flow.end()}\n`
        this.flow = undefined
        return this.progress(cut + this.block(display))
      }
    }
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
    return this.progress(this.nested(call, [...body, ...more]))
  }

  /** Lines under the header of a call. */
  under(call: CallShown, lines: ReadonlyArray<string>): ReadonlyArray<Written> {
    return this.progress(this.nested(call, lines))
  }

  /** What was held back, at the end. */
  end(): ReadonlyArray<Written> {
    const rest = this.flow === undefined ? "" : `${this.flow.end()}\n`
    this.flow = undefined
    return this.progress(rest)
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
    this.flow ??= new Flow(width)
    return gap + this.flow.push(makeVisible(text))
  }

  private textEnded({ final, text }: Extract<Display, { readonly _tag: "TextEnded" }>): ReadonlyArray<Written> {
    if (!this.options.split) return this.end()
    if (text === "") return []
    const visible = makeVisible(text).replace(/\n+$/, "")
    if (final) return [{ to: "answer", text: `${visible}\n` }]
    this.open = undefined
    return this.progress(`${this.gap("Text")}${visible}\n`)
  }

  private block(display: Exclude<Display, { readonly _tag: "Text" | "TextEnded" | "CallBegan" }>): string {
    const { style } = this.options
    switch (display._tag) {
      case "Prompt": {
        this.open = undefined
        const [first = "", ...rest] = wrap(makeVisible(display.text), Math.min(textWidth, this.width()) - 2)
        const lines = [`${style.cyan("›")} ${style.bold(first)}`, ...rest.map((line) => `  ${style.bold(line)}`)]
        return `${this.gap("Prompt")}${lines.join("\n")}\n`
      }
      case "CallOutput": {
        const output = this.outputs.get(display.call.key) ?? new OutputLines()
        this.outputs.set(display.call.key, output)
        const lines = output.push(display.channel, display.text)
        return lines.length === 0
          ? ""
          : this.nested(
              display.call,
              lines.map((line) => this.outputLine(line))
            )
      }
      case "CallNote": {
        const mark = display.text.startsWith("approved")
          ? style.green("✓")
          : this.painted(display.level)(marks[display.level])
        const [first = "", ...rest] = wrap(makeVisible(display.text), this.width() - 6)
        const lines = [first, ...rest].slice(0, messageLimit)
        const painted = lines.map((line) =>
          display.level === "info" ? style.dim(line) : this.painted(display.level)(line)
        )
        return this.nested(
          display.call,
          painted.map((line, index) => `${index === 0 ? mark : " "} ${line}`)
        )
      }
      case "CallEnded":
        return this.callEnded(display)
      case "Note": {
        this.open = undefined
        const lines = wrap(makeVisible(advised(display.text, display.error)), this.width() - 2).slice(0, messageLimit)
        const paint = display.level === "info" ? style.dim : this.painted(display.level)
        return `${this.gap("Note")}${lines.map((line, index) => `${index === 0 ? paint(marks[display.level]) : " "} ${paint(line)}\n`).join("")}`
      }
      case "TaskEnded":
        return this.taskEnded(display)
    }
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
    return `${this.gap("CallBegan")}${this.options.style.cyan("●")} ${this.title(call, this.width() - 2)}\n`
  }

  private nested(call: CallShown, lines: ReadonlyArray<string>): string {
    return this.header(call) + lines.map((line) => `    ${line}\n`).join("")
  }

  private callEnded(ended: Extract<Display, { readonly _tag: "CallEnded" }>): string {
    const { call, durationMillis, outcome, result, text } = ended
    const { style } = this.options
    const output = this.outputs.get(call.key) ?? (result === undefined ? undefined : OutputLines.ofResult(result))
    this.outputs.delete(call.key)
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
      outcome === "done" ? (output === undefined ? resultSummary(text) : "") : outcome === "failed" ? "" : outcome
    const tail = `${said === "" ? "" : ` · ${fit(makeVisible(said), 48)}`}${time}`
    const [first = "", ...more] =
      outcome === "done" || text === "" ? [] : wrap(makeVisible(text), this.width() - 16).slice(0, messageLimit)
    const continued = this.open === call.key
    const gap = continued ? "" : this.gap("CallEnded")
    this.open = undefined
    this.before = "CallEnded"
    const indented = (lines: ReadonlyArray<string>, by: string) => lines.map((line) => `${by}${paint(line)}\n`).join("")
    return continued
      ? first === ""
        ? `${rest}    ${mark} ${style.dim(tail.slice(3) || "done")}\n`
        : `${rest}    ${mark} ${paint(first)}${style.dim(tail)}\n${indented(more, "      ")}`
      : `${gap}${mark} ${this.title(call, this.width() - 2 - columns(tail))}${style.dim(tail)}\n${indented(first === "" ? [] : [first, ...more], "    ")}`
  }

  private taskEnded(ended: Extract<Display, { readonly _tag: "TaskEnded" }>): string {
    const { style } = this.options
    this.open = undefined
    this.outputs.clear()
    const { usage } = ended
    const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens
    const figures = [
      many(ended.requests, "request"),
      `${many(ended.calls, "call")}${ended.failedCalls === 0 ? "" : `, ${ended.failedCalls} failed`}`,
      ...(tokens === 0 ? [] : [many(tokens, "token")]),
      duration(ended.durationMillis)
    ].join(" · ")
    const gap = this.gap("TaskEnded")
    if (ended.outcome === "completed") return `${gap}${style.dim(`─ ${figures}`)}\n`
    const [mark, paint] = ended.outcome === "failed" ? (["✗", style.red] as const) : (["◼", style.yellow] as const)
    const reason = wrap(makeVisible(advised(ended.reason, ended.error)), this.width() - 2).slice(0, messageLimit)
    const lines = reason.map((line, index) => `${index === 0 ? paint(mark) : " "} ${paint(line)}\n`).join("")
    return `${gap}${lines}${style.dim(`  ${figures}`)}\n`
  }
}
