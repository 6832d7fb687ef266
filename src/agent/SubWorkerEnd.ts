import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { endOf as kindOf } from "../middleware/endOf.ts"
import { blameOf } from "../middleware/PartCrashed.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { WorkerCompleted, type WorkerEnded, WorkerFailed, WorkerInterrupted } from "./AgentEvent.ts"
import type { DelegationResult } from "./Delegation.ts"
import type { WorkerError, WorkerOutcome } from "./Worker.ts"
import type { SubWorkerSink } from "./WorkerSink.ts"

/** The user has ended this worker alone. */
class Cancelled extends Data.TaggedError("Cancelled")<{ readonly message: string }> {}

type Outcome = Exit.Exit<WorkerOutcome, WorkerError | Cancelled>

/** Whether a worker has done its task or asks something of its parent. */
export const statusOf = ({ question, text }: WorkerOutcome): DelegationResult["status"] =>
  question !== undefined || /^\W*i need to know\b/i.test(text) ? "question" : "done"

/** The event of the end of a worker. */
export const endOf = (outcome: Outcome, durationMillis: number): WorkerEnded => {
  if (Exit.isSuccess(outcome)) {
    const { iterations, text, usage } = outcome.value
    const status = statusOf(outcome.value)
    const asked = status === "question" ? { question: text } : {}
    return new WorkerCompleted({ status, ...asked, usage, iterations, durationMillis }, trusted)
  }
  const failure = Cause.failureOption(outcome.cause)
  const cancelled = Option.exists(failure, ({ _tag }) => _tag === "Cancelled")
  if (cancelled || (Option.isNone(failure) && kindOf(outcome.cause) === "interrupted")) {
    return new WorkerInterrupted({ durationMillis }, trusted)
  }
  const message = Option.match(failure, {
    onNone: () => `it crashed. ${blameOf(outcome.cause)}.`,
    onSome: (error) => error.message
  })
  return new WorkerFailed({ message, durationMillis }, trusted)
}

/** How the work ends, which is over when this returns: by itself, with the fiber that waits for it, or because it alone is ended. */
export const cancellable = <A, E, R>(
  restore: <B, E2, R2>(self: Effect.Effect<B, E2, R2>) => Effect.Effect<B, E2, R2>,
  work: Effect.Effect<A, E, R>,
  whenCancelled: SubWorkerSink["whenCancelled"]
): Effect.Effect<Exit.Exit<A, E | Cancelled>, never, R> =>
  Effect.gen(function* () {
    let isCancelled = false
    const fiber = yield* Effect.fork(restore(work))
    whenCancelled(() => {
      isCancelled = true
      fiber.unsafeInterruptAsFork(FiberId.none)
    })
    yield* Effect.exit(Effect.onInterrupt(restore(Fiber.await(fiber)), () => Fiber.interrupt(fiber)))
    const exit = yield* Fiber.await(fiber)
    return isCancelled && Exit.isInterrupted(exit) ? Exit.fail(new Cancelled({ message: "the user ended it." })) : exit
  })
