import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import { Database } from "../database/Database.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { lockFile } from "../database/lockFile.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { remembering } from "../redaction/remembering.ts"
import * as AuditAnchor from "./AuditAnchor.ts"
import {
  type AuditEntry,
  type AuditRow,
  type Break,
  type Head,
  type Timed,
  type Verification,
  Verifier
} from "./AuditChain.ts"
import * as AuditLedger from "./AuditLedger.ts"
import { isWaiting, spoolOf, takeIn } from "./AuditSpool.ts"
import { StatsFold, type ToolStats } from "./AuditStats.ts"
import { shownArguments } from "../redaction/shownArguments.ts"

export type AuditError = DatabaseError | AuditAnchor.AuditAnchorFailed

/**
 * Every request and decision, in a chain that is only appended to: each entry is signed together with the one before it.
 *
 * The last entry is signed as the head of the chain, in a file beside the key and outside the workspace, and noted beside
 * the database as well; both outlive the process at any moment, and a loss of power but for the last second. It shows whoever
 * verifies it an entry that was changed, inserted, removed or cut from the end, and a head or a key that is gone, and goes on
 * showing it: a chain that was found broken stays broken.
 *
 * It does not protect against someone with the user's account, who can read the key and sign what he likes, or put all of
 * key, head, database and anchor back to an older state together. Nor does it see entries cut after the last anchor when
 * the process was killed between an entry and its anchor. It says who decided by what the frontend knows: there is one user.
 */
export class Audit extends Context.Tag("tollgate/audit/Audit")<
  Audit,
  {
    /** Takes an entry down in order; it is durable soon after. Suspends only while the store is behind. */
    readonly record: (entry: AuditEntry) => Effect.Effect<void>
    /** Returns once the entry is durable; dies where that is impossible, for nothing runs without it. */
    readonly commit: (entry: AuditEntry) => Effect.Effect<void>
    /** All entries, oldest first. */
    readonly entries: Stream.Stream<AuditRow, AuditError>
    /** How the last request ended whose id begins so. */
    readonly resolved: (beginning: string) => Effect.Effect<Option.Option<AuditRow>, AuditError>
    readonly verify: Effect.Effect<Verification, AuditError>
    /** What was ever found to be wrong, as far as that is known without reading all entries. */
    readonly broken: Effect.Effect<Break | undefined, AuditError>
    readonly stats: Effect.Effect<ReadonlyArray<ToolStats>, AuditError>
  }
>() {
  /** In the database; key and anchor are files in `directory`, which is outside every workspace. */
  static readonly layerSql = (directory: string): Layer.Layer<Audit, AuditError, Database> =>
    Layer.scoped(
      Audit,
      Effect.gen(function* () {
        const { anchorAudit, file } = yield* Database
        const anchor = yield* AuditLedger.openAnchor(directory)
        const ledger = yield* AuditLedger.sql(anchor.key)
        const write = (head: Head) => Effect.zipRight(anchor.write(head), anchorAudit(head))
        yield* Effect.flatMap(anchor.read, ({ broken, head }) =>
          broken === undefined ? anchorAudit(head) : Effect.void
        )
        yield* takenIn(spoolOf(file), ledger, write)
        return yield* make(ledger, anchor, write)
      })
    )

  /** Gone with the layer; for tests and for runs that must leave no trace. */
  static readonly layerMemory: Layer.Layer<Audit> = Layer.scoped(
    Audit,
    Effect.flatMap(AuditAnchor.memory, (anchor) => make(AuditLedger.memory(anchor.key), anchor, anchor.write))
  )
}

/** Puts what short processes took down into the chain; what cannot be read of it waits on. */
const takenIn = (
  file: string,
  ledger: AuditLedger.Ledger,
  write: (head: Head) => Effect.Effect<void, AuditError>
): Effect.Effect<void, AuditError> =>
  Effect.suspend(() => {
    if (!isWaiting(file)) return Effect.void
    const append = (entries: ReadonlyArray<Timed>) => Effect.flatMap(ledger.append(entries), write)
    return Effect.zipRight(lockFile(path.join(path.dirname(file), "lock")), takeIn(file, ledger.known, append)).pipe(
      Effect.scoped,
      Effect.asVoid,
      Effect.catchTag("SpoolUnread", ({ message }) => Effect.logWarning(message))
    )
  })

/** Entries that may wait for the store before `record` does. */
const maxPending = 1024
const pageSize = 500
interface Waiting {
  readonly time: number
  readonly entry: AuditEntry
  readonly resume?: (exit: Exit.Exit<void>) => void
}

