import type { ModelAttemptFailed } from "../agent/AgentEvent.ts"
import type { ToolCallCompleted } from "../gate/CallEvent.ts"
import { visibleLine } from "../text/visible.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { ApprovalResolved, ClientCallRequested } from "../tool/ToolEvent.ts"
import type { Approval, CallShown, Diff, Display, Level, Notice, Progress } from "./Display.ts"
import { remarks } from "./remarks.ts"
import { Requests } from "./Requests.ts"
import { callKey } from "../tool/CallPlace.ts"
import { resolution } from "./resolution.ts"
import { shortcoming } from "./shortcoming.ts"
import { duration } from "../text/duration.ts"
import { bytes, many } from "./Words.ts"

/** What a frontend does about an event. */
export type Step =
  | Display
  | { readonly _tag: "Status"; readonly text: string | undefined }
  | { readonly _tag: "Progress"; readonly progress: Progress }
  | { readonly _tag: "Diff"; readonly diff: Diff }
  | { readonly _tag: "Notice"; readonly notice: Notice }
  /** The request is first in line. */
  | { readonly _tag: "Ask"; readonly approval: Approval }
  /** The request that was first in line is over. */
  | { readonly _tag: "Asked" }
  /** A call of a tool of the frontend's own. */
  | { readonly _tag: "ClientCall"; readonly call: CallShown; readonly request: ClientCallRequested }
  /** It has ended. */
  | { readonly _tag: "ClientCallEnded"; readonly callId: string }

interface TaskTold {
  requests: number
  calls: number
  failedCalls: number
  deniedCalls: number
  /** Tokens of the iterations that have ended. */
  tokens: number
  /** Milliseconds that its calls have waited for a decision. */
  waitedMillis: number
}

const note = (text: string, level: Level = "info"): Step => ({ _tag: "Note", level, text })
const status = (text: string | undefined): Step => ({ _tag: "Status", text })

/** Turns events into what a frontend shows; the same events give the same steps, live or recorded. */
export class Narrator {
  /** Characters already shown of each worker's current answer. */
  private readonly said = new Map<string, number>()
  private readonly calls = new Map<string, CallShown>()
  private readonly tasks = new Map<string, TaskTold>()
  /** The calls that sub-workers run for, by the place of the worker. */
  private readonly delegated = new Map<string, CallShown>()
  private readonly requests = new Requests()

  /** Calls that a frontend was asked about, and so showed the changes of. */
  private readonly asked = new Set<string>()
  /** Milliseconds that calls have waited for a decision. */
  private readonly waited = new Map<string, number>()
  /** What was said to calls that a person said no to. */
  private readonly denied = new Map<string, string>()
  /** Calls that the frontend was asked to run. */
  private readonly forwarded = new Set<string>()
  /** Why the last attempt at an answer failed, by worker. */
  private readonly failed = new Map<string, string>()
  /** The directory of the session, where it is known. */
  private project = ""

