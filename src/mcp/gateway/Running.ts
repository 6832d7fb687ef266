import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Submitted } from "../../runtime/SessionHandle.ts"
import type { TerminalEvent } from "../../runtime/Event.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"

/** A call that a client made, from its task to its end, whoever waits for it. */
export interface Running {
  readonly task: string
  readonly session: string
  /** How it ended; undefined where the runtime stopped first. */
  readonly ended: Effect.Effect<TerminalEvent | undefined>
  /** Returns with the first request for approval of it. */
  readonly asked: Effect.Effect<ApprovalRequest>
  /** The request that waits for a person now. */
  readonly open: () => ApprovalRequest | undefined
  /** How far it is, by the last word of its server. */
  readonly progress: () => { readonly progress: number; readonly total?: number; readonly message?: string } | undefined
  readonly isOver: () => boolean
  readonly cancel: Effect.Effect<void>
  /** Nobody waits for it: an equal call takes it up. */
  detached: boolean
}

/** Follows a submitted call; returns once it has ended. */
export const follow = (
  submitted: Submitted,
  session: string
): Effect.Effect<{ readonly running: Running; readonly watch: Effect.Effect<void> }> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<TerminalEvent | undefined>()
    const asked = yield* Deferred.make<ApprovalRequest>()
    let open: ApprovalRequest | undefined
    let progress: ReturnType<Running["progress"]>
    let over = false
    const watch = submitted.events.pipe(
      Stream.runForEach(({ event }) =>
        Effect.suspend(() => {
          switch (event._tag) {
            case "ApprovalRequested":
              open = event.request
              return Deferred.succeed(asked, event.request)
            case "ApprovalResolved":
              open = undefined
              return Effect.void
            case "ToolProgressed":
              progress = {
                progress: event.current ?? 0,
                ...(event.total === undefined ? {} : { total: event.total }),
                ...(event.label === undefined ? {} : { message: event.label })
              }
              return Effect.void
            case "TaskCompleted":
            case "TaskFailed":
            case "TaskInterrupted":
              return Deferred.succeed(ended, event)
            default:
              return Effect.void
          }
        })
      ),
      Effect.ignore,
      Effect.ensuring(
        Effect.suspend(() => {
          over = true
          return Deferred.succeed(ended, undefined)
        })
      )
    )
    const running: Running = {
      task: submitted.id,
      session,
      ended: Deferred.await(ended),
      asked: Deferred.await(asked),
      open: () => open,
      progress: () => progress,
      isOver: () => over,
      cancel: Effect.ignore(submitted.cancel),
      detached: false
    }
    return { running, watch }
  })
