import * as Effect from "effect/Effect"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Answers } from "./Answers.ts"
import { apart } from "./apart.ts"
import { causeOf, type DeleteSession, type ForkSession, type PreviewRewind, type RenameSession } from "./Command.ts"
import { SessionDeleted } from "./RuntimeEvent.ts"
import type { EventLog } from "./EventLog.ts"
import type { LogError } from "./storeFailure.ts"
import { fork, type ForkError } from "./fork.ts"
import { readyAnswers } from "./openRequests.ts"
import type { OpenSessions } from "./OpenSessions.ts"
import { type ProjectError, Projects } from "./Projects.ts"
import { recordedPlace } from "./recordedPlace.ts"
import { preview, type RewindRefused } from "./rewind.ts"
import { renamed } from "./SessionCommands.ts"
import { SessionFiles, type SessionFilesFailed } from "./SessionFiles.ts"
import {
  type SessionBusy,
  type SessionFenced,
  type SessionNotFound,
  SessionStore,
  SessionWaits
} from "./SessionStore.ts"

type StoreError = SessionNotFound | SessionBusy | SessionFenced | DatabaseError

/** What is done about sessions without opening them: nothing of them is taken up, repaired or run. */
export interface StoredSessions {
  /** False for a session that is open here, which does it itself. */
  readonly rename: (command: RenameSession) => Effect.Effect<boolean, StoreError | LogError>
  readonly fork: (command: ForkSession) => Effect.Effect<void, ForkError>
  readonly preview: (
    command: PreviewRewind
  ) => Effect.Effect<void, RewindRefused | ProjectError | SessionNotFound | DatabaseError>
  readonly remove: (command: DeleteSession) => Effect.Effect<void, StoreError | SessionWaits | SessionFilesFailed>
  /** Fails where a request of the session waits for an answer and it is not open here. */
  readonly waitsForNothing: (session: string) => Effect.Effect<void, SessionWaits | DatabaseError>
}

export const make = (
  answers: Answers,
  /** The runtime's own. */
  log: EventLog,
  sessions: OpenSessions
): Effect.Effect<StoredSessions, never, SessionStore | Projects> =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const projects = yield* Projects
    const files = yield* SessionFiles

    const waitsForNothing = (session: string) =>
      Effect.gen(function* () {
        const { requests } = yield* store.unfinished(session)
        if (requests.length === 0) return
        const ready = yield* Effect.orElseSucceed(readyAnswers(requests.map(({ id }) => id)), () => new Map())
        return yield* new SessionWaits({ session, requests: requests.length, answered: ready.size })
      })

    return {
      rename: (command) => sessions.append(command.session, (own) => own.emit(renamed(command), {})),
      fork: (command) =>
        Effect.gen(function* () {
          answers.settle(yield* fork(store, files, command))
        }).pipe(apart),
      preview: (command) =>
        Effect.gen(function* () {
          const { project } = yield* store.get(command.session)
          const place = yield* recordedPlace(store, { project, session: command.session })
          const { checkpoints } = yield* projects.get(place)
          yield* log.emit(yield* preview(store, checkpoints, command), {})
        }).pipe(Effect.scoped, apart),
      remove: (command) =>
        Effect.gen(function* () {
          const { session } = command
          yield* store.get(session)
          yield* waitsForNothing(session)
          yield* sessions.leave(session)
          const lease = yield* store.open({ session })
          yield* waitsForNothing(session)
          // The log goes last: whatever fails or is killed before that leaves a session that can be deleted again.
          yield* files.remove(session)
          yield* store.delete(lease)
          yield* log.emit(new SessionDeleted({ ...causeOf(command), deleted: session }, trusted), {})
        }).pipe(Effect.scoped, apart),
      waitsForNothing: (session) => (sessions.find(session) === undefined ? waitsForNothing(session) : Effect.void)
    }
  })
