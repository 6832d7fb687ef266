import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Tools } from "../agent/Tools.ts"
import type { Approvals } from "../approval/Approvals.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Models } from "../model/Models.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import * as Answers from "./Answers.ts"
import { RuntimeHasStopped } from "./Answers.ts"
import { type CancelTask, causeOf, type Command, type Interrupt } from "./Command.ts"
import { type Shutdown, SubmitPrompt } from "./Command.ts"
import * as CommandQueue from "./CommandQueue.ts"
import { contained } from "./contained.ts"
import type { Envelope } from "./Envelope.ts"
import { CommandPerformed, CommandRejected, ErrorRaised, isTerminal, RuntimeStopped, SessionCreated } from "./Event.ts"
import * as EventLog from "./EventLog.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import * as Session from "./Session.ts"
import * as SessionHandle from "./SessionHandle.ts"
import type { SessionBusy, SessionNotFound } from "./SessionStore.ts"
import { type Lease, type OpenOptions, SessionStore } from "./SessionStore.ts"
import * as Directory from "./Directory.ts"
import { isSubmission, Submissions, TooManyTasks } from "./Submissions.ts"

/** Names the log of what belongs to no session, such as rejected commands; it is not stored. */
export const runtimeSession = "runtime"

/**
 * A bounded queue of commands in, a stream of events out (R1). Every frontend uses only these two; `prompt` is a thin
 * wrapper over them.
 */
export class Runtime extends Context.Tag("tollgate/runtime/Runtime")<
  Runtime,
  {
    /** `offer` answers false for a command that is not taken. */
    readonly commands: Queue.Enqueue<Command>
    /** Suspends while too many commands wait, except for one that ends tasks, which overtakes them. */
    readonly send: (command: Command) => Effect.Effect<void, RuntimeHasStopped | TooManyTasks>
    /**
     * Sends a command and waits for the event that it led to, or for its rejection. There is exactly one answer for each
     * `commandId`: who repeats a command under its id gets the answer of the first, also where that was stored before a
     * restart, and nothing is done again. A command without an id gets one.
     *
     * @example
     * ```ts
     * const { event } = yield* runtime.request(new Command.SwitchModel({ session: "s1", profile: "fast" }))
     * // event: ModelSwitched; a rejection is the error RequestRejected
     * ```
     */
    readonly request: <C extends Command>(
      command: C
    ) => Effect.Effect<Answers.Answer<C>, Answers.RequestRejected | RuntimeHasStopped | TooManyTasks>
    /**
     * Opens a session and gives a handle on it, whose streams end with the scope.
     *
     * @example
     * ```ts
     * const session = yield* runtime.session({ id: "s1", create: { project: "/somewhere" } })
     * const { text } = yield* session.prompt("What is in here?")
     * ```
     */
    readonly session: (
      options: SessionHandle.SessionOptions
    ) => Effect.Effect<SessionHandle.SessionHandle, SessionHandle.RequestError, Scope.Scope>
    /**
     * All that happens from the moment it is handed out, whenever it is run, in every session and in the runtime itself. A
     * session whose store fails leaves with an `ErrorRaised` of the runtime; the others go on.
     */
    readonly events: Effect.Effect<Stream.Stream<Envelope>>
    /** One session from any number on, whether it is open here or only stored. */
    readonly subscribe: (
      session: string,
      subscription: EventLog.Subscription
    ) => Stream.Stream<Envelope, SessionNotFound | EventLog.LogError>
    /** Sends a prompt to a session and waits for the final text (R8). */
    readonly prompt: (
      session: string,
      prompt: string
    ) => Effect.Effect<
      string,
      | SessionHandle.TaskUnfinished
      | SessionNotFound
      | SessionBusy
      | RuntimeHasStopped
      | TooManyTasks
      | EventLog.LogError
    >
  }
>() {
  static readonly layer: Layer.Layer<Runtime, never, SessionStore | Models | Tools | Approvals> = Layer.scoped(
    Runtime,
    Effect.suspend(() => make)
  )
}

/** Events of a session that is only stored, read at a time, and how often one that another process writes is looked at. */
const storedPage = 256
const storedPoll = Duration.millis(200)

interface Open {
  readonly session: Session.Session
  /** The commands with an id that it was given and has not answered yet. */
  readonly unanswered: Map<string, Command>
  /** Returns once it has stopped: whether it can be opened again, which it cannot where the runtime itself stops. */
  readonly gone: Effect.Effect<boolean>
}

const isOpener = ({ _tag }: Command): boolean =>
  _tag === "CreateSession" || _tag === "ResumeSession" || _tag === "ResumeLastSession"

/** Events of the runtime itself that are kept for who reads late. */
const keptOwn = 1024

