import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Tools } from "../agent/Tools.ts"
import type { Approvals } from "../approval/Approvals.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Models } from "../model/Models.ts"
import { Stragglers } from "../middleware/Stragglers.ts"
import { contained as redactionContained } from "../redaction/contained.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { wholeNumber } from "../system/wholeNumber.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import * as Answers from "./Answers.ts"
import { RuntimeHasStopped } from "./Answers.ts"
import { Closing } from "./Closing.ts"
import { causeOf, type Command, type Shutdown } from "./Command.ts"
import * as CommandQueue from "./CommandQueue.ts"
import * as Directory from "./Directory.ts"
import * as Dispatch from "./Dispatch.ts"
import type { Envelope } from "./Envelope.ts"
import { RuntimeStopped } from "./RuntimeEvent.ts"
import * as EventLog from "./EventLog.ts"
import * as OpenSessions from "./OpenSessions.ts"
import * as OwnLog from "./OwnLog.ts"
import { contained, Projects } from "./Projects.ts"
import { type Improper, properCommand } from "./properCommand.ts"
import * as Replies from "./Replies.ts"
import { checked, RuntimeOptions } from "./RuntimeOptions.ts"
import * as SessionHandle from "./SessionHandle.ts"
import { type SessionNotFound, SessionStore } from "./SessionStore.ts"
import { storedEvents } from "./storedEvents.ts"
import type { LogError } from "./storeFailure.ts"
import { Submissions, type TooManyTasks } from "./Submissions.ts"

/**
 * A bounded queue of commands in, a stream of events out. Every frontend uses only these two; `prompt` is a thin
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
     * restart, and nothing is done again; another command under that id, also one of another session, is rejected by
     * `CommandIdTaken`. A command without an id gets one.
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
    ) => Stream.Stream<Envelope, SessionNotFound | LogError>
    /** What is being said in a session that is open here: its deltas so far, each source in one piece. */
    readonly partial: (session: string) => Effect.Effect<ReadonlyArray<Envelope>>
  }
>() {
  static readonly layer: Layer.Layer<Runtime, never, SessionStore | Models | Tools | Approvals> = Layer.suspend(() =>
    Layer.provide(Runtime.layerProjects, Projects.layerOne)
  )

  /** With the tools, rules and paths of each session's own project. */
  static readonly layerProjects: Layer.Layer<Runtime, never, SessionStore | Models | Projects | Approvals> =
    Layer.scoped(
      Runtime,
      Effect.gen(function* () {
        const { stragglerGrace } = yield* RuntimeOptions
        // At the very end: what is told to stop before may become one of them.
        const stragglers = yield* Stragglers.scoped(stragglerGrace)
        const own = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
        const closing = yield* Closing.make
        // Runs before anything of the runtime ends, also what it opens later.
        yield* Effect.addFinalizer(() => closing.begin)
        return yield* make.pipe(
          Scope.extend(own),
          Effect.provideService(Stragglers, stragglers),
          Effect.provideService(Closing, closing),
          Effect.updateService(Projects, contained),
          Effect.provideServiceEffect(Redactor, Effect.flatMap(Redactor, redactionContained))
        )
      })
    )
}

