import type * as Cause from "effect/Cause"
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
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Tools } from "../agent/Tools.ts"
import type { Approvals } from "../approval/Approvals.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Models } from "../model/Models.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { type CancelTask, type Command, type Interrupt, ResumeSession, SubmitPrompt } from "./Command.ts"
import * as CommandQueue from "./CommandQueue.ts"
import { contained } from "./contained.ts"
import type { Envelope } from "./Envelope.ts"
import { CommandRejected, ErrorRaised, isTerminal, RuntimeStopped, SessionCreated } from "./Event.ts"
import * as EventLog from "./EventLog.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import * as Session from "./Session.ts"
import type { SessionBusy, SessionNotFound } from "./SessionStore.ts"
import { type Lease, type OpenOptions, SessionStore } from "./SessionStore.ts"
import * as Directory from "./Directory.ts"
import { isSubmission, Submissions } from "./Submissions.ts"

/** The runtime has stopped and takes no more commands. */
export class RuntimeHasStopped extends Schema.TaggedError<RuntimeHasStopped>()("RuntimeHasStopped", {}) {
  override get message() {
    return "The runtime has stopped and takes no more commands."
  }
}

/** The session has as many tasks as may wait; the command was not taken. */
export class TooManyTasks extends Schema.TaggedError<TooManyTasks>()("TooManyTasks", {
  session: Schema.String,
  tasks: Schema.Number
}) {
  override get message() {
    return `Session ${this.session} has ${this.tasks} tasks that wait already; cancel one or wait for the first to end.`
  }
}

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
      TaskUnfinished | SessionNotFound | SessionBusy | RuntimeHasStopped | TooManyTasks | EventLog.LogError
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
  /** Returns once it has stopped: whether it can be opened again, which it cannot where the runtime itself stops. */
  readonly gone: Effect.Effect<boolean>
}

