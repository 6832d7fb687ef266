import type { ToolCallCompleted } from "../../gate/CallEvent.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { callKey } from "../../tool/CallPlace.ts"
import type { ApprovalResolved, HookIntervened, ToolCallStarted } from "../../tool/ToolEvent.ts"
import { cutMiddle } from "../../text/visible.ts"
import { brief } from "../Arguments.ts"
import type { Approval, CallShown } from "../Display.ts"
import { DecisionTime } from "./DecisionTime.ts"
import { Requests } from "./Requests.ts"
import { approved, askedAgain, resolution } from "./resolution.ts"
import { note, status, type Step } from "./Step.ts"
import type { Tasks } from "./Tasks.ts"

/** Characters of what was asked for of a call that ran with something else. */
const maxAsked = 200

/** An event of a call. */
interface OfCall {
  readonly callId: string
  readonly tool: string
  readonly arguments?: unknown
}

const isOnce = ({ by, outcome, scope = "once" }: ApprovalResolved): boolean =>
  outcome === "granted" && by === "user" && scope === "once"

/** What was asked for of a call that runs with other parameters, which are shown as its own. */
const askedFor = (asked: string): string => `changed before it ran; asked for: ${cutMiddle(brief(asked), maxAsked)}`

/** What a hook did to a call that goes on. */
const interventions: Partial<Record<HookIntervened["action"], (hook: string, reason: string) => string>> = {
  answered: (hook, reason) => `the hook ${hook} answered in its place: ${reason}`,
  replaced: (hook, reason) => `the hook ${hook} put ${reason} in place`,
  skipped: (hook, reason) => `the hook ${hook} failed and was skipped: ${reason}`
}

const placeOf = (task: string, worker: ReadonlyArray<string>): string => `${task}/${worker.join("/")}`

/** The calls that are going on, what a person decides of them, and the workers that run for them. */
export class Calls {
  private readonly tasks: Tasks
  private readonly calls = new Map<string, CallShown>()
  /** The calls that sub-workers run for, by the place of the worker. */
  private readonly delegated = new Map<string, CallShown>()
  /** How long the workers of a call did nothing but wait for a decision, by its key. */
  private readonly decided = new Map<string, DecisionTime>()
  private readonly requests = new Requests()
  /** Milliseconds that calls have waited for a decision. */
  private readonly waited = new Map<string, number>()
  /** What was said to calls that a person said no to. */
  private readonly denied = new Map<string, string>()
  /** Calls that were approved and have not begun. */
  private readonly granted = new Set<string>()
  /** Calls that the frontend was asked to run. */
  private readonly forwarded = new Set<string>()

  constructor(tasks: Tasks) {
    this.tasks = tasks
  }

  of(envelope: Envelope, event: OfCall): CallShown {
    const key = callKey(envelope, event.callId)
    const given = typeof event.arguments === "string" ? event.arguments : ""
    return this.calls.get(key) ?? this.made(envelope, { ...event, arguments: given })
  }

  private made(
    envelope: Envelope,
    { arguments: given, callId, tool }: OfCall & { readonly arguments: string }
  ): CallShown {
    const { task = "", worker = [] } = envelope
    const above = this.delegated.get(placeOf(task, worker))
    return {
      key: callKey(envelope, callId),
      tool,
      arguments: given,
      worker,
      ...(above === undefined ? {} : { under: above.key })
    }
  }

  begin(envelope: Envelope, event: OfCall & { readonly arguments: string }): ReadonlyArray<Step> {
    this.tasks.of(envelope.task ?? "").calls++
    const call = this.made(envelope, event)
    this.calls.set(call.key, call)
    return [{ _tag: "CallBegan", call }]
  }

  /** An event of a task, before it is told. */
  pass(envelope: Envelope): void {
    const { task = "", worker = [] } = envelope
    for (let depth = 2; depth <= worker.length; depth++) {
      const above = this.delegated.get(placeOf(task, worker.slice(0, depth)))
      if (above !== undefined) this.decided.get(above.key)?.step(envelope)
    }
  }

  /** A call of the parent has started a worker. */
  delegate({ task = "", worker = [] }: Envelope, callId: string): ReadonlyArray<Step> {
    const parent = worker.slice(0, -1).join("/")
    const call = [...this.calls.values()].find(
      ({ key, worker: of }) => of.join("/") === parent && key.endsWith(`,${JSON.stringify(callId)}]`)
    )
    if (call === undefined) return []
    this.delegated.set(placeOf(task, worker), call)
    this.decided.set(call.key, new DecisionTime())
    return [{ _tag: "CallDelegated", call, name: worker.at(-1) ?? "" }]
  }

  undelegate({ task = "", worker = [] }: Envelope): void {
    this.delegated.delete(placeOf(task, worker))
  }

  /** What a sub-worker says, under the call that it runs for: the answer to the user is the root's alone. */
  aside({ task = "", worker = [] }: Envelope, content: string): Step {
    const call = this.delegated.get(placeOf(task, worker))
    const text = `${worker.at(-1)}: ${content}`
    return call === undefined ? note(text) : { _tag: "CallNote", call, level: "info", text }
  }

  /** The frontend is asked to run the call. */
  forward(envelope: Envelope, event: OfCall): CallShown {
    const call = this.of(envelope, event)
    this.forwarded.add(call.key)
    return call
  }

  requested(envelope: Envelope, request: ApprovalRequest): ReadonlyArray<Step> {
    const call = this.of(envelope, request)
    if (!this.granted.delete(call.key)) return this.waits(call, request)
    const note = { _tag: "CallNote", call, level: "warning", text: askedAgain } as const
    return [note, ...this.waits(call, request, true)]
  }

