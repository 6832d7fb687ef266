import { todoRows } from "./todoRows.ts"
import { raiseBudget } from "../agent/budgetQuestion.ts"
import type { CallFailure } from "../gate/CallEvent.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import type { Event } from "../runtime/Event.ts"
import { duration } from "../text/duration.ts"
import { isAside } from "../tool/WorkerPath.ts"
import { visibleLine } from "../text/visible.ts"
import { Answers } from "./narration/Answers.ts"
import { Calls } from "./narration/Calls.ts"
import { Imported } from "./narration/Imported.ts"
import { remarks } from "./narration/remarks.ts"
import { shortcoming } from "./narration/shortcoming.ts"
import { note, status, type Step } from "./narration/Step.ts"
import { far, Tasks } from "./narration/Tasks.ts"
import { bytes, many } from "./Words.ts"

export type { Step } from "./narration/Step.ts"

/** Turns events into what a frontend shows; the same events give the same steps, live or recorded. */
export class Narrator {
  private readonly tasks = new Tasks()
  private readonly answers = new Answers()
  private readonly calls = new Calls(this.tasks)
  private readonly imported = new Imported(this.calls)
  /** The directory of the session, where it is known. */
  private project = ""

  tell(envelope: Envelope): ReadonlyArray<Step> {
    return [...this.imported.before(envelope), ...this.told(envelope)]
  }

  private told(envelope: Envelope): ReadonlyArray<Step> {
    const { event, task = "" } = envelope
    const worker = envelope.worker ?? []
    const place = `${task}/${worker.join("/")}`
    const told = this.tasks.of(task)
    told.decided.step(envelope)
    this.calls.pass(envelope)
    // A summary is shown when it replaces the conversation, and what a model wants kept when it is.
    if (isAside(worker)) {
      if (event._tag !== "ModelRequested") return []
      told.requests++
      return [status(worker[0] === "keep" ? "choosing what to remember" : "summarising the conversation")]
    }
    switch (event._tag) {
      case "SessionCreated":
        this.project = event.project
        return []
      case "TaskQueued":
        return event.ahead === 0 ? [] : [note(`queued behind ${event.ahead}: ${event.prompt}`)]
      case "TaskStarted": {
        told.isInvoked = event.message === undefined
        const content = event.message?.message.content
        return content === undefined || content === null ? [] : [{ _tag: "Prompt", text: content }]
      }
      case "ModelRequested":
        told.requests++
        return [status(`waiting for ${event.model}${far(told)}`)]
      case "IterationEnded":
        told.tokens = event.totalTokens
        return []
      case "WorkerStarted":
        return this.calls.delegate(envelope, event.callId)
      case "WorkerCompleted":
      case "WorkerFailed":
      case "WorkerInterrupted":
        this.calls.undelegate(envelope)
        return []
      case "TextDelta":
        if (worker.length > 1) return [status(`${worker.at(-1)} is answering`)]
        return [
          ...this.answers.thought(place, envelope.time),
          ...this.answers.text(place, event.offset, event.text),
          status("answering")
        ]
      case "ReasoningDelta":
        if (worker.length === 1) this.answers.think(place, envelope.time, event.text)
        return [status("thinking")]
      case "ArgumentsDelta":
        return [...this.answers.thought(place, envelope.time), status(`preparing ${event.tool}`)]
      case "ModelRouted":
        return event.selected === event.requested && event.reason === "configured"
          ? []
          : [
              note(
                event.selected === event.requested
                  ? `${event.selected} answers: ${event.reason}`
                  : `${event.selected} answers instead of ${event.requested}: ${event.reason}`
              )
            ]
      case "ModelAttemptFailed": {
        const broken = this.answers.end(place)
        if (event.delayMillis > 0) told.requests++
        return [
          ...(broken ? [{ _tag: "TextEnded", final: false, text: "" } as const] : []),
          note(
            `${this.answers.attemptFailed(place, event)}${event.delayMillis === 0 ? "" : `; again in ${duration(event.delayMillis)}`}`,
            "warning"
          )
        ]
      }
      case "ModelAnswered": {
        const { message } = event.message
        const content = message.content ?? ""
        if (worker.length > 1) return content === "" ? [] : [this.calls.aside(envelope, content)]
        const final = message.role !== "assistant" || (message.tool_calls ?? []).length === 0
        const rest = [
          ...this.answers.thought(place, envelope.time, event.message.reasoning),
          ...this.answers.text(place, 0, content)
        ]
        this.answers.end(place)
        const short = final ? shortcoming(event.finish, content === "") : undefined
        return [
          ...rest,
          ...(content === "" ? [] : [{ _tag: "TextEnded", final, text: content } as const]),
          ...(short === undefined ? [] : [note(short, "warning")])
        ]
      }
      case "ModelInterrupted": {
        if (worker.length > 1) return []
        const rest = [...this.answers.thought(place, envelope.time), ...this.answers.text(place, 0, event.text)]
        this.answers.end(place)
        if (event.text === "") return rest
        return [...rest, { _tag: "TextEnded", final: false, text: event.text }]
      }
      case "MessageRecorded":
        return this.imported.tell(envelope, event)
      case "ToolCallRequested":
        return this.calls.begin(envelope, event)
      case "ApprovalMoved":
        return this.calls.requestedAgain(envelope, event.approvalId)
      case "ApprovalRequested":
        return this.calls.requested(envelope, event.request)
      case "ApprovalResolved":
        return this.calls.resolved(envelope, event)
      case "ClientCallRequested":
        // What the runtime asks by itself belongs to no call.
        if (event.tool === raiseBudget) return [status(undefined), { _tag: "ClientCall", request: event }]
        return [status(undefined), { _tag: "ClientCall", call: this.calls.forward(envelope, event), request: event }]
      case "ToolCallStarted":
        return this.calls.started(envelope, event)
      case "HookIntervened":
        return this.calls.intervened(envelope, event)
      case "ToolCallRetried":
        return [
          {
            _tag: "CallNote",
            call: this.calls.of(envelope, event),
            level: "warning",
            text: `${event.reason}; attempt ${event.attempt} in ${duration(event.delayMillis)}`
          }
        ]
      case "ToolOutput":
        return [
          { _tag: "CallOutput", call: this.calls.of(envelope, event), channel: event.channel, text: event.text },
          status(`running ${event.tool}`)
        ]
      case "ToolProgressed": {
        const { current, label, total } = event
        const more = {
          ...(label === undefined ? {} : { label }),
          ...(current === undefined ? {} : { current }),
          ...(total === undefined ? {} : { total })
        }
        return [{ _tag: "Progress", progress: { call: this.calls.of(envelope, event), ...more } }]
      }
      case "FileChanged": {
        const from = event.oldPath === undefined ? "" : ` from ${this.near(event.oldPath)}`
        const size = event.change === "deleted" ? "" : `, ${bytes(event.size)}`
        const text = `${event.change} ${this.near(event.path)}${from}${size}`
        const call = this.calls.of(envelope, event)
        const { diff } = event
        return diff === undefined
          ? [{ _tag: "CallNote", call, level: "info", text }]
          : [{ _tag: "Diff", diff: { call, ...diff } }]
      }
      case "TodosChanged":
        return [{ _tag: "Note", level: "info", text: todoRows(event.items).join("\n"), whole: true }]
      case "ReviewerFailed": {
        const next = event.decision === "deny" ? "the call is denied" : "the mode decides instead"
        const text = `the ${event.by} did not decide: ${event.reason.replace(/\.$/, "")}; ${next}`
        return [{ _tag: "CallNote", call: this.calls.of(envelope, event), level: "warning", text }]
      }
      case "Notified":
        return [{ _tag: "Notice", notice: event }]
      case "ToolCallCompleted":
        return this.calls.completed(envelope, event)
      case "ToolCallFailed": {
        const outcome = isInterruption(event.error) ? "interrupted" : "failed"
        return this.calls.end(envelope, event, outcome, event.error.message, event.durationMillis)
      }
      case "ToolCallInterrupted":
        return this.calls.end(envelope, event, "interrupted", "", event.durationMillis)
      case "ToolCallOutcomeUnknown":
        return this.calls.end(envelope, event, "unknown", "the runtime died during the call; it may have run", 0)
      case "TaskCancelling":
        return [status("interrupting")]
      case "TaskCompleted":
        return this.taskEnded(task, { outcome: "completed", reason: "", ...event })
      case "TaskFailed":
        return this.taskEnded(task, { outcome: "failed", reason: event.message, ...event, usage: undefined })
      case "TaskInterrupted": {
        const reason = event.by === "user" ? "interrupted" : "interrupted, because the runtime stopped"
        return this.taskEnded(task, { outcome: "interrupted", reason, ...event, usage: undefined })
      }
      case "SessionResumed": {
        const { goesOn, project } = event
        this.project = project
        this.calls.resume(goesOn?.approvals ?? [])
        return [
          ...(event.repaired === undefined ? [] : [note(repairText(event.repaired, event.unknownCalls), "warning")]),
          ...(goesOn === undefined ? [] : [note("the task continues where the last run stopped")])
        ]
      }
      case "SessionSuspended":
        return event.waits === undefined
          ? []
          : [...this.calls.stopAsking(), note(waits(event.waits.approvals.length), "warning")]
      default:
        return remarks(event).map((remark) => ({ _tag: "Note", ...remark }))
    }
  }

