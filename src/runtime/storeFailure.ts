import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { logCrash } from "../redaction/logCrash.ts"
import { type DatabaseError, DatabaseFailed } from "../database/DatabaseError.ts"
import { effectFrom } from "../middleware/effectOf.ts"
import { catchOwnEnd } from "../middleware/endOf.ts"
import { Closing, patience } from "./Closing.ts"
import { isProper } from "./driverAnswer.ts"
import type { Handover, SessionBusy, SessionFenced, SessionNotFound } from "./SessionStore.ts"

/** What a store of sessions fails with by its type. */
export type LogError = SessionFenced | DatabaseError

const isLogError = (failure: unknown): failure is LogError =>
  Predicate.hasProperty(failure, "_tag") && Predicate.hasProperty(failure, "message")

/** Whether a store has failed by its type; one that dies, ends itself or fails with anything else has crashed. */
export const isTyped = (cause: Cause.Cause<unknown>): boolean => Option.exists(Cause.failureOption(cause), isLogError)

/** What a store fails with that has not answered in time, while its runtime ends. */
const late = (what: string): Effect.Effect<never, DatabaseFailed> => {
  const reason = `it did not answer at ${what} within ${Duration.format(patience)} while the runtime closed`
  return Effect.zipRight(
    Effect.logError(`The session store failed: ${reason}`),
    new DatabaseFailed({ file: "of sessions", code: "no answer", reason: `${reason}. Check the session store.` })
  )
}

/** What a store does where it crashes: a failure by its type, and its cause in the log. It does not keep a runtime from its end. */
export const settled = <A, E extends SessionNotFound | SessionBusy | LogError, R>(
  what: string,
  ask: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DatabaseFailed, R> =>
  Effect.flatMap(Closing, ({ bounded }) =>
    bounded(
      catchOwnEnd(effectFrom("it", ask), (cause): Effect.Effect<never, E | DatabaseFailed> =>
        isTyped(cause)
          ? Effect.failCause(cause)
          : Effect.zipRight(
              logCrash(`The session store crashed at ${what}`, cause),
              new DatabaseFailed({
                file: "of sessions",
                code: "crashed",
                reason: `it crashed at ${what}. See the log for what the session store died of.`
              })
            )
      ),
      late(what)
    )
  )

/** The same of what is answered with something, which is a failure by its type as well where it is no such answer. */
export const answered = <A, E extends SessionNotFound | SessionBusy | LogError, R>(
  what: keyof typeof isProper,
  ask: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DatabaseFailed, R> =>
  Effect.filterOrFail(
    settled(what, ask),
    (answer) => isProper[what](answer),
    () =>
      new DatabaseFailed({
        file: "of sessions",
        code: "wrong answer",
        reason: `what it gave at ${what} is not what its type says. Correct the session store.`
      })
  )

/** The wait for more events to append together; a store that crashes there has them appended as they come. */
export const gathering = ({ gather = Effect.void }: { readonly gather?: Effect.Effect<void> }): Effect.Effect<void> => {
  let waits = gather
  return Effect.suspend(() =>
    catchOwnEnd(waits, (cause) => {
      waits = Effect.void
      return logCrash("The session store crashed at gather", cause)
    })
  )
}

/** How sessions pass between processes; a store that crashes there fails by its type, and is asked for none. */
export const passing = (handover: Handover): Handover => ({
  owner: (session) => settled("handover", () => handover.owner(session)),
  request: (session) => settled("handover", () => handover.request(session)),
  requested: (session) =>
    catchOwnEnd(
      effectFrom("it", () => handover.requested(session)),
      (cause) => Effect.zipRight(logCrash("The session store crashed at handover", cause), Effect.never)
    ),
  takenBy: (session) => {
    try {
      return handover.takenBy(session)
    } catch {
      return undefined
    }
  }
})

/** What a store that crashed fails with; the log says of what. */
export const crashed = new DatabaseFailed({
  file: "of sessions",
  code: "crashed",
  reason: "an event was not stored, and its session was closed. See the log for what the session store died of."
})

/** What a store fails with that has not answered in that time. */
export const unanswered = new DatabaseFailed({
  file: "of sessions",
  code: "no answer",
  reason: `an event was not stored within ${Duration.format(patience)} at the end of its session.`
})

/** Why a log has failed, for a person. */
export const reasonOf = (failure: Cause.Cause<LogError>): string =>
  Option.match(Cause.failureOption(failure), { onNone: () => crashed.message, onSome: ({ message }) => message })
