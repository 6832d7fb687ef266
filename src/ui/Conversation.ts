import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Image } from "../conversation/Image.ts"
import {
  CompactSession,
  CreateSession,
  InvokeTool,
  ResumeLastSession,
  ResumeSession,
  SubmitPrompt
} from "../runtime/Command.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { isTerminal, type TerminalEvent } from "../runtime/Event.ts"
import type { LogError } from "../runtime/storeFailure.ts"
import type { RuntimeHasStopped } from "../runtime/Answers.ts"
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

/** Opens a session by a command and waits for the event that answers it. */
export const open = (
  which: Which,
  project: string
): Effect.Effect<Opened, SessionUnavailable | RuntimeHasStopped | TooManyTasks, Runtime> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const ids = yield* Ids
    const command =
      which._tag === "New"
        ? new CreateSession(
            {
              session: yield* ids.next("session"),
              project,
              ...(which.profile === undefined ? {} : { profile: which.profile })
            },
            trusted
          )
        : which._tag === "Last"
          ? new ResumeLastSession({ project }, trusted)
          : new ResumeSession({ session: which.session }, trusted)
    const found = yield* Effect.catchTag(runtime.request(command), "RequestRejected", (error) =>
      unavailable(error, "session" in command ? command.session : undefined)
    )
    const goesOn = found.event._tag === "SessionResumed" ? found.event.goesOn : undefined
    return { session: found.session, seq: found.seq, ...(goesOn === undefined ? {} : { goesOn: goesOn.task }) }
  })

export type SubmitError = SessionUnavailable | LogError

/** A task that was sent off, and its events from `seq` of the session on; they end with its terminal event. */
export interface Begun {
  readonly task: string
  readonly events: Stream.Stream<Envelope, SubmitError>
}

const begin = (
  { seq, session }: Opened,
  command: (names: { readonly session: string; readonly task: string }) => CompactSession | SubmitPrompt | InvokeTool
): Effect.Effect<Begun, SessionUnavailable | RuntimeHasStopped | TooManyTasks, Runtime> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const task = yield* (yield* Ids).next("task")
    yield* Effect.catchTag(runtime.request(command({ session, task })), "RequestRejected", (error) =>
      unavailable(error, session)
    )
    const events = runtime.subscribe(session, { from: seq }).pipe(
      Stream.mapError((error) =>
        error._tag === "SessionNotFound" ? unavailable({ reason: error.message, error: error._tag }, session) : error
      ),
      Stream.takeUntil((envelope) => envelope.task === task && isTerminal(envelope.event))
    )
    return { task, events }
  })

/** Submits a prompt. */
export const submit = (
  opened: Opened,
  prompt: string,
  more: {
    readonly typed?: string | undefined
    readonly weight?: string | undefined
    readonly images?: ReadonlyArray<Image>
  } = {}
) => {
  const { images = [], typed, weight } = more
  const said = {
    ...(typed === undefined ? {} : { typed }),
    ...(weight === undefined ? {} : { weight }),
    ...(images.length === 0 ? {} : { images })
  }
  return begin(opened, (names) => new SubmitPrompt({ ...names, prompt, ...said }, trusted))
}

/** Runs a tool for the person who asks. */
export const invoke = (opened: Opened, tool: string, parameters: unknown) =>
  begin(opened, (names) => new InvokeTool({ ...names, tool, parameters }, trusted))

/** Puts a summary in the place of the conversation. */
export const compact = (opened: Opened, instructions?: string) =>
  begin(
    opened,
    (names) => new CompactSession({ ...names, ...(instructions === undefined ? {} : { instructions }) }, trusted)
  )

/** The end of the task among what was seen of it. */
export const terminalOf = (envelope: Envelope, task: string): TerminalEvent | undefined =>
  envelope.task === task && isTerminal(envelope.event) ? envelope.event : undefined