  /** A path as people know it: relative where it is inside the session's directory. */
  private near(path: string): string {
    const inside = this.project !== "" && path.startsWith(`${this.project}/`)
    return visibleLine(inside ? path.slice(this.project.length + 1) : path)
  }

  private taskEnded(task: string, ended: Parameters<Tasks["end"]>[1]): ReadonlyArray<Step> {
    this.answers.forget(task)
    return this.tasks.end(task, ended)
  }
}

/** A person has ended the worker that the call waited for. */
const isInterruption = ({ _tag, data }: CallFailure): boolean =>
  _tag === "DelegationFailed" &&
  typeof data === "object" &&
  data !== null &&
  "interrupted" in data &&
  data.interrupted === true

/** What was ended of a run that crashed. */
const repairText = (
  { calls, requests, tasks, workers }: NonNullable<Extract<Event, { readonly _tag: "SessionResumed" }>["repaired"]>,
  unknown: number
): string => {
  const ended = [
    [tasks, "task"],
    [workers, "sub-worker"],
    [calls, "call"],
    [requests, "approval request"]
  ] as const
  const what = ended.flatMap(([count, name]) => (count === 0 ? [] : [many(count, name)])).join(", ")
  const open = unknown === 0 ? "" : `; the outcome of ${many(unknown, "call")} is unknown: check before you repeat`
  return `the last run crashed; ended what it left open: ${what}${open}`
}

const waits = (requests: number): string =>
  `${many(requests, "approval request")} still ${requests === 1 ? "waits" : "wait"} for an answer`
