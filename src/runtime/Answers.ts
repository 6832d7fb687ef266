import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Schema from "effect/Schema"
import type { Command } from "./Command.ts"
import type { Envelope } from "./Envelope.ts"
import type { Event, EventTag } from "./Event.ts"

/** The runtime has stopped and accepts no more commands. */
export class RuntimeHasStopped extends Schema.TaggedError<RuntimeHasStopped>()("RuntimeHasStopped", {}) {
  override get message() {
    return "The runtime has stopped and accepts no more commands."
  }
}

/** A command was not carried out; `error` is the tag of the error behind it, if there is one. */
export class RequestRejected extends Schema.TaggedError<RequestRejected>()("RequestRejected", {
  commandId: Schema.String,
  command: Schema.String,
  reason: Schema.String,
  error: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.reason
  }
}

const opened = ["SessionCreated", "SessionResumed", "CommandPerformed"] as const
const queued = ["TaskQueued"] as const
const performed = ["CommandPerformed"] as const

/** The events that answer each command; besides them, `CommandRejected` answers any. */
const answeredBy = {
  SubmitPrompt: queued,
  InvokeTool: queued,
  CompactSession: queued,
  DecideApproval: performed,
  RevokeApproval: ["ApprovalRevoked"],
  DeclareClientTools: performed,
  AnswerClientCall: performed,
  DetachCall: performed,
  CancelTask: performed,
  Interrupt: performed,
  SetApprovalPolicy: ["ApprovalPolicySet"],
  SwitchModel: ["ModelSwitched"],
  RenameSession: ["SessionRenamed"],
  RewindSession: ["SessionRewound"],
  ForkSession: ["SessionForked"],
  PreviewRewind: ["RewindPreviewed"],
  DeleteSession: ["SessionDeleted"],
  CreateSession: opened,
  ResumeSession: opened,
  ResumeLastSession: opened,
  ClearSession: ["SessionCleared"],
  SuspendSession: ["SessionSuspended", "CommandPerformed"],
  EndSession: ["SessionEnded", "CommandPerformed"],
  Shutdown: ["RuntimeStopped"]
} as const satisfies Record<Command["_tag"], ReadonlyArray<EventTag>>

type AnswerTag<C extends Command> = (typeof answeredBy)[C["_tag"]][number]

/** The event that a command led to, in its envelope: where a session was opened, `seq` is the number to watch it from. */
export interface Answer<C extends Command = Command> extends Omit<Envelope, "event"> {
  readonly event: Extract<Event, { readonly _tag: AnswerTag<C> }>
}

const isAnswerTo = (command: Command, { event, task }: Envelope): boolean =>
  (answeredBy[command._tag] as ReadonlyArray<string>).includes(event._tag) &&
  (event._tag !== "CommandPerformed" || event.command === command._tag) &&
  (event._tag !== "TaskQueued" || !("task" in command) || command.task === task)

/** The id of the command that an event answers. */
export const answeredId = ({ event }: Envelope): string | undefined =>
  "commandId" in event && typeof event.commandId === "string" ? event.commandId : undefined

/** What a command is about, which a repetition says again: where it is done, and what is short of what it does there. */
const subjectOf = (command: Command): string => {
  const { _tag } = command
  const where = "session" in command ? command.session : undefined
  switch (_tag) {
    case "ForkSession":
      return JSON.stringify([_tag, where, command.fork])
    case "RenameSession":
      return JSON.stringify([_tag, where, command.title])
    case "SwitchModel":
      return JSON.stringify([_tag, where, command.profile])
    case "SetApprovalPolicy":
      return JSON.stringify([_tag, where, command.policy])
    case "RevokeApproval":
      return JSON.stringify([_tag, where, command.grantId])
    case "DecideApproval":
      return JSON.stringify([_tag, where, command.approvalId, command.decision])
    case "SubmitPrompt":
    case "InvokeTool":
    case "CompactSession":
    case "CancelTask":
      return JSON.stringify([_tag, where, command.task])
    case "PreviewRewind":
    case "RewindSession":
      return JSON.stringify([_tag, where, command.to])
    default:
      return JSON.stringify([_tag, where])
  }
}

const taken = ({ _tag }: Command, commandId: string): RequestRejected =>
  new RequestRejected({
    commandId,
    command: _tag,
    reason: `The id ${commandId} belongs to another command; nothing was changed. Send this one with a new id.`,
    error: "CommandIdTaken"
  })