  tell(envelope: Envelope): ReadonlyArray<Step> {
    const { event, task = "" } = envelope
    const worker = envelope.worker ?? []
    const place = `${task}/${worker.join("/")}`
    const told = this.told(task)
    if (isCompaction(worker)) {
      if (event._tag !== "ModelRequested") return []
      told.requests++
      return [status("summarising the conversation")]
    }
    switch (event._tag) {
      case "SessionCreated":
        this.project = event.project
        return []
      case "TaskQueued":
        return event.ahead === 0 ? [] : [note(`queued behind ${event.ahead}: ${event.prompt}`)]
      case "TaskStarted": {
        const content = event.message?.message.content
        return content === undefined || content === null ? [] : [{ _tag: "Prompt", text: content }]
      }
      case "ModelRequested":
        told.requests++
        return [status(`waiting for ${event.model}${far(told)}`)]
      case "IterationEnded":
        told.tokens = event.totalTokens
        return []
      case "WorkerStarted": {
        const parent = worker.slice(0, -1).join("/")
        const call = [...this.calls.values()].find(
          ({ key, worker: of }) => of.join("/") === parent && key.endsWith(`,${JSON.stringify(event.callId)}]`)
        )
        if (call !== undefined) this.delegated.set(place, call)
        return []
      }
      case "WorkerCompleted":
      case "WorkerFailed":
      case "WorkerInterrupted":
        this.delegated.delete(place)
        return []
      case "TextDelta":
        if (worker.length > 1) return [status(`${worker.at(-1)} is answering`)]
        return [...this.text(place, event.offset, event.text), status("answering")]
      case "ReasoningDelta":
        return [status("thinking")]
      case "ArgumentsDelta":
        return [status(`preparing ${event.tool}`)]
      case "ModelAttemptFailed": {
        const broken = (this.said.get(place) ?? 0) > 0
        this.said.delete(place)
        if (event.delayMillis > 0) told.requests++
        return [
          ...(broken ? [{ _tag: "TextEnded", final: false, text: "" } as const] : []),
          note(
            `${this.attemptFailed(place, event)}${event.delayMillis === 0 ? "" : `; again in ${duration(event.delayMillis)}`}`,
            "warning"
          )
        ]
      }
      case "ModelAnswered": {
        const { message } = event.message
        const content = message.content ?? ""
        if (worker.length > 1) return content === "" ? [] : [this.aside(place, worker, content)]
        const final = message.role !== "assistant" || (message.tool_calls ?? []).length === 0
        const rest = this.text(place, 0, content)
        this.said.delete(place)
        const short = final ? shortcoming(event.finish, content === "") : undefined
        return [
          ...(content === "" ? [] : [...rest, { _tag: "TextEnded", final, text: content } as const]),
          ...(short === undefined ? [] : [note(short, "warning")])
        ]
      }
      case "ModelInterrupted": {
        if (worker.length > 1 || event.text === "") return []
        const rest = this.text(place, 0, event.text)
        this.said.delete(place)
        return [...rest, { _tag: "TextEnded", final: false, text: event.text }]
      }
      case "ToolCallRequested": {
        told.calls++
        const call = { key: callKey(envelope, event.callId), tool: event.tool, arguments: event.arguments, worker }
        this.calls.set(call.key, call)
        return [{ _tag: "CallBegan", call }]
      }
      case "ApprovalMoved": {
        const again = this.requests.again(event.approvalId)
        return again === undefined ? [] : this.askedAgain(envelope, again)
      }
      case "ApprovalRequested":
        return this.ask(this.requests.add(this.call(envelope, event.request), event.request))
      case "ApprovalResolved":
        return this.resolved(envelope, event)
      case "ClientCallRequested":
        this.forwarded.add(this.call(envelope, event).key)
        return [status(undefined), { _tag: "ClientCall", call: this.call(envelope, event), request: event }]
      case "ToolCallStarted":
        return [status(`running ${event.tool}`)]
      case "ToolCallRetried":
        return [
          {
            _tag: "CallNote",
            call: this.call(envelope, event),
            level: "warning",
            text: `${event.reason}; attempt ${event.attempt} in ${duration(event.delayMillis)}`
          }
        ]
      case "ToolOutput":
        return [
          { _tag: "CallOutput", call: this.call(envelope, event), channel: event.channel, text: event.text },
          status(`running ${event.tool}`)
        ]
      case "ToolProgressed": {
        const { current, label, total } = event
        const more = {
          ...(label === undefined ? {} : { label }),
          ...(current === undefined ? {} : { current }),
          ...(total === undefined ? {} : { total })
        }
        return [{ _tag: "Progress", progress: { call: this.call(envelope, event), ...more } }]
      }
      case "FileChanged": {
        const from = event.oldPath === undefined ? "" : ` from ${this.near(event.oldPath)}`
        const size = event.change === "deleted" ? "" : `, ${bytes(event.size)}`
        const text = `${event.change} ${this.near(event.path)}${from}${size}`
        const call = this.call(envelope, event)
        const { diff } = event
        return [
          { _tag: "CallNote", call, level: "info", text },
          ...(diff === undefined || this.asked.has(call.key)
            ? []
            : [{ _tag: "Diff", diff: { call, ...diff } } as const])
        ]
      }
      case "ReviewerFailed": {
        const next = event.decision === "deny" ? "the call is denied" : "the mode decides instead"
        const text = `the ${event.by} did not decide: ${event.reason.replace(/\.$/, "")}; ${next}`
        return [{ _tag: "CallNote", call: this.call(envelope, event), level: "warning", text }]
      }
      case "Notified":
        return [{ _tag: "Notice", notice: event }]
      case "ToolCallCompleted":
        return this.completed(envelope, event)
      case "ToolCallFailed":
        return this.ended(envelope, event, "failed", event.error.message, event.durationMillis)
      case "ToolCallInterrupted":
        return this.ended(envelope, event, "interrupted", "", event.durationMillis)
      case "ToolCallOutcomeUnknown":
        return this.ended(envelope, event, "unknown", "the runtime died during the call; it may have run", 0)
      case "TaskCancelling":
        return [status("interrupting")]
      case "TaskCompleted":
        return this.taskEnded(task, { ...told, outcome: "completed", reason: "", ...event })
      case "TaskFailed":
        return this.taskEnded(task, { ...told, outcome: "failed", reason: event.message, ...event, usage: undefined })
      case "TaskInterrupted": {
        const reason = event.by === "user" ? "interrupted" : "interrupted, because the runtime stopped"
        return this.taskEnded(task, { ...told, outcome: "interrupted", reason, ...event, usage: undefined })
      }
      case "SessionResumed": {
        const { goesOn, project } = event
        this.project = project
        this.requests.resume(goesOn?.approvals ?? [])
        return goesOn === undefined ? [] : [note("the task continues where the last run stopped")]
      }
      case "SessionSuspended":
        return event.waits === undefined
          ? []
          : [...this.stopAsking(), note(waits(event.waits.approvals.length), "warning")]
      default:
        return remarks(event).map((remark) => ({ _tag: "Note", ...remark }))
    }
  }

