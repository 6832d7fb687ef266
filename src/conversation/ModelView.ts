import { isReserved } from "../tool/reserved.ts"
import type { TodoItem } from "../tool/ToolEvent.ts"
import type { Change } from "./Change.ts"
import type { AssistantMessage, FunctionCall, StoredMessage } from "./Message.ts"
import { characters, sizeOf } from "./size.ts"

/** An assistant message with some of its calls; nothing where that leaves nothing. */
const withCalls = (
  stored: StoredMessage,
  message: AssistantMessage,
  kept: ReadonlyArray<FunctionCall>
): ReadonlyArray<StoredMessage> => {
  if (kept.length === message.tool_calls?.length) return [stored]
  const { tool_calls: _, ...rest } = message
  // What the provider wants back names the calls as well, those that are left out too.
  const { provider: __, ...own } = stored
  if (kept.length > 0) return [{ ...own, message: { ...rest, tool_calls: kept } }]
  return message.content === null || message.content === "" ? [] : [{ ...own, message: rest }]
}

/** Tells a model that a call of its own was refused, without the name that it must not learn to use. */
const refused: StoredMessage = {
  id: "refused",
  message: { role: "system", content: "A call was refused: its name is reserved. Use your own tools." }
}

/** Requests for approval are the runtime's own; the model has made every other call. */
const isOwn = ({ id }: StoredMessage): boolean => id.startsWith("request_")

/** A call without a result yet, and its place. */
interface Open {
  readonly at: number
  /** Which of the calls of its answer it is. */
  readonly order: number
}

/**
 * What a model may see of a stored conversation: no `client.*` call, result or id, no result without its call and no
 * call without its result. It depends only on what is stored.
 */
export class ModelView {
  private messages: Array<StoredMessage> = []
  /** Calls that the model has made and that a result may answer. */
  private readonly open = new Map<string, Open>()
  /** Calls of reserved names, whose refusal the model sees in other words. */
  private readonly hidden = new Set<string>()
  /** What follows the results that are still to come. */
  private readonly notes: Array<StoredMessage> = []
  /** Which calls of the last answer the results at the end of the messages are of. */
  private readonly results: Array<number> = []
  /** Characters of the messages. */
  size = 0
  private dropped = 0
  /** The last prompt among those that were dropped. */
  private prompt: StoredMessage | undefined
  /** How often what came before was replaced, by a summary or by nothing. */
  generation = 0
  /** The list of steps that the worker keeps. */
  todos: ReadonlyArray<TodoItem> = []

  /** How many messages there have been, those included that no window of that limit can show any more. */
  get count(): number {
    return this.dropped + this.messages.length
  }

  /** The messages so far, calls that still wait for their results included; the same array grows with the next one. */
  get all(): ReadonlyArray<StoredMessage> {
    return this.messages
  }

  apply(change: Change): void {
    switch (change._tag) {
      case "Added":
        return this.add(change.message)
      case "Planned":
        this.todos = change.todos
        return
      case "Replaced":
        this.clear()
        this.todos = change.todos
        for (const message of change.messages) this.add(message)
    }
  }

  add(stored: StoredMessage): void {
    const { message } = stored
    if (message.role === "assistant" && message.tool_calls !== undefined) {
      const kept = message.tool_calls.filter((call) => !isReserved(call.function.name))
      const visible = withCalls(stored, message, kept)
      if (visible.length > 0) {
        this.dropOrphans()
        this.results.length = 0
      }
      let order = 0
      for (const call of message.tool_calls) {
        if (!isReserved(call.function.name)) this.open.set(call.id, { at: this.messages.length, order: order++ })
        else if (!isOwn(stored)) this.hidden.add(call.id)
      }
      this.push(visible)
    } else if (message.role === "tool") {
      const call = this.open.get(message.tool_call_id)
      this.open.delete(message.tool_call_id)
      if (call !== undefined) this.insert(stored, call)
      else if (this.hidden.delete(message.tool_call_id)) this.notes.push(refused)
      if (this.open.size === 0) this.push(this.notes.splice(0))
    } else {
      this.dropOrphans()
      this.push([stored])
    }
  }

