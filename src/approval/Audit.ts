import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Database } from "../database/Database.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { remembering } from "../redaction/remembering.ts"
import * as AuditAnchor from "./AuditAnchor.ts"
import { type Head, rowOf, start, type Verification, Verifier } from "./AuditChain.ts"
import type { AuditEntry, AuditRow } from "./AuditEntry.ts"
import { StatsFold, type ToolStats } from "./AuditStats.ts"
import type { Ledger, Timed } from "./Ledger.ts"
import { shownArguments } from "./rendering/Arguments.ts"
import * as SqlAudit from "./SqlAudit.ts"

export type AuditError = DatabaseError | AuditAnchor.AuditAnchorFailed

/**
 * Every request and decision, in a chain that is only appended to: each entry is signed together with the one before it,
 * and the last one is anchored in a file beside the key, outside the workspace (A10).
 *
 * It shows whoever verifies it an entry that was changed, inserted, removed or cut from the end, by a tool, by another
 * program or by hand, as long as he did not have the key. It does not protect against someone who can read the key or run
 * code as the user who runs Tollgate, nor does it see entries cut after the last anchor when the process was killed between
 * an entry and its anchor. It says who decided by what the frontend knows: there is one user.
 */
export class Audit extends Context.Tag("tollgate/approval/Audit")<
  Audit,
  {
    /** Takes an entry down in order; it is durable soon after. Suspends only while the store is behind. */
    readonly record: (entry: AuditEntry) => Effect.Effect<void>
    /** Returns once the entry is durable; dies where that is impossible, for nothing runs without it. */
    readonly commit: (entry: AuditEntry) => Effect.Effect<void>
    /** All entries, oldest first. */
    readonly entries: Stream.Stream<AuditRow, AuditError>
    readonly verify: Effect.Effect<Verification, AuditError>
    readonly stats: Effect.Effect<ReadonlyArray<ToolStats>, AuditError>
  }
>() {
  /** In the database; key and anchor are files in `directory`, which is outside every workspace. */
  static readonly layerSql = (directory: string): Layer.Layer<Audit, AuditError, Database> =>
    Layer.scoped(
      Audit,
      Effect.flatMap(AuditAnchor.open(directory), (anchor) =>
        Effect.flatMap(SqlAudit.make(anchor.key), (ledger) => make(ledger, anchor))
      )
    )

  /** Gone with the layer; for tests and for runs that must leave no trace. */
  static readonly layerMemory: Layer.Layer<Audit> = Layer.scoped(
    Audit,
    Effect.flatMap(AuditAnchor.memory, (anchor) => make(memoryLedger(anchor.key), anchor))
  )
}

/** Entries that may wait for the store before `record` does. */
const maxPending = 1024
const pageSize = 500
/** Entries that the memory keeps. */
const maxMemory = 100_000

const memoryLedger = (key: Uint8Array): Ledger => {
  const rows: Array<AuditRow> = []
  return {
    append: (entries) =>
      Effect.sync(() => {
        for (const entry of entries) {
          if (rows.length < maxMemory) rows.push(rowOf(key, rows[rows.length - 1] ?? start, entry))
        }
        return rows[rows.length - 1] ?? start
      }),
    page: (after, limit) => Effect.sync(() => rows.slice(after, after + limit))
  }
}

interface Waiting {
  readonly time: number
  readonly entry: AuditEntry
  readonly resume?: (exit: Exit.Exit<void>) => void
}

const make = (ledger: Ledger, anchor: AuditAnchor.Anchor): Effect.Effect<Audit["Type"], never, Scope.Scope> =>
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
    /** An anchor that the chain has lost stays where it is, so that every verification shows the loss. */
    let last: Head | undefined
    let checked = false
    let lost = false
    const genuine = Effect.suspend(() =>
      checked
        ? Effect.void
        : Effect.flatMap(anchor.read, (known) => {
            checked = true
            last = known
            return known === undefined
              ? Effect.void
              : Effect.flatMap(ledger.page(known.id - 1, 1), ([row]) => {
                  lost = row?.hash !== known.hash
                  return lost
                    ? Effect.logError("The approval audit does not lead to its anchor; verify it.")
                    : Effect.void
                })
          })
    )
    const advance = (head: Head) =>
      Effect.suspend(() => {
        lost ||= last !== undefined && head.id <= last.id
        if (lost) return Effect.void
        last = head
        return anchor.write(head)
      })
    const drain: Effect.Effect<void> = Effect.suspend(() => {
      const batch = pending
      pending = []
      room.unsafeOpen()
      if (batch.length === 0) return Effect.void
      return genuine.pipe(
        Effect.zipRight(Effect.suspend(() => ledger.append(batch.map(redacted)))),
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
    yield* Effect.addFinalizer(() => flush)
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
          Effect.async<void>((resume) => push({ time, entry, resume: (exit) => resume(exit) }))
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
      verify: Effect.gen(function* () {
        yield* flush
        const verifier = new Verifier(anchor.key, yield* anchor.read)
        yield* Stream.runForEach(stored, (row) => Effect.sync(() => verifier.add(row)))
        return verifier.result()
      }),
      stats: Effect.suspend(() => {
        const fold = new StatsFold()
        return Effect.map(
          Stream.runForEach(entries, (row) => Effect.sync(() => fold.add(row))),
          () => fold.result()
        )
      })
    }
  })