const make = Effect.gen(function* () {
  const options = yield* Effect.flatMap(RuntimeOptions, checked)
  const store = yield* SessionStore
  const ids = yield* Ids
  const closing = yield* Closing
  const mailbox = yield* Mailbox.make<Command>({ capacity: options.commandCapacity, strategy: "suspend" })
  /** Interruptions, which overtake the commands that wait. */
  const urgent = yield* Mailbox.make<Effect.Effect<void>>({ capacity: options.commandCapacity, strategy: "suspend" })
  const submissions = new Submissions(options.maxQueuedTasks)
  const answers = new Answers.Answers()
  const log = yield* OwnLog.make(store, (envelope) => answers.settle(envelope))
  const replies = Replies.make(log)
  let stoppedBy: Shutdown | undefined
  const directory = Directory.make()
  directory.add(log)
  const sessions = yield* OpenSessions.make({ answers, directory, log, replies, submissions })
  const stop = (command: Shutdown) =>
    Effect.suspend(() => {
      stoppedBy ??= command
      return Effect.zipRight(closing.begin, mailbox.end)
    })
  const dispatch = yield* Dispatch.make({ answers, log, replies, sessions, stop, submissions })

  const finish = Effect.gen(function* () {
    yield* urgent.shutdown
    yield* mailbox.shutdown
    yield* sessions.stop
    yield* log.emit(new RuntimeStopped(stoppedBy === undefined ? {} : causeOf(stoppedBy), trusted), {})
    yield* log.close
    answers.stop()
    directory.close()
  })
  yield* mailbox.take.pipe(
    Effect.flatMap(dispatch.once),
    Effect.forever,
    Effect.catchTag("NoSuchElementException", () => Effect.void),
    Effect.interruptible,
    // Uninterruptible here: one interrupted before its start still ends.
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
        return Effect.uninterruptible(urgent.offer(dispatch.overtake(command)))
      const refused = submissions.enter(command)
      return refused ?? Effect.onInterrupt(mailbox.offer(command), () => Effect.sync(() => submissions.leave(command)))
    })
  const unsafeOffer = (command: Command): boolean => {
    if (command._tag === "CancelTask" || command._tag === "Interrupt") {
      const waiting = Option.getOrElse(urgent.unsafeSize(), () => options.commandCapacity)
      return waiting < options.commandCapacity && urgent.unsafeOffer(dispatch.overtake(command))
    }
    if (submissions.enter(command) !== undefined) return false
    const taken = mailbox.unsafeOffer(command)
    if (!taken) submissions.leave(command)
    return taken
  }
  const take = (command: Command) =>
    Effect.flatMap(offer(command), (taken) => (taken ? Effect.void : new RuntimeHasStopped()))
  const improper = (found: Improper) => replies.reject(found, found.reason)
  const send = (command: Command) => Either.match(properCommand(command), { onLeft: improper, onRight: take })

  const idOf = ({ commandId }: Pick<Command, "commandId">) =>
    commandId === undefined ? ids.next("command") : Effect.succeed(commandId)
  const request = <C extends Command>(given: C) =>
    Either.match(properCommand(given), {
      onLeft: (found) =>
        Effect.flatMap(
          idOf(found),
          (commandId) => new Answers.RequestRejected({ commandId, command: found._tag, reason: found.reason })
        ),
      onRight: (command) =>
        Effect.flatMap(idOf(command), (commandId) =>
          answers.request(command, commandId, take({ ...command, commandId }))
        )
    })

  const watch = (session: string) => {
    const opened = sessions.find(session)?.session
    return opened === undefined
      ? undefined
      : (subscription: EventLog.Subscription) => opened.watched(opened.log.subscribe(subscription))
  }
  const subscribe = (session: string, subscription: EventLog.Subscription) =>
    Stream.unwrap(
      Effect.suspend(
        (): Effect.Effect<Stream.Stream<Envelope, SessionNotFound | LogError>, SessionNotFound | DatabaseError> => {
          wholeNumber("subscribe: from", subscription.from, { least: 0 })
          wholeNumber("subscribe: page", subscription.page ?? EventLog.chunkSize)
          const here = { watch: () => watch(session), opened: sessions.opened }
          const live = here.watch()
          return live === undefined
            ? Effect.as(store.get(session), storedEvents(store, session, subscription, here))
            : Effect.succeed(live(subscription))
        }
      )
    )
  const follow = (session: string, from: number, hear: (envelope: Envelope) => boolean) =>
    Effect.suspend(() => {
      const open = sessions.find(session)?.session
      return open === undefined
        ? Stream.runForEachWhile(subscribe(session, { from, transient: false }), (envelope) =>
            Effect.sync(() => hear(envelope))
          )
        : open.log.follow(from, hear)
    })
  return Runtime.of({
    commands: CommandQueue.make(mailbox, options.commandCapacity, {
      offer: (command) =>
        Either.match(properCommand(command), {
          onLeft: (found) => Effect.as(improper(found), false),
          onRight: (command) => Effect.catchTag(offer(command), "TooManyTasks", () => Effect.succeed(false))
        }),
      unsafeOffer: (command) => Either.match(properCommand(command), { onLeft: () => false, onRight: unsafeOffer })
    }),
    send,
    request,
    session: (options) =>
      Effect.provideService(SessionHandle.open({ send, request, subscribe, follow }, options), Ids, ids),
    events: directory.events,
    subscribe,
    partial: (session) => Effect.sync(() => sessions.find(session)?.session.log.partial() ?? [])
  })
})