/** The log of the runtime itself is kept in memory alone, and no more than its end. */
const ownStore = (store: SessionStore["Type"]): SessionStore["Type"] => {
  const kept: Array<Envelope> = []
  return {
    ...store,
    append: (_, events) =>
      Effect.sync(() => {
        for (const envelope of events) kept.push(envelope)
        if (kept.length > 2 * keptOwn) kept.splice(0, kept.length - keptOwn)
      }),
    read: (_, from, limit) => Effect.sync(() => kept.filter(({ seq }) => seq >= from).slice(0, limit)),
    answer: () => Effect.succeedNone
  }
}

const make = Effect.gen(function* () {
  const options = yield* RuntimeOptions
  const store = yield* SessionStore
  const models = yield* Models
  const ids = yield* Ids
  const context = yield* Effect.context<SessionStore | Models | Tools | Approvals>()
  const scope = yield* Effect.scope
  const mailbox = yield* Mailbox.make<Command>({ capacity: options.commandCapacity, strategy: "suspend" })
  /** Interruptions, which overtake the commands that wait. */
  const urgent = yield* Mailbox.make<Effect.Effect<void>>({ capacity: options.commandCapacity, strategy: "suspend" })
  const submissions = new Submissions(options.maxQueuedTasks)
  const sessions = new Map<string, Open>()
  const own: Lease = { session: runtimeSession, epoch: 1, head: 0, created: true, project: "", profile: "" }
  const answers = new Answers.Answers()
  const log = yield* EventLog.make(own, ownStore(store), (envelope) => answers.settle(envelope))
  let stoppedBy: Shutdown | undefined
  const directory = Directory.make()
  directory.add(log)

  const reject = (command: Command, reason: string, error?: string) =>
    log.emit(
      new CommandRejected(
        {
          command: command._tag,
          reason,
          ...(error === undefined ? {} : { error }),
          ...causeOf(command)
        },
        trusted
      ),
      {}
    )

  /** Says that a session is gone, and rejects the commands whose answers were lost with it. */
  const tell = (opened: EventLog.EventLog, unanswered: Map<string, Command>, opener: string | undefined) =>
    Effect.suspend(() => {
      const lost = [...unanswered.values()]
      unanswered.clear()
      const failed = Option.map(opened.failed(), EventLog.reasonOf)
      const reason = Option.getOrElse(
        failed,
        () => `Session ${opened.lease.session} was closed before; send it again under another id.`
      )
      const isSaid = lost.some(({ commandId }) => commandId === opener)
      return Effect.zipRight(
        Option.isSome(failed) && !isSaid ? log.emit(new ErrorRaised({ message: reason }, trusted), {}) : Effect.void,
        Effect.forEach(lost, (command) => reject(command, reason), { discard: true })
      )
    })

  /** Whether the log has the answer already, of before a restart. */
  const isAnswered = ({ commandId }: Command, session: string): Effect.Effect<boolean, DatabaseError> =>
    commandId === undefined
      ? Effect.succeed(false)
      : Effect.map(store.answer(session, commandId), (found) => {
          if (Option.isSome(found)) answers.settle(found.value)
          return Option.isSome(found)
        })

  /** The same of a session that is open, which is not looked for where it began here and nothing was forgotten. */
  const mayBeAnswered = ({ log: { lease } }: Session.Session, command: Command) =>
    lease.created && !answers.hasForgotten ? Effect.succeed(false) : isAnswered(command, lease.session)

  /** One at a time: a session that is open here is not opened again, and one that is about to go is waited for. */
  const opening = yield* Effect.makeSemaphore(1)
  const open = (
    request: OpenOptions,
    command: Command | undefined
  ): Effect.Effect<Open & { readonly isNew: boolean }, SessionNotFound | SessionBusy | DatabaseError> =>
    Effect.gen(function* () {
      const known = sessions.get(request.session)
      if (known !== undefined && (known.session.isOpen() || !(yield* known.gone))) {
        if (command?.commandId !== undefined) known.unanswered.set(command.commandId, command)
        return { ...known, isNew: false }
      }
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const opened = yield* Effect.onError(start(request, command, own), () => Scope.close(own, Exit.void))
      return { ...opened, isNew: true }
    }).pipe(opening.withPermits(1), Effect.uninterruptible)

  const start = (
    request: OpenOptions,
    command: Command | undefined,
    own: Scope.CloseableScope
  ): Effect.Effect<Open, SessionNotFound | SessionBusy | DatabaseError> =>
    Effect.gen(function* () {
      const lease = yield* Scope.extend(store.open(request), own)
      const unanswered = new Map(command?.commandId === undefined ? [] : [[command.commandId, command]])
      const cause = command !== undefined && isOpener(command) ? causeOf(command) : {}
      const published = (envelope: Envelope) => {
        answers.settle(envelope)
        const answered = Answers.answeredId(envelope)
        if (answered !== undefined) unanswered.delete(answered)
      }
      const opened = yield* Scope.extend(EventLog.make(lease, store, published), own)
      directory.add(opened)
      yield* Scope.addFinalizer(
        own,
        Effect.sync(() => directory.remove(opened))
      )
      if (lease.created) {
        const { profile, project } = lease
        yield* opened.emit(new SessionCreated({ project, profile, ...cause }, trusted), {})
      }
      const session = yield* Session.make(opened, submissions, cause).pipe(Effect.provide(context), Scope.extend(own))
      const gone = yield* Deferred.make<boolean>()
      const known: Open = { session, unanswered, gone: Deferred.await(gone) }
      sessions.set(request.session, known)
      yield* Effect.interruptible(session.stopped).pipe(
        Effect.zipRight(Scope.close(own, Exit.void)),
        Effect.zipRight(tell(opened, unanswered, cause.commandId)),
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            submissions.forget(request.session)
            if (Exit.isSuccess(exit)) sessions.delete(request.session)
            return Deferred.succeed(gone, Exit.isSuccess(exit))
          })
        ),
        Effect.forkIn(scope)
      )
      return known
    })

  const left = (command: Command) =>
    Effect.sync(() => {
      if (isSubmission(command)) submissions.leave(command)
    })

  const perform = (command: Command): Effect.Effect<void> => {
    const rejected = <A>(self: Effect.Effect<A, SessionNotFound | SessionBusy | DatabaseError>) =>
      self.pipe(
        Effect.asVoid,
        Effect.catchAll((error) => reject(command, error.message, error._tag))
      )
    /** Opens a session unless the command did so before a restart. */
    const opened = (request: OpenOptions) =>
      rejected(
        Effect.if(isAnswered(command, request.session), {
          onTrue: () => Effect.void,
          onFalse: () =>
            Effect.flatMap(open(request, command), ({ isNew, session: { log } }) =>
              isNew || command.commandId === undefined
                ? Effect.void
                : log.emit(new CommandPerformed({ ...causeOf(command), command: command._tag }, trusted), {})
            )
        })
      )
    switch (command._tag) {
      case "CreateSession":
        return Effect.flatMap(Clock.currentTimeMillis, (time) => {
          const create = { project: command.project, profile: command.profile ?? models.preferred, time }
          return opened({ session: command.session, create })
        })
      case "ResumeSession":
        return opened({ session: command.session })
      case "ResumeLastSession":
        return Effect.flatMap(Effect.either(store.list({ project: command.project, limit: 1 })), (found) => {
          if (found._tag === "Left") return reject(command, found.left.message, found.left._tag)
          const last = found.right[0]
          return last === undefined
            ? reject(command, "There is no session of this project yet.")
            : opened({ session: last.id })
        })
      case "Shutdown":
        return Effect.suspend(() => {
          stoppedBy ??= command
          return Effect.asVoid(mailbox.end)
        })
      default: {
        const closing = reject(command, `Session ${command.session} is closing; send it again.`)
        const given = open({ session: command.session }, command).pipe(
          Effect.flatMap(({ session, unanswered }) =>
            Effect.if(mayBeAnswered(session, command), {
              onTrue: () => left(command),
              onFalse: () =>
                Effect.flatMap(session.send(command), (taken) => {
                  if (taken) return Effect.void
                  const isOurs = command.commandId === undefined || unanswered.delete(command.commandId)
                  return Effect.zipRight(left(command), isOurs ? closing : Effect.void)
                })
            })
          ),
          Effect.tapError(() => left(command))
        )
        return rejected(given)
      }
    }
  }
  /** Each command with an id is carried out once. */
  const once = (command: Command): Effect.Effect<void> =>
    Effect.suspend(() => (answers.begin(command) ? contained(perform, reject)(command) : left(command)))

  /** Ends the tasks that there are now, those included whose commands wait still: they end once they have begun. */
  const overtake = (command: CancelTask | Interrupt): Effect.Effect<void> => {
    if (!answers.begin(command)) return Effect.void
    const known = sessions.get(command.session)
    if (known?.session.isOpen() === true) {
      if (command.commandId !== undefined) known.unanswered.set(command.commandId, command)
      const interrupted = known.session.interrupt(command)
      return Effect.if(mayBeAnswered(known.session, command), {
        onTrue: () => Effect.void,
        onFalse: () => interrupted
      }).pipe(Effect.catchAll((error) => reject(command, error.message, error._tag)))
    }
    if (!submissions.cancel(command)) return contained(perform, reject)(command)
    return command.commandId === undefined
      ? Effect.void
      : log.emit(new CommandPerformed({ ...causeOf(command), command: command._tag }, trusted), {})
  }

  const finish = Effect.gen(function* () {
    yield* urgent.shutdown
    yield* mailbox.shutdown
    yield* Effect.forEach([...sessions.values()], ({ session }) => session.stop, {
      concurrency: "unbounded",
      discard: true
    })
    yield* log.emit(new RuntimeStopped(stoppedBy === undefined ? {} : causeOf(stoppedBy), trusted), {})
    yield* log.close
    answers.stop()
    directory.close()
  })
  yield* mailbox.take.pipe(
    Effect.flatMap(once),
    Effect.forever,
    Effect.catchTag("NoSuchElementException", () => Effect.void),
    Effect.interruptible,
    // Outside of what can be interrupted, so that one that is interrupted before it begins still ends.
    Effect.onExit(() => finish),
    Effect.forkScoped,
    Effect.uninterruptible
  )
  yield* urgent.take.pipe(
    Effect.flatten,
    Effect.forever,
    Effect.catchTag("NoSuchElementException", () => Effect.void),
    Effect.interruptible,
    Effect.forkScoped
  )

  const offer = (command: Command): Effect.Effect<boolean, TooManyTasks> =>
    Effect.suspend((): Effect.Effect<boolean, TooManyTasks> => {
      if (command._tag === "CancelTask" || command._tag === "Interrupt")
        return Effect.uninterruptible(urgent.offer(overtake(command)))
      if (isSubmission(command) && !submissions.enter(command)) {
        return new TooManyTasks({ session: command.session, tasks: submissions.limit })
      }
      return Effect.onInterrupt(mailbox.offer(command), () => left(command))
    })
  const unsafeOffer = (command: Command): boolean => {
    if (command._tag === "CancelTask" || command._tag === "Interrupt") {
      const waiting = Option.getOrElse(urgent.unsafeSize(), () => options.commandCapacity)
      return waiting < options.commandCapacity && urgent.unsafeOffer(overtake(command))
    }
    if (!isSubmission(command)) return mailbox.unsafeOffer(command)
    if (!submissions.enter(command)) return false
    const taken = mailbox.unsafeOffer(command)
    if (!taken) submissions.leave(command)
    return taken
  }
  const send = (command: Command) =>
    Effect.flatMap(offer(command), (taken) => (taken ? Effect.void : new RuntimeHasStopped()))

  const request = <C extends Command>(command: C) =>
    Effect.flatMap(
      command.commandId === undefined ? ids.next("command") : Effect.succeed(command.commandId),
      (commandId) => answers.request(command, commandId, send({ ...command, commandId }))
    )

  const stored = (session: string, { follow = true, from }: EventLog.Subscription) =>
    Stream.paginateChunkEffect(Math.max(1, from), (cursor) => {
      const step: Effect.Effect<readonly [Chunk.Chunk<Envelope>, Option.Option<number>], DatabaseError> =
        Effect.flatMap(store.read(session, cursor, storedPage), (events) => {
          const last = events[events.length - 1]
          if (last !== undefined) {
            return Effect.succeed([Chunk.unsafeFromArray(events), Option.some(last.seq + 1)] as const)
          }
          return follow
            ? Effect.zipRight(Effect.sleep(storedPoll), step)
            : Effect.succeed([Chunk.empty<Envelope>(), Option.none<number>()] as const)
        })
      return step
    })
  const subscribe = (session: string, subscription: EventLog.Subscription) =>
    Stream.unwrap(
      Effect.suspend((): Effect.Effect<Stream.Stream<Envelope, EventLog.LogError>, SessionNotFound | DatabaseError> => {
        const opened = sessions.get(session)
        return opened !== undefined
          ? Effect.succeed(opened.session.log.subscribe(subscription))
          : Effect.map(store.get(session), () => stored(session, subscription))
      })
    )
  const prompt = (session: string, text: string) =>
    Effect.gen(function* () {
      const {
        session: { log }
      } = yield* open({ session }, undefined)
      const from = log.head() + 1
      const task = yield* ids.next("task")
      yield* send(new SubmitPrompt({ session, task, prompt: text }, trusted))
      const terminal = yield* log.subscribe({ from, transient: false }).pipe(
        Stream.filterMap(({ event, task: of }) =>
          of === task && isTerminal(event) ? Option.some(event) : Option.none()
        ),
        Stream.runHead
      )
      const outcome = yield* Effect.mapError(terminal, () => new RuntimeHasStopped())
      return (yield* SessionHandle.completed(task, outcome)).text
    })

  return Runtime.of({
    commands: CommandQueue.make(mailbox, options.commandCapacity, {
      offer: (command) => Effect.catchTag(offer(command), "TooManyTasks", () => Effect.succeed(false)),
      unsafeOffer
    }),
    send,
    request,
    session: (options) => Effect.provideService(SessionHandle.open({ send, request, subscribe }, options), Ids, ids),
    events: directory.events,
    subscribe,
    prompt
  })
})