/** What an envelope says to the one who asked for the command. */
const read = <C extends Command>(
  command: C,
  commandId: string,
  envelope: Envelope
): Effect.Effect<Answer<C>, RequestRejected> => {
  const { event } = envelope
  if (isAnswerTo(command, envelope)) return Effect.succeed(envelope as Answer<C>)
  return event._tag === "CommandRejected" && event.command === command._tag
    ? new RequestRejected({
        commandId,
        command: command._tag,
        reason: event.reason,
        ...(event.error === undefined ? {} : { error: event.error })
      })
    : taken(command, commandId)
}

interface Entry {
  readonly answer: Deferred.Deferred<Envelope, RuntimeHasStopped>
  /** How many wait for the answer. */
  waiting: number
  /** It is being carried out, or has been. */
  begun: boolean
  /** What the command is about that was begun: another one under its id is none of its repetitions. */
  subject: string | undefined
  /** Where its sender shut the runtime down, which answers all who did. */
  isShutdown: boolean
  /** Its id was made for it here, so that no log can have its answer. */
  isNew: boolean
}

/** Answers that are kept for repetitions of their commands; older ones are in the logs alone. */
const kept = 1024

/** The commands that have an id, from the first that asks for one: each is carried out once and has one answer. */
export class Answers {
  private readonly entries = new Map<string, Entry>()
  private readonly settled = new Set<string>()
  private stopped = false
  /** Whether an answer was given here that only a log has by now. */
  hasForgotten = false

  /** False for the repetition of a command that has begun. */
  begin(command: Command): boolean {
    if (command.commandId === undefined) return true
    const entry = this.entry(command.commandId)
    if (entry.begun) return false
    entry.begun = true
    entry.subject = subjectOf(command)
    entry.isShutdown = command._tag === "Shutdown"
    return true
  }

  /** Whether the command was done before a restart can be ruled out. */
  isNew({ commandId }: Command): boolean {
    return commandId === undefined || this.entries.get(commandId)?.isNew === true
  }

  /** Sends a command, unless it has begun already, and waits for its answer. */
  request<C extends Command, E>(
    command: C,
    commandId: string,
    send: Effect.Effect<void, E>
  ): Effect.Effect<Answer<C>, RequestRejected | RuntimeHasStopped | E> {
    return Effect.suspend(() => {
      const entry = this.entry(commandId)
      if (command.commandId === undefined) entry.isNew = true
      entry.waiting += 1
      return (entry.begun ? Effect.void : send).pipe(
        Effect.zipRight(Deferred.await(entry.answer)),
        Effect.flatMap((envelope) =>
          entry.subject === undefined || entry.subject === subjectOf(command)
            ? read(command, commandId, envelope)
            : taken(command, commandId)
        ),
        Effect.ensuring(
          Effect.sync(() => {
            entry.waiting -= 1
            if (entry.waiting === 0 && !entry.begun && this.entries.get(commandId) === entry)
              this.entries.delete(commandId)
          })
        )
      )
    })
  }

  /** Hears a durable event that is visible. */
  settle(envelope: Envelope): void {
    const id = answeredId(envelope)
    if (id !== undefined) this.give(id, envelope)
    if (envelope.event._tag !== "RuntimeStopped") return
    for (const [id, { isShutdown }] of this.entries) if (isShutdown) this.give(id, envelope)
  }

  /** Nothing is answered any more. */
  stop(): void {
    this.stopped = true
    for (const { answer } of this.entries.values()) Deferred.unsafeDone(answer, Exit.fail(new RuntimeHasStopped()))
  }

  private give(id: string, envelope: Envelope): void {
    const entry = this.entries.get(id)
    if (entry === undefined || this.settled.has(id)) return
    Deferred.unsafeDone(entry.answer, Exit.succeed(envelope))
    entry.begun = true
    this.settled.add(id)
    if (this.settled.size <= kept) return
    const [oldest = id] = this.settled
    this.settled.delete(oldest)
    this.entries.delete(oldest)
    this.hasForgotten = true
  }

  private entry(id: string): Entry {
    const known = this.entries.get(id)
    if (known !== undefined) return known
    const answer = Deferred.unsafeMake<Envelope, RuntimeHasStopped>(FiberId.none)
    const entry: Entry = { answer, waiting: 0, begun: false, subject: undefined, isShutdown: false, isNew: false }
    if (this.stopped) Deferred.unsafeDone(answer, Exit.fail(new RuntimeHasStopped()))
    this.entries.set(id, entry)
    return entry
  }
}