/** The log of the runtime itself keeps only its ring. */
const forgetful = (store: SessionStore["Type"]): SessionStore["Type"] => ({
  ...store,
  append: () => Effect.void,
  read: () => Effect.succeed([])
})

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
  const log = yield* EventLog.make(own, forgetful(store))
  const directory = Directory.make()
  directory.add(log)

  const reject = (command: Command, reason: string, error?: string) =>
    log.emit(
      new CommandRejected(
        {
          command: command._tag,
          reason,
          ...(error === undefined ? {} : { error }),
          ...(command.commandId === undefined ? {} : { commandId: command.commandId })
        },
        trusted
      ),
      {}
    )

  /** Says that a session is gone; a command whose answer was lost with it is rejected. */
  const tell =
    (opened: EventLog.EventLog, commandId: string | undefined) => (failure: Cause.Cause<EventLog.LogError>) => {
      const { created, head } = opened.lease
      const reason = EventLog.reasonOf(failure)
      const command = created ? "CreateSession" : "ResumeSession"
      return log.emit(
        commandId !== undefined && opened.head() === head
          ? new CommandRejected({ command, reason, commandId }, trusted)
          : new ErrorRaised({ message: reason }, trusted),
        {}
      )
    }

  /** One at a time: a session that is open here is not opened again, and one that is about to go is waited for. */
  const opening = yield* Effect.makeSemaphore(1)
  const open = (
    request: OpenOptions,
    commandId: string | undefined
  ): Effect.Effect<Session.Session, SessionNotFound | SessionBusy | DatabaseError> =>
    Effect.gen(function* () {
      const known = sessions.get(request.session)
      if (known !== undefined && (known.session.isOpen() || !(yield* known.gone))) return known.session
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      return yield* Effect.onError(start(request, commandId, own), () => Scope.close(own, Exit.void))
    }).pipe(opening.withPermits(1), Effect.uninterruptible)

  const start = (
    request: OpenOptions,
    commandId: string | undefined,
    own: Scope.CloseableScope
  ): Effect.Effect<Session.Session, SessionNotFound | SessionBusy | DatabaseError> =>
    Effect.gen(function* () {
      const lease = yield* Scope.extend(store.open(request), own)
      const opened = yield* Scope.extend(EventLog.make(lease, store), own)
      directory.add(opened)
      yield* Scope.addFinalizer(
        own,
        Effect.sync(() => directory.remove(opened))
      )
      if (lease.created) {
        const { profile, project } = lease
        const cause = commandId === undefined ? {} : { commandId }
        yield* opened.emit(new SessionCreated({ project, profile, ...cause }, trusted), {})
      }
      const session = yield* Session.make(opened, submissions, commandId).pipe(
        Effect.provide(context),
        Scope.extend(own)
      )
      const gone = yield* Deferred.make<boolean>()
      sessions.set(request.session, { session, gone: Deferred.await(gone) })
      yield* Effect.interruptible(session.stopped).pipe(
        Effect.zipRight(Scope.close(own, Exit.void)),
        Effect.zipRight(Effect.suspend(() => Effect.forEach(Option.toArray(opened.failed()), tell(opened, commandId)))),
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            submissions.forget(request.session)
            if (Exit.isSuccess(exit)) sessions.delete(request.session)
            return Deferred.succeed(gone, Exit.isSuccess(exit))
          })
        ),
        Effect.forkIn(scope)
      )
      return session
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
    switch (command._tag) {
      case "CreateSession":
        return Effect.flatMap(Clock.currentTimeMillis, (time) => {
          const create = { project: command.project, profile: command.profile ?? models.preferred, time }
          return rejected(open({ session: command.session, create }, command.commandId))
        })
      case "ResumeSession":
        return rejected(open({ session: command.session }, command.commandId))
      case "ResumeLastSession":
        return Effect.flatMap(Effect.either(store.list({ project: command.project, limit: 1 })), (found) => {
          if (found._tag === "Left") return reject(command, found.left.message, found.left._tag)
          const last = found.right[0]
          return last === undefined
            ? reject(command, "There is no session of this project yet.")
            : perform(new ResumeSession({ ...command, session: last.id }, trusted))
        })
      case "Shutdown":
        return Effect.asVoid(mailbox.end)
      default: {
        const closing = Effect.zipRight(
          left(command),
          reject(command, `Session ${command.session} is closing; send it again.`)
        )
        return rejected(
          open({ session: command.session }, undefined).pipe(
            Effect.flatMap((session) => session.send(command)),
            Effect.flatMap((taken) => (taken ? Effect.void : closing)),
            Effect.tapError(() => left(command))
          )
        )
      }
    }
  }

  /** Ends the tasks that there are now, those included whose commands wait still: they end once they have begun. */
  const overtake = (command: CancelTask | Interrupt): Effect.Effect<void> => {
    const known = sessions.get(command.session)
    if (known?.session.isOpen() === true) return known.session.interrupt(command)
    const found = submissions.cancel(command.session, command._tag === "CancelTask" ? command.task : undefined)
    return found ? Effect.void : contained(perform, reject)(command)
  }

  const finish = Effect.gen(function* () {
    yield* urgent.shutdown
    yield* mailbox.shutdown
    yield* Effect.forEach([...sessions.values()], ({ session }) => session.stop, {
      concurrency: "unbounded",
      discard: true
    })
    yield* log.emit(new RuntimeStopped({}, trusted), {})
    yield* log.close
    directory.close()
  })
  yield* mailbox.take.pipe(
    Effect.flatMap(contained(perform, reject)),
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
      if (command._tag === "CancelTask" || command._tag === "Interrupt") return urgent.offer(overtake(command))
      if (isSubmission(command) && !submissions.enter(command)) {
        return new TooManyTasks({ session: command.session, tasks: submissions.limit })
      }
      return Effect.onInterrupt(mailbox.offer(command), () => left(command))
    })
  const unsafeOffer = (command: Command): boolean => {
    if (command._tag === "CancelTask" || command._tag === "Interrupt") return urgent.unsafeOffer(overtake(command))
    if (!isSubmission(command)) return mailbox.unsafeOffer(command)
    if (!submissions.enter(command)) return false
    const taken = mailbox.unsafeOffer(command)
    if (!taken) submissions.leave(command)
    return taken
  }
  const send = (command: Command) =>
    Effect.flatMap(offer(command), (taken) => (taken ? Effect.void : new RuntimeHasStopped()))

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
      const { log } = yield* open({ session }, undefined)
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
      switch (outcome._tag) {
        case "TaskCompleted":
          return outcome.text
        case "TaskFailed":
          return yield* new TaskUnfinished({ task, outcome: "failed", reason: outcome.message })
        case "TaskInterrupted":
          return yield* new TaskUnfinished({
            task,
            outcome: "interrupted",
            reason: `The task was interrupted by the ${outcome.by}.`
          })
      }
    })

  return Runtime.of({
    commands: CommandQueue.make(mailbox, options.commandCapacity, {
      offer: (command) => Effect.catchTag(offer(command), "TooManyTasks", () => Effect.succeed(false)),
      unsafeOffer
    }),
    send,
    events: directory.events,
    subscribe,
    prompt
  })
})