  private clear(): void {
    this.generation += 1
    this.messages = []
    this.open.clear()
    this.hidden.clear()
    this.notes.length = 0
    this.size = 0
    this.dropped = 0
    this.prompt = undefined
  }

  /**
   * The latest messages of at most `limit` characters in all, never beginning with an answer or with a result whose
   * call is left out; the last prompt is always among them. All windows of a view have one limit.
   */
  window(limit: number): ReadonlyArray<StoredMessage> {
    const messages = this.open.size === 0 ? this.messages : this.withoutOrphans()
    if (this.size <= limit && this.dropped === 0) return [...messages]
    let start = messages.length
    let size = 0
    for (let index = messages.length - 1; index >= 0; index--) {
      const stored = messages[index]
      if (stored === undefined) continue
      size += characters(stored)
      if (size > limit && start < messages.length) break
      if (stored.message.role !== "tool") start = index
    }
    const tail = messages.slice(start)
    const before = messages.slice(0, start).findLast(isPrompt) ?? this.prompt
    if (this.size > 2 * limit && this.open.size === 0) this.drop(start, before)
    const first = tail.findIndex(isPrompt)
    if (first !== -1) return tail[0]?.message.role === "assistant" ? tail.slice(first) : tail
    return before === undefined ? tail : [before, ...tail]
  }

  /** Lets go of what no window of that limit shows any more, where none is asked for. */
  trim(limit: number): void {
    if (this.size > 2 * limit) this.window(limit)
  }

  /** Characters of a window that this view has just given. */
  sizeOf(window: ReadonlyArray<StoredMessage>): number {
    return window.length === this.count && this.open.size === 0 ? this.size : sizeOf(window)
  }

  /** Messages that left the window do not return: a long conversation costs no more than its window. */
  private drop(start: number, prompt: StoredMessage | undefined): void {
    this.prompt = prompt
    this.dropped += start
    this.messages = this.messages.slice(start)
    this.size = sizeOf(this.messages)
  }

  /** Results come as their calls end, and are read in the order of the calls. */
  private insert(stored: StoredMessage, { order }: Open): void {
    let behind = 0
    while ((this.results.at(-1 - behind) ?? -1) > order) behind++
    this.results.splice(this.results.length - behind, 0, order)
    this.messages.splice(this.messages.length - behind, 0, stored)
    this.size += characters(stored)
  }

  private push(visible: ReadonlyArray<StoredMessage>): void {
    for (const stored of visible) {
      this.messages.push(stored)
      this.size += characters(stored)
    }
  }

  /** A call without a result when the conversation continues never gets one. */
  private dropOrphans(): void {
    if (this.open.size === 0) return
    this.messages = this.withoutOrphans()
    this.open.clear()
    this.size = sizeOf(this.messages)
    this.push(this.notes.splice(0))
  }

  private withoutOrphans(): Array<StoredMessage> {
    const first = Math.min(...[...this.open.values()].map(({ at }) => at))
    return this.messages.flatMap((stored, index) => {
      const { message } = stored
      if (index < first || message.role !== "assistant" || message.tool_calls === undefined) return [stored]
      return withCalls(
        stored,
        message,
        message.tool_calls.filter(({ id }) => this.open.get(id)?.at !== index)
      )
    })
  }
}

const isPrompt = ({ message }: StoredMessage): boolean => message.role === "user"

/** `ModelView` of a whole conversation at once; a call at its end that has no result is left out. */
export const modelView = (messages: Iterable<StoredMessage>): ReadonlyArray<StoredMessage> => {
  const view = new ModelView()
  for (const message of messages) view.add(message)
  return view.window(Infinity)
}
