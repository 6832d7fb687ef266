import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { BackgroundCommands, BackgroundRefused, type CommandEnd } from "../../process/BackgroundCommands.ts"
import type { ToolCall } from "../../tool/ToolCall.ts"

/** A command that its call waits for, until it ends or the user moves it to the background. */
interface Foreground<A> {
  /** Without secrets. */
  readonly command: string
  readonly directory: string
  /** Why it cannot move. */
  readonly refused: string | undefined
  /** What it has printed goes to `print`, as does what it prints from now on. */
  readonly moved: (print: (text: string) => Effect.Effect<void>) => Effect.Effect<unknown>
  /** How it has ended behind its call. */
  readonly end: (result: A) => Effect.Effect<CommandEnd>
}

type Outcome<A> =
  | { readonly _tag: "Ended"; readonly result: A }
  /** It goes on as `id`; `text` is what it had printed. */
  | { readonly _tag: "Moved"; readonly id: string; readonly text: string }

/** Runs a command for its call. It belongs to the call, and ends with it, until the background of the session has taken it. */
export const runInForeground = <A, E extends { readonly message: string }, R>(
  { callId, sessionId }: Pick<ToolCall, "callId" | "sessionId">,
  self: Effect.Effect<A, E, R>,
  { command, directory, end, moved, refused }: Foreground<A>
): Effect.Effect<Outcome<A>, E, R | BackgroundCommands> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const commands = yield* BackgroundCommands
      const running = yield* Effect.forkDaemon(Effect.interruptible(self))
      const taken = yield* Deferred.make<{ readonly id: string; readonly text: string }>()
      const turn = yield* Effect.makeSemaphore(1)
      let owner: "call" | "background" | "nobody" = "call"
      const move = Effect.gen(function* () {
        if (refused !== undefined) return yield* new BackgroundRefused({ reason: refused })
        if (owner !== "call") return yield* new BackgroundRefused({ reason: "The command has ended." })
        const told = yield* Deferred.make<void>()
        const { id } = yield* commands.start(sessionId, { command, directory }, (print) =>
          Effect.uninterruptible(moved(print)).pipe(
            Effect.zipRight(Deferred.succeed(told, undefined)),
            Effect.zipRight(Effect.flatMap(Fiber.join(running), end)),
            Effect.onInterrupt(() => Fiber.interrupt(running))
          )
        )
        owner = "background"
        yield* Effect.raceFirst(
          Effect.interruptible(Deferred.await(told)),
          Effect.interruptible(Effect.ignore(commands.news(sessionId, id)))
        )
        const { end: ended } = yield* Effect.orElseSucceed(commands.find(sessionId, id), () => ({ end: "forgotten" }))
        // A session that closes just now has ended what it never began to hold.
        if (ended !== undefined) yield* Fiber.interrupt(running)
        const { text } = yield* Effect.orElseSucceed(commands.unread(sessionId, id), () => ({ text: "" }))
        yield* Deferred.succeed(taken, { id, text })
      }).pipe(Effect.uninterruptible, turn.withPermits(1))
      /** Takes the command from all others, unless the background has it. */
      const keep = turn.withPermits(1)(
        Effect.sync(() => {
          if (owner === "call") owner = "nobody"
          return owner === "background"
        })
      )
      yield* commands.foreground(sessionId, callId, move)
      yield* restore(Effect.raceFirst(Fiber.await(running), Deferred.await(taken))).pipe(
        Effect.onInterrupt(() => Effect.flatMap(keep, (isMoved) => (isMoved ? Effect.void : Fiber.interrupt(running))))
      )
      return (yield* keep)
        ? { _tag: "Moved" as const, ...(yield* Deferred.await(taken)) }
        : { _tag: "Ended" as const, result: yield* Fiber.join(running) }
    })
  ).pipe(Effect.scoped)
