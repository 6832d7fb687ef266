import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ClientFunctions from "../agent/ClientFunctions.ts"
import { Approvals } from "../approval/Approvals.ts"
import type { SessionApprovals } from "../approval/SessionState.ts"
import { ModelView } from "../conversation/ModelView.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Models } from "../model/Models.ts"
import { trusted } from "../tool/ToolEvent.ts"
import * as Background from "./Background.ts"
import * as Briefing from "./Briefing.ts"
import * as Recollection from "./Recollection.ts"
import {
  type CancelTask,
  causeOf,
  type EndSession,
  type Interrupt,
  type SessionCommand,
  type SuspendSession
} from "./Command.ts"
import { contained } from "./contained.ts"
import * as Continuation from "./continuation.ts"
import { SessionEnded, SessionSuspended } from "./RuntimeEvent.ts"
import type { EventLog } from "./EventLog.ts"
import { goOn } from "./goOn.ts"
import type { ProjectTools } from "./Projects.ts"
import { recover } from "./recover.ts"
import * as Replies from "./Replies.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import * as SessionCommands from "./SessionCommands.ts"
import { SessionStore } from "./SessionStore.ts"
import type { Submissions } from "./Submissions.ts"
import { makeTasks } from "./Task.ts"
import * as TasksInFlight from "./TasksInFlight.ts"

/** One conversation: its actor and its log. */
export interface Session {
  readonly id: string
  readonly log: EventLog
  /** Suspends while too many commands wait; false once the session has stopped. */
  readonly send: (command: SessionCommand) => Effect.Effect<boolean>
  /** Ends the tasks that exist when it is called, before waiting commands; run the returned effect to record it. */
  readonly interrupt: (command: CancelTask | Interrupt) => Effect.Effect<void>
  /** Whether it still takes commands. */
  readonly isOpen: () => boolean
  /** Whether it has stopped, or is about to, because nothing happened in it: the next command opens it again. */
  readonly isReleased: () => boolean
  /** A session with a subscriber is not idle. */
  readonly watched: <A, E>(events: Stream.Stream<A, E>) => Stream.Stream<A, E>
  /** Interrupts what is in flight, writes the last events and closes the log. */
  readonly stop: Effect.Effect<void>
  readonly stopped: Effect.Effect<void>
}

