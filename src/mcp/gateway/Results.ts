import * as Effect from "effect/Effect"
import type { Redactor } from "../../redaction/Redactor.ts"
import type { SessionStore } from "../../runtime/SessionStore.ts"
import { type CallResult, textResult } from "../ServerResult.ts"
import { bound, type Bounds } from "./bound.ts"
import * as Earlier from "./Earlier.ts"
import { redacted } from "./redacted.ts"
import type { Running } from "./Running.ts"

export interface Means extends Omit<Bounds, "session"> {
  /** Whether there are hooks, which may refuse a result. */
  readonly hasHooks: () => boolean
  readonly redactor: Redactor["Type"]
  readonly store: SessionStore["Type"]
}

/** What clients get of their calls. */
export interface Results {
  /**
   * Whether a call has its answer: it has ended, or its server has given a result that nothing may change any more. What is
   * stored of the end may follow; after a crash in between the outcome counts as unknown.
   */
  readonly isAnswered: (running: Running) => boolean
  /** What a client gets of a call that is answered. */
  readonly resultOf: (running: Running) => Effect.Effect<CallResult>
}

const interrupted = ({ cutOff }: Running): string =>
  cutOff === true
    ? "The call was cut off while it ran: outcome unknown. It is not repeated; what it did stays done. Verify before you call it once more."
    : "The call was interrupted."

export const make = ({ hasHooks, longest, redactor, spill, store }: Means): Results => {
  const known = new WeakMap<Running, CallResult>()
  const resultOf = (running: Running): Effect.Effect<CallResult> =>
    Effect.suspend(() => {
      const said = running.kept ?? known.get(running)
      if (said !== undefined) return Effect.succeed(said)
      const end = running.end()
      if (end === undefined && !isAnswered(running))
        return Effect.succeed(textResult("The gateway stopped before the call had ended.", true))
      if (end?._tag === "TaskInterrupted") return Effect.succeed(textResult(interrupted(running), true))
      if (end?._tag === "TaskFailed") {
        const failed = textResult(end.message, true)
        if (end.kind !== "crash") return Effect.succeed(failed)
        return Effect.map(
          Effect.orElseSucceed(Earlier.resultOf(store, running), () => undefined),
          (logged) => logged ?? failed
        )
      }
      const given = running.talk.given()
      if (given === undefined) return Effect.succeed(textResult(end?.text ?? "", false))
      return Effect.tap(
        bound(redacted(redactor)(given as CallResult), { longest, session: running.session, spill }),
        (result) => Effect.sync(() => known.set(running, result))
      )
    })

  const isAnswered = (running: Running): boolean => {
    if (running.isOver()) return running.end() !== undefined
    const isFinal = !hasHooks()
    return isFinal && running.talk.given() !== undefined
  }

  return { isAnswered, resultOf }
}
