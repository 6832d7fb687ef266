import type { DocumentEvent, DocumentMessage, DocumentSession, Entry } from "../export/Document.ts"
import { isReserved } from "../tool/reserved.ts"
import { refuse } from "./ImportProblem.ts"
import { maxEvents, maxMessages, maxText, maxWarnings } from "./Limits.ts"

/** What a file was found to be. */
const importFormats = ["json", "markdown", "html", "messages", "claude-code", "codex"] as const
export type ImportFormat = (typeof importFormats)[number]

/** The content of a file as it is about to be stored: data, and nothing that holds or runs. */
export interface Drafted {
  readonly format: ImportFormat
  readonly session: Partial<DocumentSession>
  readonly entries: ReadonlyArray<Entry>
  readonly messages: number
  readonly warnings: ReadonlyArray<string>
}

/** A worker's name is one word of a path. */
const isPath = (worker: ReadonlyArray<string>): boolean =>
  worker.length > 0 && worker.length <= 16 && worker.every((name) => /^[^/]{1,100}$/.test(name))

/** Collects what a reader finds, within the bounds of an import. */
export class Draft {
  session: Partial<DocumentSession> = {}
  private readonly messages: Array<DocumentMessage> = []
  private readonly events: Array<DocumentEvent> = []
  private readonly ids = new Set<string>()
  private readonly warned = new Map<string, number>()
  private size = 0

  get count(): number {
    return this.messages.length
  }

  /** Something that is kept out; the same one is counted. */
  warn(warning: string): void {
    const known = this.warned.get(warning)
    if (known !== undefined || this.warned.size < 4 * maxWarnings) this.warned.set(warning, (known ?? 0) + 1)
  }

  message(message: DocumentMessage): void {
    if (this.messages.length >= maxMessages) refuse(`it has more than ${maxMessages} messages`)
    const { id, worker } = message
    if (worker !== undefined && !isPath(worker)) refuse(`message ${this.messages.length + 1} has no valid worker`)
    if (id !== undefined) {
      if (this.ids.has(id)) refuse(`two messages have the id ${JSON.stringify(id.slice(0, 80))}`)
      this.ids.add(id)
    }
    this.grow(JSON.stringify(message).length)
    this.messages.push(message)
  }

  happened(event: DocumentEvent): void {
    if (this.events.length >= maxEvents) refuse(`it has more than ${maxEvents} events`)
    this.grow(JSON.stringify(event).length)
    this.events.push(event)
  }

  private grow(size: number): void {
    this.size += size
    if (this.size > maxText) refuse(`its texts are longer than ${maxText} characters together`)
  }

  finish(format: ImportFormat): Drafted {
    this.judge()
    const entries: Array<Entry> = []
    const events = this.events.toSorted((a, b) => a.after - b.after)
    let next = 0
    for (const [index, message] of this.messages.entries()) {
      for (let event = events[next]; event !== undefined && event.after <= index; event = events[++next])
        entries.push({ happened: event })
      entries.push({ message })
    }
    for (const event of events.slice(next)) entries.push({ happened: event })
    const warnings = [...this.warned].map(([warning, times]) => (times === 1 ? warning : `${warning} (${times} times)`))
    const more = warnings.length - maxWarnings
    return {
      format,
      session: this.session,
      entries,
      messages: this.messages.length,
      warnings: more <= 0 ? warnings : [...warnings.slice(0, maxWarnings), `and ${more} more`]
    }
  }

  /** What no model will see of the messages. */
  private judge(): void {
    const open = new Set<string>()
    let dangling = 0
    let orphans = 0
    let system = 0
    let reserved = 0
    for (const message of this.messages) {
      if (message.role === "system") system += 1
      if (message.role === "tool" && !open.delete(message.tool_call_id)) orphans += 1
      if (message.role !== "assistant" || message.tool_calls === undefined) continue
      dangling += open.size
      open.clear()
      for (const { function: asked, id } of message.tool_calls) {
        open.add(id)
        if (isReserved(asked.name)) reserved += 1
      }
    }
    dangling += open.size
    const say = (count: number, what: string) => {
      if (count > 0) this.warn(`${what}: ${count}`)
    }
    say(system, "system messages are kept, and no model sees them")
    say(dangling, "calls without a result are kept, and no model sees them")
    say(orphans, "results without a call are kept, and no model sees them")
    say(reserved, "calls of a reserved name are kept, and mean nothing")
  }
}
