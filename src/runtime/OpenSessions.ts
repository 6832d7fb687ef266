import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { Approvals } from "../approval/Approvals.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Models } from "../model/Models.ts"
import { trusted } from "../tool/ToolEvent.ts"
import * as Answers from "./Answers.ts"
import { apart } from "./apart.ts"
import { causeOf, type Command, SuspendSession } from "./Command.ts"
import type { Directory } from "./Directory.ts"
import type { Envelope } from "./Envelope.ts"
import { ErrorRaised, SessionCreated } from "./RuntimeEvent.ts"
import * as EventLog from "./EventLog.ts"
import { type LogError, reasonOf } from "./storeFailure.ts"
import { type Place, type ProjectError, Projects, type ProjectTools } from "./Projects.ts"
import { recordedPlace } from "./recordedPlace.ts"
import type { Replies } from "./Replies.ts"
import * as Session from "./Session.ts"
import { type Lease, type SessionBusy, type SessionNotFound, SessionStore } from "./SessionStore.ts"
import type { Submissions } from "./Submissions.ts"

export interface Open {
  readonly session: Session.Session
  /** The commands with an id that it was given and has not answered yet. */
  readonly unanswered: Map<string, Command>
  /** Returns once it has stopped: whether it can be opened again, which it cannot where the runtime itself stops. */
  readonly gone: Effect.Effect<boolean>
}

/** Which session to open, or to create in a project. */
export interface Wanted {
  readonly session: string
  readonly create?: { readonly place: Place; readonly profile: string; readonly time: number }
}

export type OpenError = SessionNotFound | SessionBusy | DatabaseError | ProjectError

/** The sessions that are open here. */
export interface OpenSessions {
  readonly find: (session: string) => Open | undefined
  /** The session as it is open, or opened for the command; one that is about to go is waited for. */
  readonly open: (
    wanted: Wanted,
    command: Command | undefined
  ) => Effect.Effect<Open & { readonly isNew: boolean }, OpenError>
  /**
   * Writes to the log of a session that is open nowhere, without opening it: nothing of it is taken up, repaired or run. False
   * where it is open here.
   */
  readonly append: (
    session: string,
    write: (log: EventLog.EventLog) => Effect.Effect<void>
  ) => Effect.Effect<boolean, SessionNotFound | SessionBusy | LogError>
  /** Closes a session that is open here as a shutdown does, with what is kept of it, and returns once it is closed. */
  readonly leave: (session: string) => Effect.Effect<void>
  /** Returns when one is opened after this was asked for. */
  readonly opened: () => Effect.Effect<void>
  /** Stops all of them. */
  readonly stop: Effect.Effect<void>
}

export interface OpenSessionsParts {
  readonly answers: Answers.Answers
  readonly directory: Directory
  readonly log: EventLog.EventLog
  readonly replies: Replies
  readonly submissions: Submissions
}

interface Kept {
  readonly scope: Scope.CloseableScope
  /** The number of the last event before it was held. */
  readonly since: number
}

/** Idle sessions of which more than their log is kept; the one that has been idle for longest begins anew. */
export class IdleKept extends Context.Reference<IdleKept>()("tollgate/runtime/IdleKept", {
  defaultValue: () => 4096
}) {}

const isOpener = ({ _tag }: Command): boolean =>
  _tag === "CreateSession" || _tag === "ResumeSession" || _tag === "ResumeLastSession"

