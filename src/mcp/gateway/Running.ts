import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { TerminalEvent } from "../../runtime/Event.ts"
import type { Submitted } from "../../runtime/SessionHandle.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import type { Talk } from "./Talk.ts"

/** A call that a client made, from its task to its end, whoever waits for it. */
export interface Running {
  /** Equal for equal calls of one person. */
  readonly key: string
  readonly task: string
  readonly session: string
  readonly talk: Talk
  /** The request for approval that waits for a person now. */
  readonly open: () => ApprovalRequest | undefined
  readonly isOver: () => boolean
  /** How it ended; undefined where the runtime stopped first. */
  readonly end: () => TerminalEvent | undefined
  readonly cancel: Effect.Effect<void>
  /** Nobody waits for it: an equal call takes it up. */
  detached: boolean
}

/** Returns what is found of a call as soon as there is something. */
export const until = <A>(talk: Talk, look: () => A | undefined): Effect.Effect<A> =>
  Effect.suspend(() => {
    const found = look()
    return found === undefined ? Effect.flatMap(talk.changed, () => until(talk, look)) : Effect.succeed(found)
  })

/** Follows a submitted call; `watch` returns once it has ended. */
export const follow = (
  submitted: Submitted,
  { key, session, talk }: Pick<Running, "key" | "session" | "talk">
): { readonly running: Running; readonly watch: Effect.Effect<void> } => {
  let open: ApprovalRequest | undefined
  let end: TerminalEvent | undefined
  let over = false
  const watch = submitted.events.pipe(
    Stream.runForEach(({ event }) =>
      Effect.sync(() => {
        switch (event._tag) {
          case "ApprovalRequested":
            open = event.request
            return talk.wake()
          case "ApprovalResolved":
            open = undefined
            return talk.wake()
          case "TaskCompleted":
          case "TaskFailed":
          case "TaskInterrupted":
            end = event
            return undefined
          default:
            return undefined
        }
      })
    ),
    Effect.ignore,
    Effect.ensuring(
      Effect.sync(() => {
        over = true
        talk.wake()
      })
    )
  )
  const running: Running = {
    key,
    task: submitted.id,
    session,
    talk,
    open: () => open,
    isOver: () => over,
    end: () => end,
    cancel: Effect.ignore(submitted.cancel),
    detached: false
  }
  return { running, watch }
}
