import { signal } from "@preact/signals"
import type { Envelope } from "../../runtime/Envelope.ts"
import type { SessionDetail } from "../../server/SessionInfo.ts"
import { get, login, type Problem, sessionPath } from "../Api.ts"
import { Fold } from "./Fold.ts"

/** Events of one page of the log. */
const page = 1000
/** Events that are read before a session is shown; earlier ones come as they are scrolled to. */
const recent = 600
/** Pause before a stream that was refused is asked for again, in milliseconds. */
const again = 1500

type Snapshot = SessionDetail & { readonly partial: ReadonlyArray<Envelope> }
interface Page {
  readonly head: number
  readonly events: ReadonlyArray<Envelope>
}

/**
 * One session as it is followed: the end of its log, then its stream, without a gap and without an event twice, through
 * every reconnection.
 */
export class Feed {
  readonly session: string
  readonly detail = signal<SessionDetail | undefined>(undefined)
  readonly connection = signal<"opening" | "live" | "lost">("opening")
  readonly problem = signal<Problem | undefined>(undefined)
  /** Grows when something of it has changed; at most once for each frame of the screen. */
  readonly revision = signal(0)
  /** The number of the first event that has been read. */
  readonly first = signal(1)
  readonly loading = signal(false)

  fold = new Fold()
  /** What has been read of the log, without a gap. */
  events: Array<Envelope> = []

  private source: EventSource | undefined
  private timer: number | undefined
  private frame: number | undefined
  private closed = false
  /** Deltas of what follows an event that has not come yet. */
  private early: Array<Envelope> = []

  constructor(session: string) {
    this.session = session
    void this.open()
  }

  get head(): number {
    return this.events.at(-1)?.seq ?? this.first.value - 1
  }

  close(): void {
    this.closed = true
    this.source?.close()
    if (this.timer !== undefined) clearTimeout(this.timer)
    if (this.frame !== undefined) cancelAnimationFrame(this.frame)
  }

  /** Reads the page of the log before what is there. */
  earlier(): Promise<void> {
    return this.back(this.first.value - page)
  }

  /** Reads the log from its beginning. */
  all(): Promise<void> {
    return this.back(1)
  }

  /** Reads what is before the first event that is there, down to a number. */
  private async back(to: number): Promise<void> {
    const first = this.first.value
    if (first <= 1 || this.loading.value) return
    this.loading.value = true
    const pages: Array<ReadonlyArray<Envelope>> = []
    let from = first
    while (from > Math.max(1, to) && !this.closed) {
      const below = Math.max(1, from - page)
      const found = await this.read(below, from - below)
      if (found === undefined) break
      pages.unshift(found.events)
      from = below
    }
    this.loading.value = false
    if (this.closed || from === first || this.first.value !== first) return
    this.events = [...pages.flat(), ...this.events]
    this.first.value = from
    this.refold()
  }

  private async open(): Promise<void> {
    const found = await get<SessionDetail>(sessionPath(this.session))
    if (this.closed) return
    if (!found.ok) return this.fail(found.problem)
    this.detail.value = found.value
    const from = Math.max(1, found.value.head - recent + 1)
    if (this.events.length === 0) {
      const last = await this.read(from, page)
      if (last === undefined || this.closed) return
      this.events = [...last.events]
      this.first.value = from
      this.refold()
    }
    this.problem.value = undefined
    this.listen()
  }

  private async read(from: number, limit: number): Promise<Page | undefined> {
    const found = await get<Page>(sessionPath(this.session, `/log?from=${from}&limit=${Math.min(page, limit)}`))
    if (found.ok) return found.value
    if (!this.closed) this.fail(found.problem)
    return undefined
  }

  private fail(problem: Problem): void {
    this.problem.value = problem
    this.connection.value = "lost"
    // What is not there does not come by waiting.
    if (problem.status === 404 || problem.status === 403 || problem.status === 401) return
    this.later()
  }

  private later(): void {
    if (this.timer !== undefined) clearTimeout(this.timer)
    this.timer = window.setTimeout(() => void this.open(), again)
  }

  private listen(): void {
    this.source?.close()
    const source = new EventSource(sessionPath(this.session, `/events?from=${this.head + 1}`))
    this.source = source
    source.addEventListener("open", () => {
      this.connection.value = "live"
      this.problem.value = undefined
    })
    source.addEventListener("error", () => {
      this.connection.value = "lost"
      // A browser gives up where the server said no; else it comes again by itself, after the last event that it had.
      if (source.readyState === EventSource.CLOSED && !this.closed && login.value !== "out") this.later()
    })
    source.addEventListener("snapshot", ({ data }: MessageEvent<string>) => this.begin(JSON.parse(data) as Snapshot))
    source.addEventListener("delta", ({ data }: MessageEvent<string>) => this.hear(JSON.parse(data) as Envelope))
    source.addEventListener("message", ({ data }: MessageEvent<string>) => this.take(JSON.parse(data) as Envelope))
  }

  private begin({ partial, ...detail }: Snapshot): void {
    if (detail.head < this.head) {
      // Another store answers under this address: nothing that was read counts.
      this.events = []
      this.first.value = 1
      this.fold = new Fold()
      this.source?.close()
      void this.open()
      return
    }
    this.detail.value = detail
    if (detail.mode !== undefined) this.fold.mode = detail.mode
    this.fold.reopen()
    this.early = []
    for (const envelope of partial) this.hear(envelope)
    this.changed()
  }

  /** Takes a durable event, once, after all before it; where one is missing, the stream begins anew with that. */
  private take(envelope: Envelope): void {
    if (envelope.seq <= this.head) return
    if (envelope.seq === this.head + 1) return this.keep(envelope)
    this.source?.close()
    this.connection.value = "lost"
    this.later()
  }

  private keep(envelope: Envelope): void {
    this.events.push(envelope)
    this.step(envelope)
    const ripe = this.early.filter(({ seq }) => seq <= envelope.seq)
    if (ripe.length === 0) return
    this.early = this.early.filter(({ seq }) => seq > envelope.seq)
    for (const delta of ripe) this.step(delta)
  }

  /** Takes a delta once what it follows is there. */
  private hear(delta: Envelope): void {
    if (delta.seq > this.head) this.early.push(delta)
    else this.step(delta)
  }

  private step(envelope: Envelope): void {
    this.fold.step(envelope)
    this.changed()
  }

  private refold(): void {
    const { mode } = this.detail.value ?? {}
    this.fold = new Fold()
    for (const envelope of this.events) this.fold.step(envelope)
    if (mode !== undefined) this.fold.mode = mode
    this.changed()
  }

  private changed(): void {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined
      this.revision.value++
    })
  }
}
