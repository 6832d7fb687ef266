import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Envelope } from "../runtime/Envelope.ts"
import { Interrupt, Shutdown } from "../runtime/Command.ts"
import type { TerminalEvent } from "../runtime/Event.ts"
import type { RuntimeHasStopped } from "../runtime/Answers.ts"
import { Runtime } from "../runtime/Runtime.ts"
import type { TooManyTasks } from "../runtime/Submissions.ts"
import { type Begun, type Opened, type SessionUnavailable, type SubmitError, terminalOf } from "../ui/Conversation.ts"
import { endedEarly, stoppedBefore } from "./Outcome.ts"
import { Stopping } from "./Stopping.ts"

/** How long an interrupted task may take before the process goes anyway; longer than the runtime's own grace. */
const patience = Duration.seconds(8)

/**
 * Waits for a task and shows its events with `show`. Where the user interrupts it, it interrupts the task, and where the
 * process is ended, it stops the runtime; what comes of the task is still shown. It fails where the task did not complete.
 */
export const runTask = <E, R>(
  opened: Opened,
  begun: Effect.Effect<Begun, SessionUnavailable | RuntimeHasStopped | TooManyTasks, Runtime>,
  show: (events: Stream.Stream<Envelope, SubmitError>) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const { events, task } = yield* begun
    let end: TerminalEvent | undefined
    const noted = Stream.tap(events, (envelope) =>
      Effect.sync(() => {
        end ??= terminalOf(envelope, task)
      })
    )
    // No child of this fiber, which would pass an interruption on before the end has been shown.
    const shown = yield* Effect.forkScoped(show(noted))
    const { by } = yield* Stopping
    const stop = Effect.suspend(() =>
      Effect.ignore(runtime.send(by() === "user" ? new Interrupt({ session: opened.session }) : new Shutdown({})))
    )
    // In a fiber of its own: a wait that can be interrupted would not even begin in one that has been.
    const ended = Effect.interruptible(Effect.timeoutOption(Fiber.await(shown), patience))
    yield* Effect.onInterrupt(Fiber.join(shown), () =>
      Effect.zipRight(stop, Effect.flatMap(Effect.forkDaemon(ended), Fiber.await))
    )
    if (end === undefined) return yield* stoppedBefore
    if (end._tag !== "TaskCompleted") return yield* endedEarly(end)
  }).pipe(Effect.scoped)