const make = (
  ledger: AuditLedger.Ledger,
  anchor: AuditAnchor.Anchor,
  write: (head: Head) => Effect.Effect<void, AuditError>
): Effect.Effect<Audit["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const redactor = yield* Redactor
    let pending: Array<Waiting> = []
    const redact = remembering(redactor.text)
    const told = (text: string | null | undefined): string | null =>
      text === undefined || text === null ? null : redact(text)
    const redacted = ({ entry, time }: Waiting): Timed => ({
      time,
      entry: {
        ...entry,
        tool: told(entry.tool),
        decided_by: told(entry.decided_by),
        reason: told(entry.reason),
        arguments:
          entry.arguments === undefined ? null : JSON.stringify(shownArguments(redactor, entry.arguments).value)
      }
    })
    const wake = Effect.unsafeMakeLatch(false)
    const room = Effect.unsafeMakeLatch(true)
    const one = Effect.unsafeMakeSemaphore(1)
    let last: Head | undefined
    /** A chain that is shorter than it was stays so: its head does not move any more. */
    const advance = (head: Head) =>
      Effect.suspend(() => {
        const cut = last !== undefined && head.id <= last.id
        last = head
        const broken = { entry: head.id, reason: "the end was cut while the audit was open" }
        return cut ? anchor.break(broken) : write(head)
      })
    const drain: Effect.Effect<void> = Effect.suspend(() => {
      const batch = pending
      pending = []
      room.unsafeOpen()
      if (batch.length === 0) return Effect.void
      return Effect.suspend(() => ledger.append(batch.map(redacted))).pipe(
        Effect.flatMap(advance),
        Effect.tapError((error) => Effect.logError("The approval audit could not be written", error)),
        Effect.orDie,
        Effect.exit,
        Effect.map((exit) => {
          for (const { resume } of batch) resume?.(exit)
        })
      )
    })
    const flush = Effect.uninterruptible(one.withPermits(1)(drain))
    let closed = false
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Effect.sync(() => {
          closed = true
        }),
        Effect.zipRight(flush, Effect.ignoreLogged(anchor.sync))
      )
    )
    yield* wake.await.pipe(
      Effect.zipRight(Effect.yieldNow()),
      Effect.zipRight(Effect.sync(() => wake.unsafeClose())),
      Effect.zipRight(flush),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )

    const push = (waiting: Waiting): void => {
      pending.push(waiting)
      if (pending.length >= maxPending) room.unsafeClose()
      wake.unsafeOpen()
    }
    const whenRoom = <A>(self: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.suspend(() => (pending.length < maxPending ? self : Effect.zipRight(room.await, whenRoom(self))))
    const record = (entry: AuditEntry) => whenRoom(Effect.map(Clock.currentTimeMillis, (time) => push({ time, entry })))
    const commit = (entry: AuditEntry) =>
      whenRoom(
        Effect.flatMap(Clock.currentTimeMillis, (time) =>
          // After the audit has ended, nothing waits for it: calls decided then do not run.
          closed
            ? Effect.interrupt
            : Effect.async<void>((resume) => push({ time, entry, resume: (exit) => resume(exit) }))
        )
      )

    const stored = Stream.paginateChunkEffect(0, (after) =>
      Effect.map(ledger.page(after, pageSize), (rows) => {
        const last = rows[rows.length - 1]
        return [
          Chunk.unsafeFromArray(rows),
          last === undefined || rows.length < pageSize ? Option.none<number>() : Option.some(last.id)
        ] as const
      })
    )
    const entries = Stream.unwrap(Effect.as(flush, stored))
    return {
      record,
      commit,
      entries,
      resolved: (beginning) => Effect.zipRight(flush, ledger.resolved(beginning)),
      verify: Effect.gen(function* () {
        yield* flush
        const { broken, head } = yield* anchor.read
        const verifier = new Verifier(anchor.key, head)
        yield* Stream.runForEach(stored, (row) => Effect.sync(() => verifier.add(row)))
        const result = verifier.result(broken)
        if (!result.intact) yield* anchor.break({ entry: result.entry, reason: result.reason })
        return result
      }),
      broken: Effect.map(anchor.read, ({ broken }) => broken),
      stats: Effect.suspend(() => {
        const fold = new StatsFold()
        return Effect.map(
          Stream.runForEach(entries, (row) => Effect.sync(() => fold.add(row))),
          () => fold.result()
        )
      })
    }
  })
