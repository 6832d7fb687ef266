import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { alarmed } from "../../middleware/awaited.ts"
import type { TerminalEvent } from "../../runtime/Event.ts"
import type { Submitted } from "../../runtime/SessionHandle.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import type { CallResult } from "../ServerResult.ts"
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
  /** Its tool may have done something. */
  readonly hasBegun: () => boolean
  /** How it ended; undefined where the runtime stopped first. */
  readonly end: () => TerminalEvent | undefined
  readonly cancel: Effect.Effect<void>
  /** What it came to with a gateway that is gone. */
  readonly kept?: CallResult
  /** Nobody waits for it: an equal call takes it up. */
  detached: boolean
  /** It was running when its client went or took it back, and nobody knows how far it came. */
  cutOff?: true
}

/** Whether it was cut off before its tool began: nothing came of it, and an equal call is a new one. */
export const isUnrun = (running: Running): boolean =>
  running.cutOff === true && running.end()?._tag === "TaskInterrupted" && !running.hasBegun()

/** Returns what is found of a call as soon as there is something. */
export const until = <A>(talk: Talk, look: () => A | undefined): Effect.Effect<A> =>
  Effect.map(within(talk, look, undefined), (found) => found as A)

/** The same for as long as one waits; nothing then. */
export const within = <A>(
  talk: Talk,
  look: () => A | undefined,
  patience: Duration.Duration | undefined
): Effect.Effect<A | undefined> =>
  Effect.suspend(() => {
    const found = look()
    if (found !== undefined) return Effect.succeed(found)
    const heard = (hear: (found: A) => void) =>
      talk.follow(() => {
        const found = look()
        if (found !== undefined) hear(found)
      })
    return Effect.map(alarmed(heard, patience === undefined ? undefined : Effect.sleep(patience)), (first) =>
      first._tag === "Ended" ? first.value : undefined
    )
  })

/** What it takes to follow and to end a task. */
export type Task = Pick<Submitted, "id" | "follow" | "cancel">

/** Follows a submitted call; `watch` returns once it has ended. `asked` runs before anybody learns that it waits for a person. */
export const follow = (
  submitted: Task,
  { key, session, talk }: Pick<Running, "key" | "session" | "talk">,
  asked: () => void
): { readonly running: Running; readonly watch: Effect.Effect<void> } => {
  let open: ApprovalRequest | undefined
  let end: TerminalEvent | undefined
  let over = false
  let begun = false
  const watch = submitted
    .follow((event) => {
      switch (event._tag) {
        case "ApprovalRequested":
          open = event.request
          asked()
          return talk.wake()
        case "ApprovalResolved":
          open = undefined
          return talk.wake()
        case "ToolCallStarted":
          begun = true
          return talk.wake()
        case "TaskCompleted":
        case "TaskFailed":
        case "TaskInterrupted":
          end = event
      }
    })
    .pipe(
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
    hasBegun: () => begun,
    end: () => end,
    cancel: Effect.ignore(submitted.cancel),
    detached: false
  }
  return { running, watch }
}

/** A call that has ended with a gateway that is gone. */
export const ended = (
  task: string,
  { key, session, talk }: Pick<Running, "key" | "session" | "talk">,
  kept: CallResult
): Running => ({
  key,
  task,
  session,
  talk,
  open: () => undefined,
  isOver: () => true,
  hasBegun: () => true,
  end: () => undefined,
  cancel: Effect.void,
  kept,
  detached: false
})