  /** A request from before a restart, whose call may have been shown to another frontend. */
  requestedAgain(envelope: Envelope, approvalId: string): ReadonlyArray<Step> {
    const request = this.requests.again(approvalId)
    if (request === undefined) return []
    const known = this.of(envelope, request)
    const call = known.arguments === "" ? { ...known, arguments: JSON.stringify(request.arguments) } : known
    if (this.calls.has(call.key)) return this.waits(call, request)
    this.tasks.of(envelope.task ?? "").calls++
    this.calls.set(call.key, call)
    return [{ _tag: "CallBegan", call }, ...this.waits(call, request)]
  }

  resolved(envelope: Envelope, event: ApprovalResolved): ReadonlyArray<Step> {
    const first = this.requests.remove(event)
    const call = this.of(envelope, event)
    this.waited.set(call.key, (this.waited.get(call.key) ?? 0) + event.waitedMillis)
    if (event.outcome === "granted") this.granted.add(call.key)
    if (event.outcome === "denied" && (event.by === "user" || event.by.startsWith("user "))) {
      const said = `${event.by === "user" ? "you" : event.by} said no`
      this.denied.set(call.key, event.reason === undefined ? said : `${said}: ${event.reason}`)
    }
    // A refusal is the failure of its call, and is shown there.
    const told = event.outcome === "denied" || event.outcome === "expired"
    return [
      ...(first ? [{ _tag: "Asked" } as const] : []),
      { _tag: "CallDecided", call, ...(told ? {} : { text: resolution(event) }), once: isOnce(event) },
      ...(first ? this.ask(this.requests.first()) : [])
    ]
  }

  started(envelope: Envelope, event: ToolCallStarted): ReadonlyArray<Step> {
    const known = this.of(envelope, event)
    const { approvedBy: by, parameters } = event
    this.granted.delete(known.key)
    const call = parameters === undefined ? known : { ...known, arguments: JSON.stringify(parameters) }
    if (this.calls.has(call.key)) this.calls.set(call.key, call)
    return [
      ...(by === undefined ? [] : [{ _tag: "CallDecided", call, text: approved(by), once: by === "user" } as const]),
      ...(call === known
        ? [{ _tag: "CallStarted", call } as const]
        : [
            { _tag: "CallStarted", call, changed: true } as const,
            { _tag: "CallNote", call, level: "info", text: askedFor(known.arguments) } as const
          ]),
      status(`running ${event.tool}`)
    ]
  }

  /** A hook changed what would have happened; where it made the call fail, the failure says so. */
  intervened(envelope: Envelope, { action, callId, hook, reason, tool }: HookIntervened): ReadonlyArray<Step> {
    const text = interventions[action]?.(hook, reason)
    const level = action === "skipped" ? "warning" : "info"
    return text === undefined ? [] : [{ _tag: "CallNote", call: this.of(envelope, { callId, tool }), level, text }]
  }

  /** The session goes on, and so do its requests. */
  resume(requests: ReadonlyArray<ApprovalRequest>): void {
    this.requests.resume(requests)
  }

  /** No more answers are accepted. */
  stopAsking(): ReadonlyArray<Step> {
    const asking = this.requests.first() !== undefined
    this.requests.resume([])
    return asking ? [{ _tag: "Asked" }] : []
  }

  /** A result that tells of a failure is shown as one, without the line that names it twice. */
  completed(envelope: Envelope, event: ToolCallCompleted): ReadonlyArray<Step> {
    const content = event.message.message.content ?? ""
    const { durationMillis, failed } = event
    if (failed === undefined) return this.end(envelope, event, "done", content, durationMillis)
    const result = content.startsWith(`${failed.reason}\n`) ? content.slice(failed.reason.length + 1) : content
    return this.end(envelope, event, "failed", failed.reason, durationMillis, result)
  }

  end(
    envelope: Envelope,
    event: OfCall,
    outcome: "done" | "failed" | "interrupted" | "unknown",
    text: string,
    durationMillis: number,
    result?: string
  ): ReadonlyArray<Step> {
    const call = this.of(envelope, event)
    this.calls.delete(call.key)
    // What a person takes to decide is no time of the call's.
    const waited = (this.waited.get(call.key) ?? 0) + (this.decided.get(call.key)?.millis ?? 0)
    const ranMillis = Math.max(0, durationMillis - waited)
    this.waited.delete(call.key)
    this.granted.delete(call.key)
    this.decided.delete(call.key)
    const denied = this.denied.get(call.key)
    this.denied.delete(call.key)
    const told = this.tasks.of(envelope.task ?? "")
    if (denied !== undefined) told.deniedCalls++
    else if (outcome === "failed") told.failedCalls++
    const forwarded = this.forwarded.delete(call.key)
    return [
      ...(forwarded ? [{ _tag: "ClientCallEnded", call, callId: event.callId } as const] : []),
      {
        _tag: "CallEnded",
        call,
        outcome,
        text: denied ?? text,
        durationMillis: ranMillis,
        endedAt: envelope.time,
        ...(result !== undefined && { result }),
        ...(told.isInvoked && { whole: true })
      },
      status("working")
    ]
  }

  /** The call waits for its decision, and the person is asked about it in its turn. */
  private waits(of: CallShown, request: ApprovalRequest, again?: true): ReadonlyArray<Step> {
    // Those that came with the call are masked as for a log.
    const call = { ...of, arguments: JSON.stringify(request.arguments) ?? "" }
    return [{ _tag: "CallAsked", call, request }, ...this.ask(this.requests.add(of, request, again))]
  }

  private ask(approval: Approval | undefined): ReadonlyArray<Step> {
    return approval === undefined ? [] : [status(undefined), { _tag: "Ask", approval }]
  }
}
