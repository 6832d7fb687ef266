import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ApprovalRequest, Scope as ApprovalScope } from "../tool/ApprovalRequest.ts"
import { Ids } from "../tool/Ids.ts"
import type { Answer, RequestRejected, RuntimeHasStopped } from "./Answers.ts"
import type {
  CancelTask,
  Command,
  CreateSession,
  DecideApproval,
  InvokeTool,
  ResumeLastSession,
  ResumeSession,
  SubmitPrompt,
  SwitchModel
} from "./Command.ts"
import type { Envelope } from "./Envelope.ts"
import { type Event, isTerminal, type TerminalEvent } from "./Event.ts"
import type { ModelSwitched, TaskCompleted, TaskInterrupted } from "./RuntimeEvent.ts"
import type { Subscription } from "./EventLog.ts"
import type { LogError } from "./storeFailure.ts"
import type { SessionNotFound } from "./SessionStore.ts"
import type { TooManyTasks } from "./Submissions.ts"

/** The task of a prompt did not complete. */
export class TaskUnfinished extends Schema.TaggedError<TaskUnfinished>()("TaskUnfinished", {
  task: Schema.String,
  outcome: Schema.Literal("failed", "interrupted"),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** The end of a task that completed; any other end is the failure. */
export const completed = (task: string, end: TerminalEvent): Effect.Effect<TaskCompleted, TaskUnfinished> => {
  switch (end._tag) {
    case "TaskCompleted":
      return Effect.succeed(end)
    case "TaskFailed":
      return new TaskUnfinished({ task, outcome: "failed", reason: end.message })
    case "TaskInterrupted":
      return new TaskUnfinished({ task, outcome: "interrupted", reason: interruption(end) })
  }
}

/** Says why a task was interrupted. */
export const interruption = ({ by }: TaskInterrupted): string =>
  by === "user" ? "The task was interrupted by the user." : "The task was interrupted: its session was closed."

/** A session was closed, or its runtime stopped, before what was waited for. */
export class SessionClosed extends Schema.TaggedError<SessionClosed>()("SessionClosed", {
  session: Schema.String,
  /** The task whose end was waited for. */
  task: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    const what = this.task === undefined ? "" : `, and its task ${this.task} has not ended`
    return `The session ${this.session} was closed${what}. Open it again: a task that waits for a decision goes on.`
  }
}

/** Why a command got no answer of its own. */
export type RequestError = RequestRejected | RuntimeHasStopped | TooManyTasks

/** Why the events of a session cannot be read. */
export type WatchError = SessionNotFound | LogError

/** Which session to open, and the sender of its commands. Default: `user`. */
export type SessionOptions = { readonly by?: string } & (
  | {
      /** An id of its own if unset; a session of that id that there is already is opened. */
      readonly id?: string
      readonly create: { readonly project: string; readonly profile?: string }
    }
  | { readonly id: string; readonly resume: true }
  /** The session of a project that was used last. */
  | { readonly resume: { readonly lastOf: string } }
)

/** A task that was submitted. */
export interface Submitted {
  readonly id: string
  /** What happens in it, from its `TaskQueued` to its terminal event. */
  readonly events: Stream.Stream<Envelope, WatchError>
  /** Tells of what is stored of it, up to its terminal event; cheaper than `events`, and without deltas. */
  readonly follow: (hear: (event: Event) => void) => Effect.Effect<void, WatchError>
  /** Its terminal event; a task that waits for a decision when its session is closed has none yet. */
  readonly await: Effect.Effect<TerminalEvent, WatchError | SessionClosed>
  /** Ends it; nothing happens where it has ended. */
  readonly cancel: Effect.Effect<void, RuntimeHasStopped | TooManyTasks>
}

/** An open session: each method sends one command and waits for its answer, or watches the one log. */
export interface SessionHandle {
  readonly id: string
  /** The number of the event that opened it. */
  readonly seq: number
  /** The task that goes on where it stopped, if there is one. */
  readonly goesOn: string | undefined
  /** Submits a prompt and waits for the end of its task; interrupting it cancels the task. */
  readonly prompt: (
    text: string
  ) => Effect.Effect<TaskCompleted, TaskUnfinished | SessionClosed | RequestError | WatchError>
  /** Submits a prompt; the same `task` is not started twice, and `typed` is what of the text a person has said in their own words, which notes may be taken from. */
  readonly submit: (
    text: string,
    options?: { readonly task?: string; readonly typed?: string }
  ) => Effect.Effect<Submitted, RequestError>
  /** Runs a tool for the person who asks; the same `task` is not started twice, and what is `apart` does not enter the conversation. */
  readonly invoke: (
    tool: string,
    parameters: unknown,
    options?: { readonly task?: string; readonly apart?: boolean }
  ) => Effect.Effect<Submitted, RequestError>
  /** Everything from number `from` on, deltas included unless `transient` is false, until the session or the scope ends. */
  readonly events: (subscription: Subscription) => Stream.Stream<Envelope, WatchError>
  /** Approves exactly what the request shows, `once` unless a wider scope of the request is named. */
  readonly approve: (
    request: ApprovalRequest,
    options?: { readonly scope?: ApprovalScope; readonly reason?: string }
  ) => Effect.Effect<void, RequestError>
  /** Denies a request; `stop` ends the task as well. */
  readonly deny: (
    request: ApprovalRequest,
    options?: { readonly reason?: string; readonly stop?: boolean }
  ) => Effect.Effect<void, RequestError>
  /** Switches the model from the next task on. */
  readonly switchModel: (profile: string) => Effect.Effect<ModelSwitched, RequestError>
}

/** The doors of the runtime that a handle goes through. */
interface Doors {
  readonly send: (command: Command) => Effect.Effect<void, RuntimeHasStopped | TooManyTasks>
  readonly request: <C extends Command>(command: C) => Effect.Effect<Answer<C>, RequestError>
  readonly subscribe: (session: string, subscription: Subscription) => Stream.Stream<Envelope, WatchError>
  readonly follow: (
    session: string,
    from: number,
    hear: (envelope: Envelope) => boolean
  ) => Effect.Effect<void, WatchError>
}

type Opener = CreateSession | ResumeSession | ResumeLastSession

/** The command that opens a session. */
const opening = (options: SessionOptions, who: { readonly by?: string }, made: string): Opener =>
  "create" in options
    ? { _tag: "CreateSession", ...who, session: options.id ?? made, ...options.create }
    : "id" in options
      ? { _tag: "ResumeSession", ...who, session: options.id }
      : { _tag: "ResumeLastSession", ...who, project: options.resume.lastOf }

/** Opens a session; its streams end with the scope, what it has submitted goes on. */
export const open = (
  { follow, request, send, subscribe }: Doors,
  options: SessionOptions
): Effect.Effect<SessionHandle, RequestError, Scope.Scope> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const who = options.by === undefined ? {} : { by: options.by }
    const opened = yield* request(opening(options, who, yield* ids.next("session")))
    const { session } = opened
    const released = yield* Deferred.make<void>()
    yield* Effect.addFinalizer(() => Deferred.succeed(released, undefined))

    const submitted = (command: SubmitPrompt | InvokeTool): Effect.Effect<Submitted, RequestError> =>
      Effect.map(request(command), ({ seq }) => {
        const { task } = command
        const ended = (envelope: Envelope) => envelope.task === task && isTerminal(envelope.event)
        const events = (transient: boolean) =>
          subscribe(session, { from: seq, transient }).pipe(
            Stream.filter((envelope) => envelope.task === task),
            Stream.takeUntil(ended)
          )
        return {
          id: task,
          events: events(true),
          follow: (hear) =>
            follow(session, seq, (envelope) => {
              if (envelope.task === task) hear(envelope.event)
              return !ended(envelope)
            }),
          await: Stream.runHead(
            Stream.filterMap(events(false), ({ event }) => (isTerminal(event) ? Option.some(event) : Option.none()))
          ).pipe(
            Effect.flatMap(
              Option.match({
                onNone: () => new SessionClosed({ session, task }),
                onSome: (event) => Effect.succeed(event)
              })
            )
          ),
          cancel: request<CancelTask>({ _tag: "CancelTask", ...who, session, task }).pipe(
            Effect.asVoid,
            Effect.catchTag("RequestRejected", () => Effect.void)
          )
        }
      })
    const submit = (prompt: string, task: string, typed?: string) =>
      submitted({ _tag: "SubmitPrompt", ...who, session, task, prompt, ...(typed === undefined ? {} : { typed }) })
    const decide = (
      { digest, id: approvalId }: ApprovalRequest,
      decision: Pick<DecideApproval, "decision" | "scope" | "reason" | "stop">
    ) =>
      Effect.asVoid(
        request<DecideApproval>({ _tag: "DecideApproval", ...who, session, approvalId, digest, ...decision })
      )

    return {
      id: session,
      seq: opened.seq,
      goesOn: opened.event._tag === "SessionResumed" ? opened.event.goesOn?.task : undefined,
      submit: (text, { task, typed } = {}) =>
        Effect.flatMap(task === undefined ? ids.next("task") : Effect.succeed(task), (task) =>
          submit(text, task, typed)
        ),
      prompt: (text) =>
        Effect.flatMap(ids.next("task"), (task) =>
          submit(text, task).pipe(
            Effect.flatMap((submitted) => submitted.await),
            Effect.onInterrupt(() => Effect.ignore(send({ _tag: "CancelTask", ...who, session, task }))),
            Effect.flatMap((end) => completed(task, end))
          )
        ),
      invoke: (tool, parameters, { apart, task } = {}) =>
        Effect.flatMap(task === undefined ? ids.next("task") : Effect.succeed(task), (task) => {
          const how = apart === undefined ? {} : { apart }
          return submitted({ _tag: "InvokeTool", ...who, session, task, tool, parameters, ...how })
        }),
      events: (subscription) => Stream.interruptWhenDeferred(subscribe(session, subscription), released),
      approve: (asked, options = {}) => decide(asked, { ...options, decision: "approve" }),
      deny: (asked, options = {}) => decide(asked, { ...options, decision: "deny" }),
      switchModel: (profile) =>
        Effect.map(request<SwitchModel>({ _tag: "SwitchModel", ...who, session, profile }), ({ event }) => event)
    }
  })