  /** A path as people know it: relative where it is inside the session's directory. */
  private near(path: string): string {
    const inside = this.project !== "" && path.startsWith(`${this.project}/`)
    return visibleLine(inside ? path.slice(this.project.length + 1) : path)
  }

  private told(task: string): TaskTold {
    const known = this.tasks.get(task)
    if (known !== undefined) return known
    const fresh = { requests: 0, calls: 0, failedCalls: 0, deniedCalls: 0, tokens: 0, waitedMillis: 0 }
    this.tasks.set(task, fresh)
    return fresh
  }

  /** What happened to an attempt, in full where it is not what happened to the one before. */
  private attemptFailed(place: string, { attempt, reason }: ModelAttemptFailed): string {
    const same = this.failed.get(place) === reason
    this.failed.set(place, reason)
    return same ? `attempt ${attempt} failed the same way` : `attempt ${attempt} failed: ${reason.replace(/\.$/, "")}`
  }

  /** What of a text, which begins at `offset` of its answer, has not been told. */
  private text(place: string, offset: number, text: string): ReadonlyArray<Step> {
    const said = this.said.get(place) ?? 0
    const fresh = text.slice(Math.max(0, said - offset))
    if (fresh === "") return []
    this.said.set(place, offset + text.length)
    return [{ _tag: "Text", text: fresh }]
  }

  /** No more answers are accepted. */
  private stopAsking(): ReadonlyArray<Step> {
    const asking = this.requests.first() !== undefined
    this.requests.resume([])
    return asking ? [{ _tag: "Asked" }] : []
  }

  /** What a sub-worker says, under the call that it runs for: the answer to the user is the root's alone. */
  private aside(place: string, worker: ReadonlyArray<string>, content: string): Step {
    const call = this.delegated.get(place)
    const text = `${worker.at(-1)}: ${content}`
    return call === undefined ? note(text) : { _tag: "CallNote", call, level: "info", text }
  }

  private call(
    envelope: Envelope,
    event: { readonly callId: string; readonly tool: string; readonly arguments?: unknown }
  ): CallShown {
    const key = callKey(envelope, event.callId)
    const given = typeof event.arguments === "string" ? event.arguments : ""
    return this.calls.get(key) ?? { key, tool: event.tool, arguments: given, worker: envelope.worker ?? [] }
  }

  /** A request from before a restart, whose call may have been shown to another frontend. */
  private askedAgain(envelope: Envelope, request: ApprovalRequest): ReadonlyArray<Step> {
    const known = this.call(envelope, request)
    const call = known.arguments === "" ? { ...known, arguments: JSON.stringify(request.arguments) } : known
    if (this.calls.has(call.key)) return this.ask(this.requests.add(call, request))
    this.told(envelope.task ?? "").calls++
    this.calls.set(call.key, call)
    return [{ _tag: "CallBegan", call }, ...this.ask(this.requests.add(call, request))]
  }

  private ask(approval: Approval | undefined): ReadonlyArray<Step> {
    if (approval === undefined) return []
    const { request } = approval
    this.asked.add(approval.call.key)
    // Those that came with the call are masked as for a log.
    const call = { ...approval.call, arguments: JSON.stringify(request.arguments) ?? "" }
    return [
      status(undefined),
      { _tag: "CallNote", call, level: "warning", text: `needs approval, ${request.risk} risk` },
      { _tag: "Ask", approval }
    ]
  }

