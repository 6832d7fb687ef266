import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Command } from "../runtime/Command.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { Runtime } from "../runtime/Runtime.ts"
import type { SessionStore } from "../runtime/SessionStore.ts"
import { Conflict, type Failed, Gone, NotFound, type Refusal, Rejected, Unavailable } from "./ApiError.ts"
import { stored } from "./stored.ts"
import { ownerOf } from "./SessionInfo.ts"

/** Why a command got no answer of its own. */
export type Refused = typeof Refusal.Type | Unavailable | Failed

/** Seconds after which a client comes again where there was no room. */
const retryAfter = 1

const full = (message: string, error?: string) =>
  new Unavailable({ message, retryAfter, ...(error === undefined ? {} : { error }) })

const notFound: ReadonlySet<string> = new Set(["SessionNotFound", "ProfileNotFound", "ProjectGone"])
const conflicts: ReadonlySet<string> = new Set(["CommandIdTaken", "ApprovalMismatch", "SessionFenced", "SessionWaits"])

/** Sends a command and answers with the event that it led to. */
export const perform = (command: Command): Effect.Effect<Envelope, Refused, Runtime | SessionStore> =>
  Effect.gen(function* () {
    const { commands, request } = yield* Runtime
    const room = commands.capacity() - Option.getOrElse(commands.unsafeSize(), () => 0)
    if (room <= 0) return yield* full("Too many commands wait already; send it again later.")
    return yield* request(command).pipe(
      Effect.catchTags({
        RuntimeHasStopped: ({ message }) => full(message),
        TooManyTasks: ({ _tag, message }) => full(message, _tag),
        RequestRejected: ({ error, reason: message }): Effect.Effect<never, Refused, SessionStore> => {
          const known = { message, ...(error === undefined ? {} : { error }) }
          if (error === "SessionBusy" && "session" in command) {
            return Effect.flatMap(
              stored(ownerOf(command.session)),
              (owner) => new Conflict({ ...known, ...(owner === undefined ? {} : { owner }) })
            )
          }
          if (error === "ApprovalNotPending") return Effect.fail(new Gone(known))
          if (error !== undefined && notFound.has(error)) return Effect.fail(new NotFound(known))
          if (error !== undefined && conflicts.has(error)) return Effect.fail(new Conflict(known))
          return Effect.fail(new Rejected(known))
        }
      })
    )
  })
