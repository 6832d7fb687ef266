import type { Envelope } from "../../runtime/Envelope.ts"
import type { Call, CallState, Item, Words } from "./Item.ts"
import type { Level } from "./remarks.ts"

/** Rows that one worker keeps. */
const maxBelow = 400

const placeOf = ({ task = "", worker = [] }: Envelope): string => `${task}/${worker.join("/")}`

const callKey = (envelope: Envelope, callId: string): string =>
  `${placeOf(envelope)}#${envelope.iteration ?? 0}#${callId}`

export const contentOf = (message: { readonly message: { readonly content: string | null } } | undefined): string =>
  message?.message.content ?? ""

/** The rows of a conversation: which there are, which are still open, and below which call each stands. */
export class Rows {
  readonly items: Array<Item> = []

  private readonly calls = new Map<string, Call>()
  private readonly open = new Map<string, Words>()
  /** The call that a worker was started by, under the worker's place. */
  private readonly parents = new Map<string, Call>()
  /** The number of the last row's event, and which of its rows that was. */
  private last = 0
  private nth = 0
  /** The call that a row stands below. */
  private readonly above = new WeakMap<Item, Call>()
  /** What stands behind all that the task adds which runs: prompts that wait for its end, and the ends of those that never began. */
  private readonly behind = new Set<Item>()

  row({ seq, time }: Envelope, of = "") {
    this.nth = seq === this.last ? this.nth + 1 : 0
    this.last = seq
    return { key: `${seq}-${of}-${this.nth}`, seq, time, revision: 0 }
  }

  /** The rows of the worker of an event: those of the conversation, or those below the call that started it. */
  private listOf(envelope: Envelope): { readonly list: Array<Item>; readonly owner: Call | undefined } {
    const owner = (envelope.worker?.length ?? 0) > 1 ? this.parents.get(placeOf(envelope)) : undefined
    return owner === undefined ? { list: this.items, owner } : { list: owner.below, owner }
  }

  add(envelope: Envelope, item: Item): void {
    const { list, owner } = this.listOf(envelope)
    if (owner === undefined) {
      let at = list.length
      for (let last = list[at - 1]; last !== undefined && this.behind.has(last); last = list[at - 1]) at--
      list.splice(at, 0, item)
      return
    }
    list.push(item)
    this.above.set(item, owner)
    if (list.length > maxBelow) list.splice(0, list.length - maxBelow)
    this.touch(owner)
  }

  /** Adds a row of the conversation behind what the task adds that runs. */
  queue(item: Item): void {
    this.items.push(item)
    this.behind.add(item)
  }

  /** What follows stands behind these rows, or behind all. */
  follow(item?: Item): void {
    if (item === undefined) this.behind.clear()
    else this.behind.delete(item)
  }

  touch(item: Item): void {
    for (let at: Item | undefined = item; at !== undefined; at = this.above.get(at)) at.revision++
  }

  note(envelope: Envelope, text: string, level: Level = "info"): void {
    this.add(envelope, { ...this.row(envelope, "note"), kind: "note", level, text })
  }

  write(envelope: Envelope, kind: Words["kind"], text: string, offset: number): void {
    const place = `${placeOf(envelope)} ${kind}`
    let open = this.open.get(place)
    if (open === undefined) {
      open = { ...this.row(envelope, kind), kind, text: "", open: true }
      this.open.set(place, open)
      this.add(envelope, open)
    }
    if (offset > open.text.length) return
    open.text = open.text.slice(0, offset) + text
    this.touch(open)
  }

  settle(envelope: Envelope, kind: Words["kind"], text: string): void {
    const place = `${placeOf(envelope)} ${kind}`
    const open = this.open.get(place)
    this.open.delete(place)
    if (open !== undefined) {
      open.text = text
      open.open = false
      if (text === "") this.remove(envelope, open)
      return this.touch(open)
    }
    if (text !== "") this.add(envelope, { ...this.row(envelope, kind), kind, text, open: false })
  }

  private remove(envelope: Envelope, item: Item): void {
    const { list } = this.listOf(envelope)
    const at = list.lastIndexOf(item)
    if (at >= 0) list.splice(at, 1)
  }

  /** What a failed attempt had written counts no more. */
  drop(envelope: Envelope): void {
    for (const kind of ["answer", "thought"] as const) {
      const place = `${placeOf(envelope)} ${kind}`
      const open = this.open.get(place)
      this.open.delete(place)
      if (open !== undefined) this.remove(envelope, open)
    }
    for (const [key, call] of this.calls) {
      if (call.state !== "asked" || !key.startsWith(`${placeOf(envelope)}#${envelope.iteration ?? 0}#`)) continue
      this.calls.delete(key)
      this.remove(envelope, call)
    }
  }

  private find(envelope: Envelope, callId: string): Call | undefined {
    const exact = this.calls.get(callKey(envelope, callId))
    if (exact !== undefined) return exact
    const place = `${placeOf(envelope)}#`
    for (const [key, call] of this.calls) if (call.callId === callId && key.startsWith(place)) return call
    return undefined
  }

  call(envelope: Envelope, { callId, tool }: { readonly callId: string; readonly tool: string }): Call {
    const known = this.calls.get(callKey(envelope, callId))
    if (known !== undefined) return known
    const key = callKey(envelope, callId)
    const { seq, time, worker = [] } = envelope
    const made: Call = {
      key,
      seq,
      time,
      revision: 0,
      kind: "call",
      callId,
      tool,
      worker,
      arguments: "",
      state: "asked",
      request: undefined,
      output: "",
      result: undefined,
      problem: undefined,
      diffs: [],
      notes: [],
      progress: undefined,
      startedAt: undefined,
      durationMillis: undefined,
      below: [],
      delegate: undefined
    }
    this.calls.set(key, made)
    this.add(envelope, made)
    return made
  }

  change(envelope: Envelope, of: { readonly callId: string; readonly tool: string }, to: (call: Call) => void): void {
    const call = this.call(envelope, of)
    to(call)
    this.touch(call)
  }

  finish(
    envelope: Envelope,
    event: {
      readonly callId: string
      readonly tool: string
      readonly message: { readonly message: { readonly content: string | null } }
      readonly durationMillis?: number
    },
    state: CallState,
    problem: string | undefined
  ): void {
    for (const item of this.listOf(envelope).list) {
      if (item.kind !== "question" || !item.open) continue
      item.open = false
      item.revision++
    }
    this.change(envelope, event, (call) => {
      call.state = call.state === "denied" ? "denied" : state
      call.problem = problem
      call.result = contentOf(event.message)
      call.output = ""
      call.progress = undefined
      call.durationMillis = event.durationMillis
    })
  }

  /** A worker begins, whose rows stand below the call that started it. */
  nest(envelope: Envelope, callId: string): void {
    const { worker = [] } = envelope
    const parent = this.find({ ...envelope, worker: worker.slice(0, -1) }, callId)
    if (parent === undefined) return
    parent.delegate = worker.at(-1)
    this.parents.set(placeOf(envelope), parent)
    this.touch(parent)
  }

  /** A task is over: no more of its texts comes. */
  close(task: string): void {
    for (const [place, open] of this.open) {
      if (!place.startsWith(`${task}/`)) continue
      this.open.delete(place)
      open.open = false
      this.touch(open)
    }
  }

  /** Output that was shown comes anew. */
  reopen(): void {
    for (const call of this.calls.values()) if (call.state === "running") call.output = ""
  }
}