  private resolved(envelope: Envelope, event: ApprovalResolved): ReadonlyArray<Step> {
    const first = this.requests.remove(event)
    const { task = "", worker = [] } = envelope
    const above = worker.map((_, index) => this.delegated.get(`${task}/${worker.slice(0, index + 1).join("/")}`)?.key)
    for (const key of [this.call(envelope, event).key, ...above]) {
      if (key !== undefined) this.waited.set(key, (this.waited.get(key) ?? 0) + event.waitedMillis)
    }
    this.told(task).waitedMillis += event.waitedMillis
    const text = resolution(event)
    if (event.outcome === "denied" && event.by === "user") {
      this.denied.set(
        this.call(envelope, event).key,
        event.reason === undefined ? "you said no" : `you said no: ${event.reason}`
      )
    }
    // A refusal is the failure of its call, and is shown there.
    const told = event.outcome === "denied" || event.outcome === "expired"
    return [
      ...(first ? [{ _tag: "Asked" } as const] : []),
      ...(told ? [] : [{ _tag: "CallNote", call: this.call(envelope, event), level: "info", text } as const]),
      ...(first ? this.ask(this.requests.first()) : [])
    ]
  }

  /** A result that tells of a failure is shown as one, without the line that names it twice. */
  private completed(envelope: Envelope, event: ToolCallCompleted): ReadonlyArray<Step> {
    const content = event.message.message.content ?? ""
    const { durationMillis, failed } = event
    if (failed === undefined) return this.ended(envelope, event, "done", content, durationMillis)
    const result = content.startsWith(`${failed.reason}\n`) ? content.slice(failed.reason.length + 1) : content
    return this.ended(envelope, event, "failed", failed.reason, durationMillis, result)
  }

  private ended(
    envelope: Envelope,
    event: { readonly callId: string; readonly tool: string; readonly arguments?: unknown },
    outcome: "done" | "failed" | "interrupted" | "unknown",
    text: string,
    durationMillis: number,
    result?: string
  ): ReadonlyArray<Step> {
    const call = this.call(envelope, event)
    this.calls.delete(call.key)
    // What a person takes to decide is no time of the call's.
    const ranMillis = Math.max(0, durationMillis - (this.waited.get(call.key) ?? 0))
    this.waited.delete(call.key)
    const denied = this.denied.get(call.key)
    this.denied.delete(call.key)
    if (denied !== undefined) this.told(envelope.task ?? "").deniedCalls++
    else if (outcome === "failed") this.told(envelope.task ?? "").failedCalls++
    const forwarded = this.forwarded.delete(call.key)
    return [
      ...(forwarded ? [{ _tag: "ClientCallEnded", callId: event.callId } as const] : []),
      {
        _tag: "CallEnded",
        call,
        outcome,
        text: denied ?? text,
        durationMillis: ranMillis,
        ...(result !== undefined && { result })
      },
      status("working")
    ]
  }

  private taskEnded(
    task: string,
    ended: Omit<Extract<Step, { _tag: "TaskEnded" }>, "_tag"> & Pick<TaskTold, "waitedMillis">
  ): ReadonlyArray<Step> {
    this.tasks.delete(task)
    for (const place of this.said.keys()) if (place.startsWith(`${task}/`)) this.said.delete(place)
    const { calls, deniedCalls = 0, error, failedCalls, outcome, reason, requests, usage } = ended
    const durationMillis = Math.max(0, ended.durationMillis - ended.waitedMillis)
    const why = error === undefined ? {} : { error }
    const denied = deniedCalls === 0 ? {} : { deniedCalls }
    const figures = { durationMillis, requests, calls, failedCalls, ...denied, usage }
    return [status(undefined), { _tag: "TaskEnded", outcome, reason, ...why, ...figures }]
  }
}

const waits = (requests: number): string =>
  `${many(requests, "approval request")} still waiting; resume the session to answer ${requests === 1 ? "it" : "them"}`

/** A summary is shown when it replaces the conversation. */
const isCompaction = ([root]: ReadonlyArray<string>): boolean => root === "compact"

/** How far a task has come, from its second request on. */
const far = ({ requests, tokens }: TaskTold): string =>
  requests < 2 ? "" : ` · request ${requests}${tokens === 0 ? "" : ` · ${many(tokens, "token")}`}`
