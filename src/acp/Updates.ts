import * as DateTime from "effect/DateTime"
import type { ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk"
import { inUsd } from "../cost/Money.ts"
import type { Usage } from "../cost/Usage.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { titleOf as sessionTitle } from "../runtime/Projection.ts"
import { makeVisible, oneLine, visibleLine } from "../text/visible.ts"
import { isRoot } from "../tool/WorkerPath.ts"
import type { CallShown, Diff, Level } from "../ui/Display.ts"
import { Narrator, type Step } from "../ui/Narrator.ts"
import { Call, inputOf, kindOf, titleOf } from "./Call.ts"
import { diffsOf } from "./Diffs.ts"
import type { EditorCan } from "./Editor.ts"
import { block, output } from "./fenced.ts"
import { Terminals } from "./Terminals.ts"
import { chunk, planOf, type Told, type Update, update } from "./Told.ts"

export interface UpdatesOptions {
  /** Where the session works; absolute. */
  readonly directory: string
  readonly can: Pick<EditorCan, "notices" | "compaction">
  /** What it had cost before, in billionths of a US dollar. */
  readonly spent?: number
  /** What it is called already, where its beginning is not told. */
  readonly title?: string
  /** Where calls run that the editor runs; unset for what is told again. */
  readonly terminals?: Terminals
  /** Whether the editor has asked for a task: it shows its prompt, and hears its end as the answer. */
  readonly isOwn?: (task: string) => boolean
}

type Changes = Partial<Pick<ToolCallUpdate, "title" | "status" | "content" | "locations">>
type Started = Extract<Step, { readonly _tag: "CallStarted" }>
type Ended = Extract<Step, { readonly _tag: "CallEnded" }>

/** Ended calls that are remembered. */
const maxOver = 1000

/** Epoch milliseconds as the protocol writes a time. */
export const isoTime = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

/** Turns the events of a session into what an editor is told; the same events give the same updates, live or replayed. */
export class Updates {
  private readonly narrator = new Narrator()
  private readonly calls = new Map<string, Call>()
  /** Calls that have ended, of which nothing more is told. */
  private readonly over = new Set<string>()
  /** Characters of what the model thinks that were told, by task. */
  private readonly thought = new Map<string, number>()
  private readonly options: UpdatesOptions
  private readonly terminals: Terminals
  private spent: number
  private title: string
  /** Whether what is told happens now. */
  live = false

  constructor(options: UpdatesOptions) {
    this.options = options
    this.spent = options.spent ?? 0
    this.title = options.title ?? ""
    this.terminals = options.terminals ?? new Terminals()
  }

  tell(envelope: Envelope): ReadonlyArray<Told> {
    return [...this.own(envelope), ...this.narrator.tell(envelope).flatMap((step) => this.step(step, envelope))]
  }

  /** What calls have put out since it was last asked for, and the terminals that they run in. */
  flush(): ReadonlyArray<Told> {
    const told: Array<Told> = []
    for (const call of this.calls.values()) {
      if (call.runsIn(this.terminals)) told.push(this.changed(call, { content: call.content() }))
      if (!call.fresh) continue
      call.fresh = false
      told.push(this.changed(call, { content: call.content() }))
    }
    return told
  }

  /** What narration leaves out, for it tells a person in rows. */
  private own(envelope: Envelope): ReadonlyArray<Told> {
    const { event, task = "", worker } = envelope
    switch (event._tag) {
      case "TaskQueued":
        return this.title === "" ? this.named(event.prompt, envelope) : []
      case "SessionRenamed":
      case "SessionImported":
        return this.named(event.title, envelope)
      case "ModelRequested":
      case "ModelAttemptFailed":
        if (isRoot(worker)) this.thought.delete(task)
        return []
      case "ReasoningDelta":
        return isRoot(worker) ? this.thinks(task, event.offset, event.text) : []
      case "ModelAnswered":
        return isRoot(worker) ? this.thinks(task, 0, event.message.reasoning ?? "") : []
      case "TodosChanged":
        return isRoot(worker) ? [planOf(event.items)] : []
      case "ModelCharged":
        if (this.live) this.spent += event.amount ?? 0
        return []
      case "IterationEnded":
        return isRoot(worker) ? this.used(event.usage, event.contextWindow) : []
      case "SessionCompacted":
        return this.options.can.compaction
          ? [
              update({
                sessionUpdate: "compaction_update",
                compactionId: event.message.id,
                status: "completed",
                summary: [block(makeVisible(event.message.message.content ?? ""))]
              })
            ]
          : []
      case "ApprovalPolicySet":
        return this.live ? [update({ sessionUpdate: "current_mode_update", currentModeId: event.policy }), options] : []
      case "ModelSwitched":
        return this.live ? [options] : []
      default:
        return []
    }
  }

  /** How much of the context is used, where its size is known. */
  private used({ inputTokens, outputTokens }: Usage, size: number | undefined): ReadonlyArray<Told> {
    const used = Math.max(0, Math.round(inputTokens + outputTokens))
    if (size === undefined || !Number.isSafeInteger(size) || size <= 0 || !Number.isSafeInteger(used)) return []
    const cost = this.live && this.spent > 0 ? { cost: { amount: Number(inUsd(this.spent)), currency: "USD" } } : {}
    return [update({ sessionUpdate: "usage_update", used, size, ...cost })]
  }

  private named(text: string, { time }: Envelope): ReadonlyArray<Told> {
    this.title = oneLine(sessionTitle(text))
    return [update({ sessionUpdate: "session_info_update", title: this.title, updatedAt: isoTime(time) })]
  }

  private thinks(task: string, offset: number, text: string): ReadonlyArray<Told> {
    const told = this.thought.get(task) ?? 0
    const fresh = text.slice(Math.max(0, told - offset))
    if (fresh === "") return []
    this.thought.set(task, offset + text.length)
    return [chunk("agent_thought_chunk", fresh)]
  }

  private step(step: Step, { event, task = "" }: Envelope): ReadonlyArray<Told> {
    switch (step._tag) {
      case "Prompt":
        return this.live && this.options.isOwn?.(task) === true ? [] : [chunk("user_message_chunk", step.text)]
      case "Text":
        return [chunk("agent_message_chunk", step.text)]
      case "CallBegan":
      case "CallAsked":
        return this.with(step.call, () => [])
      case "CallDelegated":
        return this.with(step.call, (call) => [
          this.changed(call, { title: `${titleOf(step.call, "running")} · ${visibleLine(step.name)}` })
        ])
      case "CallStarted":
        return this.with(step.call, (call) => this.starts(call, step))
      case "CallOutput":
        return this.with(step.call, (call) => {
          call.put(step.text)
          return []
        })
      case "CallNote":
        return this.with(step.call, (call) => this.noted(call, step.text))
      case "Diff":
        return this.with(step.diff.call, (call) => this.diff(call, step.diff))
      case "CallEnded":
        return this.with(step.call, (call) => this.ended(call, step))
      case "Note":
        // The plan and the options have updates of their own.
        return event._tag === "TodosChanged" || event._tag === "ModelSwitched" || event._tag === "ApprovalPolicySet"
          ? []
          : this.remarked(step.level, step.text)
      case "Notice":
        return this.remarked(step.notice.level === "success" ? "info" : step.notice.level, step.notice.message)
      case "TaskEnded":
        return this.live && this.options.isOwn?.(task) === true ? [] : this.remarked("warning", step.reason)
      case "Ask":
      case "Asked":
      case "ClientCall":
      case "ClientCallEnded":
        return [step]
      case "Status":
      case "Progress":
      case "TextEnded":
      case "Thought":
      case "CallDecided":
        return []
    }
  }

  /** The call as it is known by now, which the editor is told of before anything else; nothing of one that has ended. */
  private with(shown: CallShown, tell: (call: Call) => ReadonlyArray<Told>): ReadonlyArray<Told> {
    const known = this.calls.get(shown.key)
    if (known !== undefined) return tell(known)
    if (this.over.has(shown.key)) return []
    const call = new Call(shown, this.options.directory)
    this.calls.set(shown.key, call)
    const begun = update({
      sessionUpdate: "tool_call",
      toolCallId: shown.key,
      title: titleOf(shown, "asked"),
      name: shown.tool,
      kind: kindOf(shown.tool),
      status: "pending",
      locations: call.locations,
      rawInput: inputOf(shown.arguments)
    })
    return [begun, ...tell(call)]
  }

  private changed(call: Call, more: Changes): Update {
    return update({ sessionUpdate: "tool_call_update", toolCallId: call.shown.key, ...more })
  }

  private starts(call: Call, { call: shown, changed }: Started): ReadonlyArray<Told> {
    if (call.started) return []
    call.started = true
    if (changed === true) call.replace(shown)
    return [
      this.changed(call, {
        title: titleOf(shown, "running"),
        status: "in_progress",
        ...(changed === true && { rawInput: inputOf(shown.arguments), locations: call.locations })
      })
    ]
  }

  private noted(call: Call, text: string): ReadonlyArray<Told> {
    call.note(text)
    return [this.changed(call, { content: call.content() })]
  }

  private diff(call: Call, { omitted, text }: Diff): ReadonlyArray<Told> {
    const diffs = omitted > 0 ? undefined : diffsOf(text, this.options.directory)
    const content: ReadonlyArray<ToolCallContent> = diffs?.map((diff) => ({ type: "diff", ...diff })) ?? [
      output(omitted > 0 ? `${text}\n… ${omitted} more lines` : text)
    ]
    call.changed(content, diffs?.[0]?.path)
    return [this.changed(call, { content: call.content(), locations: call.locations })]
  }

  private ended(call: Call, { outcome, result = "", text }: Ended): ReadonlyArray<Told> {
    const { shown } = call
    this.calls.delete(shown.key)
    this.over.add(shown.key)
    const [oldest] = this.over
    if (this.over.size > maxOver && oldest !== undefined) this.over.delete(oldest)
    const why = outcome === "interrupted" ? `interrupted ${text}`.trim() : text
    call.runsIn(this.terminals)
    const { terminal } = call
    const isDone = outcome === "done"
    const isKept = terminal === undefined || this.terminals.isOpen(terminal)
    const end = this.changed(call, {
      title: titleOf(shown, "ended"),
      status: isDone ? "completed" : "failed",
      ...(isKept ? { content: call.content({ why, result, isDone }) } : {})
    })
    return [terminal === undefined ? end : { ...end, over: terminal }]
  }

  /** Something beside the conversation: a notice where the editor shows them, else a thought if it matters. */
  private remarked(level: Level, text: string): ReadonlyArray<Told> {
    if (text === "") return []
    if (this.options.can.notices) {
      const [title = "", ...rest] = makeVisible(text).split("\n")
      const more = rest.length === 0 ? {} : { description: rest.join("\n") }
      return this.live ? [update({ sessionUpdate: "notice", severity: level, title, ...more })] : []
    }
    return level === "info" ? [] : [chunk("agent_thought_chunk", `${text}\n`)]
  }
}

const options: Told = { _tag: "Options" }