export const make = ({
  answers,
  directory,
  log,
  replies,
  submissions
}: OpenSessionsParts): Effect.Effect<OpenSessions, never, SessionStore | Models | Projects | Approvals | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const projects = yield* Projects
    const approvals = yield* Approvals
    const clientTools = yield* ClientTools
    const mostKept = yield* IdleKept
    const context = yield* Effect.context<SessionStore | Models | Approvals>()
    const scope = yield* Effect.scope
    const sessions = new Map<string, Open>()
    let added = Effect.unsafeMakeLatch(false)
    /** What outlives an idle session: grants, its mode, the tools of its client. */
    const kept = new Map<string, Kept>()

    /** Says that a session is gone, and rejects the commands whose answers were lost with it. */
    const tell = (opened: EventLog.EventLog, unanswered: Map<string, Command>, opener: string | undefined) =>
      Effect.suspend(() => {
        const lost = [...unanswered.values()]
        unanswered.clear()
        const failed = Option.map(opened.failed(), reasonOf)
        const reason = Option.getOrElse(
          failed,
          () => `Session ${opened.lease.session} was closed before; send it again with another id.`
        )
        const isSaid = lost.some(({ commandId }) => commandId === opener)
        return Effect.zipRight(
          Option.isSome(failed) && !isSaid ? log.emit(new ErrorRaised({ message: reason }, trusted), {}) : Effect.void,
          Effect.forEach(lost, (command) => replies.reject(command, reason), { discard: true })
        )
      })

    /** Holds the approvals of a session, and once more for as long as anything of it is kept. */
    const held = ({ head: since, session }: Lease, project: ProjectTools, own: Scope.Scope) =>
      Effect.gen(function* () {
        const approval = approvals.session({ session, project: project.rules ?? project.project })
        const opened = yield* Scope.extend(approval, own)
        if (kept.has(session)) return opened
        const keeping = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        kept.set(session, { scope: keeping, since })
        yield* Scope.extend(approval, keeping)
        yield* Scope.addFinalizer(keeping, clientTools.endSession(session))
        return opened
      })
    const letGo = (session: string) =>
      Effect.suspend(() => {
        const own = kept.get(session)
        kept.delete(session)
        return own === undefined ? Effect.void : Scope.close(own.scope, Exit.void)
      })
    /** What is kept of a session that goes idle is now the latest. */
    const rests = (session: string) => {
      const own = kept.get(session)
      if (own !== undefined && kept.delete(session)) kept.set(session, own)
    }
    const letGoOldest = Effect.suspend(() => {
      const idle = [...kept.keys()].filter((session) => !sessions.has(session))
      return Effect.forEach(idle.slice(0, Math.max(0, idle.length - mostKept)), letGo, { discard: true })
    })
    /** Whether another process has ended what is kept here, or deleted it. */
    const isOutlived = ({ since }: Kept, { created, session }: Lease): Effect.Effect<boolean, DatabaseError> =>
      created
        ? Effect.succeed(true)
        : Effect.map(store.tagged(session, ["SessionEnded"], since + 1), (ends) => ends.length > 0)

    const start = (
      { create, session: id }: Wanted,
      command: Command | undefined,
      own: Scope.CloseableScope
    ): Effect.Effect<Open, OpenError> =>
      Effect.gen(function* () {
        const request =
          create === undefined
            ? { session: id }
            : { session: id, create: { project: create.place.project, profile: create.profile, time: create.time } }
        const lease = yield* Scope.extend(store.open(request), own)
        const place = lease.created && create !== undefined ? create.place : yield* recordedPlace(store, lease)
        const project = yield* Scope.extend(projects.get(place), own)
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
          const at = place.directory === place.project ? {} : { directory: place.directory }
          const branch = yield* project.branch ?? Effect.succeed(undefined)
          const on = branch === undefined ? {} : { branch }
          const made = { project: place.project, ...at, ...on, profile: lease.profile, ...cause }
          yield* opened.emit(new SessionCreated(made, trusted), {})
        }
        const before = kept.get(id)
        if (before !== undefined && (yield* isOutlived(before, lease))) yield* letGo(id)
        const wasKept = kept.has(id)
        const holding = yield* Scope.fork(own, ExecutionStrategy.sequential)
        const approval = yield* held(lease, project, holding)
        const forget = Effect.zipRight(Scope.close(holding, Exit.void), letGo(id))
        const session = yield* Session.make(opened, project, approval, submissions, forget, cause).pipe(
          Effect.provide(context),
          Scope.extend(own),
          Effect.onError(() => (wasKept ? Effect.void : letGo(id)))
        )
        const gone = yield* Deferred.make<boolean>()
        const known: Open = { session, unanswered, gone: Deferred.await(gone) }
        sessions.set(id, known)
        if (store.handover !== undefined) {
          yield* store.handover
            .requested(id)
            .pipe(
              Effect.zipRight(session.send(new SuspendSession({ session: id }, trusted))),
              Effect.interruptible,
              Effect.forkIn(own)
            )
        }
        const waiting = added
        added = Effect.unsafeMakeLatch(false)
        waiting.unsafeOpen()
        yield* Effect.interruptible(session.stopped).pipe(
          Effect.zipRight(Scope.close(own, Exit.void)),
          Effect.zipRight(tell(opened, unanswered, cause.commandId)),
          Effect.onExit((exit) =>
            Effect.suspend(() => {
              submissions.forget(id)
              if (Exit.isSuccess(exit)) sessions.delete(id)
              rests(id)
              return Deferred.succeed(gone, Exit.isSuccess(exit))
            })
          ),
          Effect.forkIn(scope)
        )
        yield* letGoOldest
        return known
      })

    /** Whether a session is open here; one that is about to go is waited for. */
    const isOpen = (session: string) => {
      const known = sessions.get(session)
      return known === undefined
        ? Effect.succeed(false)
        : known.session.isOpen()
          ? Effect.succeed(true)
          : Effect.map(known.gone, (gone) => !gone)
    }
    /** One at a time: a session that is open here is not opened again. */
    const opening = yield* Effect.makeSemaphore(1)
    return {
      leave: (session) =>
        Effect.suspend(() => {
          const known = sessions.get(session)
          const closed = known === undefined ? Effect.void : Effect.zipRight(known.session.stop, known.gone)
          return Effect.zipRight(closed, letGo(session))
        }),
      append: (session, write) =>
        Effect.gen(function* () {
          if (yield* isOpen(session)) return false
          const lease = yield* store.open({ session })
          const appended = yield* EventLog.make(lease, store, (envelope) => answers.settle(envelope))
          directory.add(appended)
          yield* Effect.addFinalizer(() => Effect.sync(() => directory.remove(appended)))
          yield* write(appended)
          yield* appended.close
          return yield* Option.match(appended.failed(), {
            onNone: () => Effect.succeed(true),
            onSome: Effect.failCause
          })
        }).pipe(Effect.scoped, opening.withPermits(1), apart),
      find: (session) => sessions.get(session),
      opened: () => added.await,
      open: (wanted, command) => {
        const taken = (known: Open) => {
          if (command?.commandId !== undefined) known.unanswered.set(command.commandId, command)
          return { ...known, isNew: false }
        }
        const opened = Effect.gen(function* () {
          const known = sessions.get(wanted.session)
          if (known !== undefined && (yield* isOpen(wanted.session))) return taken(known)
          const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
          const opened = yield* Effect.onError(start(wanted, command, own), () => Scope.close(own, Exit.void))
          return { ...opened, isNew: true }
        }).pipe(opening.withPermits(1), apart)
        return Effect.suspend(() => {
          const known = sessions.get(wanted.session)
          return known?.session.isOpen() === true ? Effect.sync(() => taken(known)) : opened
        })
      },
      stop: Effect.suspend(() =>
        Effect.forEach([...sessions.values()], ({ session }) => session.stop, {
          concurrency: "unbounded",
          discard: true
        })
      )
    }
  })