/** Opens a session on its log; what cannot be read of it is the error, and nothing is taken up. */
export const make = (
  log: EventLog,
  given: ProjectTools,
  approvals: SessionApprovals,
  submissions: Submissions,
  /** Releases what outlives the session while it is unused. */
  forget: Effect.Effect<void>,
  opener: ReturnType<typeof causeOf> = {}
): Effect.Effect<Session, DatabaseError, Scope.Scope | Models | Approvals | SessionStore> =>
  Effect.gen(function* () {
    const options = yield* RuntimeOptions
    const models = yield* Models
    const store = yield* SessionStore
    const { session: id } = log.lease
    const functions = ClientFunctions.make(given.tools, given.sealClient ?? ClientFunctions.sealPlain(yield* Approvals))
    const project: ProjectTools = { ...given, tools: functions.tools }
    const view = new ModelView()
    const commands = yield* Mailbox.make<SessionCommand>({ capacity: options.commandCapacity, strategy: "suspend" })
    const stopped = yield* Deferred.make<void>()
    const replies = Replies.make(log)
    const profile = { current: log.lease.profile === "" ? models.preferred : log.lease.profile }
    let endedBy: EndSession | SuspendSession | undefined
    let released = false
    let watchers = 0
    let unperformed = 0

    const found = yield* Continuation.find(log, store)
    if (found.continuation !== undefined) yield* approvals.restore(found.continuation.requests)
    const ended = yield* recover(log, found, view, opener)
    const tasks = yield* TasksInFlight.make({ approvals, log, replies, submissions, view })
    const background = yield* Background.make(project.background, id, log, ended)
    const { contextCharacters } = options
    const briefer = yield* Briefing.make(project.brief, approvals.policy, view, contextCharacters, background.news)
    const recollection = yield* Recollection.make(id, project.memory, view)
    const bodies = yield* makeTasks(log.lease, view, project, briefer, recollection)
    const perform = yield* SessionCommands.make({
      log,
      view,
      profile,
      approvals,
      tasks,
      background,
      functions,
      bodies,
      replies,
      checkpoints: project.checkpoints,
      end: (command) =>
        Effect.suspend(() => {
          const before = endedBy
          if (before !== undefined && (before._tag === "EndSession" || command._tag === "SuspendSession")) {
            return replies.done(command)
          }
          endedBy = command
          released = command._tag === "SuspendSession"
          return Effect.zipRight(before === undefined ? Effect.void : replies.done(before), Effect.asVoid(commands.end))
        })
    })

    const { continuation } = found
    if (continuation !== undefined) {
      const { requests, task } = continuation
      const body = yield* goOn(
        continuation,
        log.lease,
        approvals,
        view,
        profile.current,
        project,
        briefer,
        bodies.gauge
      )
      yield* tasks.resume(task, body, {
        requests: requests.map((request) => request.id),
        deeds: found.deeds.get(task)
      })
    }

    const performed = (command: SessionCommand) =>
      Effect.map(contained(perform, replies.reject)(command), () => {
        unperformed -= 1
      })
    const loop: Effect.Effect<void> = commands.take.pipe(
      Effect.flatMap(performed),
      Effect.forever,
      Effect.catchTag("NoSuchElementException", () => Effect.void)
    )
    /** Returns once the session has been idle long enough, with its commands closed in the same step. */
    const idle = (head: number): Effect.Effect<void> =>
      Effect.flatMap(Effect.sleep(options.releaseIdleAfter), () => {
        const now = log.head()
        if (now !== head || unperformed > 0 || watchers > 0 || tasks.size() > 0) return idle(now)
        released = true
        return Effect.void
      })
    const unused = Duration.isFinite(options.releaseIdleAfter) ? idle(log.head()) : Effect.never
    // The same way out for the end of the commands, a closed scope, a failed store and a defect of the loop.
    const finish = Effect.gen(function* () {
      tasks.stopping()
      yield* commands.shutdown
      const ended = endedBy?._tag === "EndSession" ? endedBy : undefined
      const waits = ended === undefined ? tasks.suspend() : undefined
      yield* approvals.suspend(waits?.approvals ?? [])
      yield* tasks.shutdown
      yield* background.end
      const cause = endedBy === undefined ? {} : causeOf(endedBy)
      const closed = new SessionSuspended(waits === undefined ? cause : { ...cause, waits }, trusted)
      yield* log.emit(ended === undefined ? closed : new SessionEnded(cause, trusted), {})
      if (!released) yield* forget
      yield* log.close
      yield* Deferred.succeed(stopped, undefined)
    })
    // Interruptible only inside: one interrupted before its start still ends.
    const actor = yield* Effect.interruptible(
      Effect.raceFirst(Effect.raceFirst(loop, unused), Effect.exit(log.failure))
    ).pipe(
      Effect.onExit(() => finish),
      Effect.forkScoped,
      Effect.uninterruptible
    )

    return {
      id,
      log,
      send: (command) =>
        Effect.suspend(() => {
          if (released) return Effect.succeed(false)
          unperformed += 1
          return Effect.onExit(commands.offer(command), (exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit) || !exit.value) unperformed -= 1
            })
          )
        }),
      interrupt: tasks.interrupt,
      isOpen: () =>
        !released && endedBy === undefined && Option.isSome(commands.unsafeSize()) && Option.isNone(log.failed()),
      isReleased: () => released,
      watched: (events) =>
        Stream.suspend(() => {
          watchers += 1
          return Stream.ensuring(
            events,
            Effect.sync(() => {
              watchers -= 1
            })
          )
        }),
      stop: Effect.zipRight(Fiber.interrupt(actor), Deferred.await(stopped)),
      stopped: Deferred.await(stopped)
    }
  })
