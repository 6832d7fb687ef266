import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  type Command,
  CreateSession,
  InvokeTool,
  ResumeLastSession,
  ResumeSession,
  SubmitPrompt
} from "../runtime/Command.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { isTerminal, type TerminalEvent } from "../runtime/Event.ts"
import type { LogError } from "../runtime/EventLog.ts"
import { RuntimeHasStopped } from "../runtime/Answers.ts"
import { Runtime } from "../runtime/Runtime.ts"
import type { TooManyTasks } from "../runtime/Submissions.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"

/** The runtime declined to open the session. */
export class SessionUnavailable extends Schema.TaggedError<SessionUnavailable>()("SessionUnavailable", {
  reason: Schema.String,
  session: Schema.optionalWith(Schema.String, { exact: true }),
  /** The tag of the error behind it. */
  error: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.reason
  }
}

const unavailable = (
  { error, reason }: { readonly reason: string; readonly error?: string },
  session: string | undefined
): SessionUnavailable =>
  new SessionUnavailable({
    reason,
    ...(session === undefined ? {} : { session }),
    ...(error === undefined ? {} : { error })
  })

/** Which session to open. */
export type Which =
  | { readonly _tag: "New"; readonly profile?: string }
  | { readonly _tag: "Last" }
  | { readonly _tag: "Named"; readonly session: string }

export interface Opened {
  readonly session: string
  /** The number of the event that says so. */
  readonly seq: number
  /** A task of it that goes on where it stopped. */
  readonly goesOn?: string
}

const answers =
  (commandId: string) =>
  (envelope: Envelope): Option.Option<Envelope> =>
    "commandId" in envelope.event && envelope.event.commandId === commandId ? Option.some(envelope) : Option.none()

/** Opens a session by a command and waits for the event that answers it. */
export const open = (
  which: Which,
  project: string
): Effect.Effect<Opened, SessionUnavailable | RuntimeHasStopped | TooManyTasks, Runtime> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const ids = yield* Ids
    const commandId = yield* ids.next("command")
    const command: Command =
      which._tag === "New"
        ? new CreateSession(
            {
              commandId,
              session: yield* ids.next("session"),
              project,
              ...(which.profile === undefined ? {} : { profile: which.profile })
            },
            trusted
          )
        : which._tag === "Last"
          ? new ResumeLastSession({ commandId, project }, trusted)
          : new ResumeSession({ commandId, session: which.session }, trusted)
    const events = yield* runtime.events
    yield* runtime.send(command)
    const answer = Stream.runHead(Stream.filterMap(events, answers(commandId)))
    const found = yield* Effect.mapError(Effect.flatten(answer), () => new RuntimeHasStopped())
    if (found.event._tag === "CommandRejected")
      return yield* unavailable(found.event, "session" in command ? command.session : undefined)
    const goesOn = found.event._tag === "SessionResumed" ? found.event.goesOn : undefined
    return { session: found.session, seq: found.seq, ...(goesOn === undefined ? {} : { goesOn: goesOn.task }) }
  })

export type SubmitError = SessionUnavailable | RuntimeHasStopped | TooManyTasks | LogError

/** A task that was sent off, and its events from `seq` of the session on; they end with its terminal event. */
export interface Begun {
  readonly task: string
  readonly events: Stream.Stream<Envelope, SubmitError>
}

const begin = (
  { seq, session }: Opened,
  command: (names: { readonly commandId: string; readonly session: string; readonly task: string }) => Command
): Effect.Effect<Begun, RuntimeHasStopped | TooManyTasks, Runtime> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const ids = yield* Ids
    const task = yield* ids.next("task")
    const commandId = yield* ids.next("command")
    yield* runtime.send(command({ commandId, session, task }))
    const events = runtime.subscribe(session, { from: seq }).pipe(
      Stream.mapError((error) =>
        error._tag === "SessionNotFound" ? unavailable({ reason: error.message, error: error._tag }, session) : error
      ),
      Stream.mapEffect((envelope) =>
        envelope.event._tag === "CommandRejected" && envelope.event.commandId === commandId
          ? unavailable(envelope.event, session)
          : Effect.succeed(envelope)
      ),
      Stream.takeUntil((envelope) => envelope.task === task && isTerminal(envelope.event))
    )
    return { task, events }
  })

/** Submits a prompt. */
export const submit = (opened: Opened, prompt: string) =>
  begin(opened, (names) => new SubmitPrompt({ ...names, prompt }, trusted))

/** Runs a tool for the person who asks. */
export const invoke = (opened: Opened, tool: string, parameters: unknown) =>
  begin(opened, (names) => new InvokeTool({ ...names, tool, parameters }, trusted))

/** The end of the task among what was seen of it. */
export const terminalOf = (envelope: Envelope, task: string): TerminalEvent | undefined =>
  envelope.task === task && isTerminal(envelope.event) ? envelope.event : undefined
