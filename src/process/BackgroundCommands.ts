import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { type Printed, TextRing } from "./TextRing.ts"

/** Commands of one session that run in the background at a time. */
const mostAtOnce = 8

/** Ended commands of one session whose output is kept. */
const keptEnded = 16

/** Characters of output that are kept of each command, its end. */
const keptOutput = 256 * 1024

/** How a command ended, in words. */
export interface CommandEnd {
  readonly reason: string
  /** None where a signal ended it. */
  readonly exitCode: number | null
}

/** A command in the background of a session. */
export interface BackgroundCommand {
  readonly id: string
  readonly command: string
  readonly directory: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** None while it runs. */
  readonly end: CommandEnd | undefined
  /** Whether somebody stopped it. */
  readonly stopped: boolean
}

/** A command cannot run in the background. */
export class BackgroundRefused extends Schema.TaggedError<BackgroundRefused>()("BackgroundRefused", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** No command of that id runs or ran in the background of the session. */
export class BackgroundUnknown extends Schema.TaggedError<BackgroundUnknown>()("BackgroundUnknown", {
  id: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    const { length } = this.known
    return `No background command ${this.id} in this session. ${length === 0 ? "There are none." : `Known: ${this.known.join(", ")}.`}`
  }
}

/** What a command does; `print` waits until its text is taken. */
export type Run = (
  print: (text: string) => Effect.Effect<void>
) => Effect.Effect<CommandEnd, { readonly message: string }>

interface Entry {
  readonly ring: TextRing
  readonly ended: Deferred.Deferred<CommandEnd>
  known: BackgroundCommand
  fiber: Fiber.RuntimeFiber<void> | undefined
  /** Opened with the next output, and with the end. */
  moved: Effect.Latch
  /** Where `unread` reads on. */
  read: number
}

/** A command that its call waits for. */
interface Foreground {
  readonly callId: string
  readonly move: Effect.Effect<void, BackgroundRefused>
}

interface Held {
  readonly foreground: Set<Foreground>
  readonly entries: Map<string, Entry>
  readonly told: (command: BackgroundCommand) => Effect.Effect<void>
  closing: boolean
}

/** Commands that go on after the call that started them. Each belongs to a session and ends with it, with all that it started. */
export class BackgroundCommands extends Context.Tag("tollgate/process/BackgroundCommands")<
  BackgroundCommands,
  {
    /** Keeps the commands of a session until the effect that it gives, which ends them; `told` hears of each start and end. */
    readonly open: (
      session: string,
      told: (command: BackgroundCommand) => Effect.Effect<void>
    ) => Effect.Effect<Effect.Effect<void>>
    readonly start: (
      session: string,
      command: Pick<BackgroundCommand, "command" | "directory">,
      run: Run
    ) => Effect.Effect<BackgroundCommand, BackgroundRefused>
    /** While the scope lasts, the command of a call is in the foreground, from where `detach` takes it by `move`. */
    readonly foreground: (
      session: string,
      callId: string,
      move: Effect.Effect<void, BackgroundRefused>
    ) => Effect.Effect<void, never, Scope.Scope>
    /** Moves the command of a call, or all in the foreground that can move; fails where none can. */
    readonly detach: (session: string, callId?: string) => Effect.Effect<void, BackgroundRefused>
    /** Oldest first. */
    readonly list: (session: string) => Effect.Effect<ReadonlyArray<BackgroundCommand>>
    readonly find: (session: string, id: string) => Effect.Effect<BackgroundCommand, BackgroundUnknown>
    /** What is kept of the output. */
    readonly output: (session: string, id: string) => Effect.Effect<Printed, BackgroundUnknown>
    /** What was printed since this was asked last. */
    readonly unread: (session: string, id: string) => Effect.Effect<Printed, BackgroundUnknown>
    /** Returns with the next output of a command, or with its end. */
    readonly news: (session: string, id: string) => Effect.Effect<void, BackgroundUnknown>
    /** Ends a command, and returns once all that it started has ended. */
    readonly stop: (session: string, id: string) => Effect.Effect<BackgroundCommand, BackgroundUnknown>
  }
>() {
  static readonly layer: Layer.Layer<BackgroundCommands> = Layer.scoped(
    BackgroundCommands,
    Effect.suspend(() => make)
  )
}

export const closed = "The session has no background: it was closed, or its runtime keeps none."

/** Commands are ended with the scope at the latest. */
export const make: Effect.Effect<BackgroundCommands["Type"], never, Scope.Scope> = Effect.gen(function* () {
  const sessions = new Map<string, Held>()

  const ended = (held: Held, entry: Entry, end: CommandEnd) =>
    Effect.suspend(() => {
      entry.known = { ...entry.known, end }
      entry.fiber = undefined
      const over = [...held.entries].filter(([, { known }]) => known.end !== undefined)
      for (const [id] of over.slice(0, Math.max(0, over.length - keptEnded))) held.entries.delete(id)
      return Effect.all([Deferred.succeed(entry.ended, end), entry.moved.open, held.told(entry.known)], {
        discard: true
      })
    })

  /** Tells of the command and runs it, in a fiber by which it can be stopped from the start; returns once it was told. */
  const launch = (held: Held, entry: Entry, run: Run) => {
    const told = Effect.unsafeMakeLatch(false)
    const print = (text: string) =>
      Effect.suspend(() => {
        entry.ring.append(text)
        const waiting = entry.moved
        entry.moved = Effect.unsafeMakeLatch(false)
        return Effect.asVoid(waiting.open)
      })
    return held.told(entry.known).pipe(
      Effect.zipRight(told.open),
      Effect.zipRight(Effect.exit(Effect.interruptible(run(print)))),
      Effect.flatMap((exit) =>
        ended(
          held,
          entry,
          Exit.match(exit, {
            onSuccess: (end) => end,
            onFailure: (cause) => ({ reason: reasonOf(cause), exitCode: null })
          })
        )
      ),
      Effect.uninterruptible,
      Effect.forkDaemon,
      Effect.map((fiber) => {
        if (entry.known.end === undefined) entry.fiber = fiber
      }),
      Effect.zipRight(told.await)
    )
  }

  const stopOne = (entry: Entry) =>
    Effect.suspend(() => {
      if (entry.fiber === undefined) return Effect.void
      entry.known = { ...entry.known, stopped: true }
      return Effect.zipRight(Fiber.interruptFork(entry.fiber), Effect.asVoid(Deferred.await(entry.ended)))
    })
  const close = (session: string, held: Held) =>
    Effect.suspend(() => {
      held.closing = true
      const all = Effect.forEach([...held.entries.values()], stopOne, { concurrency: "unbounded", discard: true })
      return Effect.ensuring(
        all,
        Effect.sync(() => {
          if (sessions.get(session) === held) sessions.delete(session)
        })
      )
    })
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...sessions], ([session, held]) => close(session, held), {
      concurrency: "unbounded",
      discard: true
    })
  )

  const entryOf = (session: string, id: string): Effect.Effect<Entry, BackgroundUnknown> =>
    Effect.suspend(() => {
      const entries = sessions.get(session)?.entries ?? new Map<string, Entry>()
      const entry = entries.get(id)
      return entry === undefined
        ? new BackgroundUnknown({ id: id.slice(0, 64), known: [...entries.keys()] })
        : Effect.succeed(entry)
    })

  return {
    open: (session, told) =>
      Effect.sync(() => {
        const held: Held = { entries: new Map(), foreground: new Set(), told, closing: false }
        sessions.set(session, held)
        return close(session, held)
      }),
    start: (session, { command, directory }, run) =>
      Effect.gen(function* () {
        const held = sessions.get(session)
        if (held === undefined || held.closing) return yield* new BackgroundRefused({ reason: closed })
        const running = [...held.entries.values()].filter(({ known }) => known.end === undefined).length
        if (running >= mostAtOnce) {
          const reason = `${mostAtOnce} commands run in the background, the limit. Stop one first.`
          return yield* new BackgroundRefused({ reason })
        }
        const id = `shell_${randomBytes(4).toString("hex")}`
        const startedAt = yield* Clock.currentTimeMillis
        const entry: Entry = {
          ring: new TextRing(keptOutput),
          ended: yield* Deferred.make<CommandEnd>(),
          known: { id, command, directory, startedAt, end: undefined, stopped: false },
          fiber: undefined,
          moved: Effect.unsafeMakeLatch(false),
          read: 0
        }
        held.entries.set(id, entry)
        const { known } = entry
        yield* launch(held, entry, run)
        return known
      }).pipe(Effect.uninterruptible),
    foreground: (session, callId, move) =>
      Effect.suspend(() => {
        const one: Foreground = { callId, move }
        const foreground = sessions.get(session)?.foreground
        return Effect.acquireRelease(
          Effect.sync(() => void foreground?.add(one)),
          () => Effect.sync(() => void foreground?.delete(one))
        )
      }),
    detach: (session, callId) =>
      Effect.gen(function* () {
        const all = [...(sessions.get(session)?.foreground ?? [])]
        const chosen = all.filter((one) => callId === undefined || one.callId === callId)
        if (chosen.length === 0) {
          return yield* new BackgroundRefused({ reason: "No command runs in the foreground." })
        }
        const moved = yield* Effect.forEach(chosen, ({ move }) => Effect.either(move))
        if (!moved.some(Either.isRight)) yield* Either.all(moved)
      }),
    list: (session) =>
      Effect.sync(() => [...(sessions.get(session)?.entries.values() ?? [])].map(({ known }) => known)),
    find: (session, id) => Effect.map(entryOf(session, id), ({ known }) => known),
    output: (session, id) => Effect.map(entryOf(session, id), ({ ring }) => ring.from(0)),
    unread: (session, id) =>
      Effect.map(entryOf(session, id), (entry) => {
        const printed = entry.ring.from(entry.read)
        entry.read = printed.next
        return printed
      }),
    news: (session, id) =>
      Effect.flatMap(entryOf(session, id), (entry) =>
        Effect.suspend(() =>
          entry.known.end !== undefined || entry.ring.from(entry.read).text !== "" ? Effect.void : entry.moved.await
        )
      ),
    stop: (session, id) =>
      Effect.flatMap(entryOf(session, id), (entry) => Effect.map(stopOne(entry), () => entry.known))
  }
})

/** Why a command that gave no end has ended. */
const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => "stopped; its processes were ended",
    onSome: ({ message }) => message
  })
