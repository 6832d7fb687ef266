import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Models } from "../model/Models.ts"
import type { Answers } from "./Answers.ts"
import type { CancelTask, Command, Interrupt, SessionCommand, Shutdown } from "./Command.ts"
import { contained } from "./contained.ts"
import type { EventLog } from "./EventLog.ts"
import type * as OpenSessions from "./OpenSessions.ts"
import { type ProjectError, Projects } from "./Projects.ts"
import * as Replies from "./Replies.ts"
import type { Session } from "./Session.ts"
import { SessionStore } from "./SessionStore.ts"
import * as StoredSessions from "./StoredSessions.ts"
import type { Submissions } from "./Submissions.ts"

/** Carries out commands, each to the end or to its rejection. */
export interface Dispatch {
  /** Carries out a command, which is done once where it has an id. */
  readonly once: (command: Command) => Effect.Effect<void>
  /** Ends the tasks that there are now, those included whose commands wait still: they end once they have begun. */
  readonly overtake: (command: CancelTask | Interrupt) => Effect.Effect<void>
}

export interface DispatchParts {
  readonly answers: Answers
  /** The runtime's own. */
  readonly log: EventLog
  readonly replies: Replies.Replies
  readonly sessions: OpenSessions.OpenSessions
  readonly stop: (command: Shutdown) => Effect.Effect<void>
  readonly submissions: Submissions
}

export const make = ({
  answers,
  log,
  replies: { done, reject },
  sessions,
  stop,
  submissions
}: DispatchParts): Effect.Effect<Dispatch, never, SessionStore | Models | Projects> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const models = yield* Models
    const projects = yield* Projects
    const stored = yield* StoredSessions.make(answers, log, sessions)

    /** Whether the log has the answer already, of before a restart. */
    const isAnswered = (command: Command, session: string): Effect.Effect<boolean, DatabaseError> => {
      const { commandId } = command
      return commandId === undefined || answers.isNew(command)
        ? Effect.succeed(false)
        : Effect.map(store.answer(session, commandId), (found) => {
            if (Option.isSome(found)) answers.settle(found.value)
            return Option.isSome(found)
          })
    }

    /** The same of a session that is open, which is not looked for where it began here and nothing was forgotten. */
    const mayBeAnswered = ({ log: { lease } }: Session, command: Command) =>
      lease.created && !answers.hasForgotten ? Effect.succeed(false) : isAnswered(command, lease.session)

    const left = (command: Command) => Effect.sync(() => submissions.leave(command))

    /** Gives a command to its session, which is opened for it where it is not open. */
    const given = (command: SessionCommand): Effect.Effect<void, OpenSessions.OpenError> => {
      const closing = reject(command, `Session ${command.session} is closing; send it again.`)
      return sessions.open({ session: command.session }, command).pipe(
        Effect.flatMap(({ session, unanswered }) =>
          Effect.if(mayBeAnswered(session, command), {
            onTrue: () => left(command),
            onFalse: () =>
              Effect.flatMap(session.send(command), (taken) => {
                if (taken) return Effect.void
                const isOurs = command.commandId === undefined || unanswered.delete(command.commandId)
                if (isOurs && session.isReleased()) return perform(command)
                return Effect.zipRight(left(command), isOurs ? closing : Effect.void)
              })
          })
        ),
        Effect.tapError(() => left(command))
      )
    }

    const perform = (command: Command): Effect.Effect<void> => {
      const rejected = <A>(self: Effect.Effect<A, { readonly _tag: string; readonly message: string }>) =>
        self.pipe(
          Effect.asVoid,
          Effect.catchAll((error) => reject(command, error.message, error._tag))
        )
      /** Opens a session unless the command did so before a restart. */
      const opened = (session: string, wanted: Effect.Effect<OpenSessions.Wanted, ProjectError>) =>
        Effect.if(isAnswered(command, session), {
          onTrue: () => Effect.void,
          onFalse: () =>
            Effect.flatMap(
              Effect.flatMap(wanted, (wanted) => sessions.open(wanted, command)),
              ({ isNew, session: { log } }) => (isNew ? Effect.void : Replies.make(log).done(command))
            )
        })
      /** Unless the log has the answer already. */
      const unanswered = (
        session: string,
        self: Effect.Effect<void, { readonly _tag: string; readonly message: string }>
      ) => rejected(Effect.if(isAnswered(command, session), { onTrue: () => Effect.void, onFalse: () => self }))
      switch (command._tag) {
        case "CreateSession":
          return rejected(
            opened(
              command.session,
              Effect.gen(function* () {
                const place = yield* projects.locate(command.project)
                const time = yield* Clock.currentTimeMillis
                const create = { place, profile: command.profile ?? models.preferred, time }
                return { session: command.session, create }
              })
            )
          )
        case "ResumeSession":
          return rejected(opened(command.session, Effect.succeed({ session: command.session })))
        case "ResumeLastSession":
          return rejected(
            Effect.gen(function* () {
              const { project } = yield* projects.locate(command.project)
              const [last] = yield* store.list({ project, limit: 1 })
              yield* last === undefined
                ? reject(command, "This project has no sessions yet.")
                : opened(last.id, Effect.succeed({ session: last.id }))
            })
          )
        case "RenameSession":
          return unanswered(
            command.session,
            Effect.flatMap(stored.rename(command), (isRenamed) => (isRenamed ? Effect.void : given(command)))
          )
        case "RewindSession":
          return rejected(Effect.zipRight(stored.waitsForNothing(command.session), given(command)))
        case "ForkSession":
          return unanswered(command.fork, stored.fork(command))
        case "PreviewRewind":
          return rejected(stored.preview(command))
        case "DeleteSession":
          return rejected(stored.remove(command))
        case "Shutdown":
          return stop(command)
        default:
          return rejected(given(command))
      }
    }
    const once = (command: Command): Effect.Effect<void> =>
      Effect.suspend(() => (answers.begin(command) ? contained(perform, reject)(command) : left(command)))

    const overtake = (command: CancelTask | Interrupt): Effect.Effect<void> => {
      if (!answers.begin(command)) return Effect.void
      const known = sessions.find(command.session)
      if (known?.session.isOpen() === true) {
        if (command.commandId !== undefined) known.unanswered.set(command.commandId, command)
        const interrupted = known.session.interrupt(command)
        return Effect.if(mayBeAnswered(known.session, command), {
          onTrue: () => Effect.void,
          onFalse: () => interrupted
        }).pipe(Effect.catchAll((error) => reject(command, error.message, error._tag)))
      }
      return submissions.cancel(command) ? done(command) : contained(perform, reject)(command)
    }

    return { once, overtake }
  })
