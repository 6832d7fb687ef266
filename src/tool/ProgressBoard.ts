import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Ids } from "./Ids.ts"
import * as Latest from "./Latest.ts"

export type ProgressKind = "indeterminate" | "determinate" | "steps"

/** Something that is under way. */
export interface Running {
  readonly id: string
  readonly label: string
  readonly kind: ProgressKind
  readonly current: number
  /** Unset if unknown. */
  readonly total?: number
  readonly cancellable: boolean
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly updatedAt: number
}

export interface NewProgress {
  /** Default: a fresh id; an id in use replaces its entry. */
  readonly id?: string
  readonly label: string
  /** Default: `determinate` with a total, `indeterminate` without. */
  readonly kind?: ProgressKind
  readonly total?: number
  /** What it takes to stop it. */
  readonly cancel?: Effect.Effect<unknown>
}

export interface ProgressUpdate {
  readonly label?: string
  readonly current?: number
  readonly total?: number
}

/** The share that is done, from 0 to 1, where it is known. */
export const fraction = ({ current, total }: Running): number | undefined =>
  total === undefined || total <= 0 ? undefined : Math.min(1, Math.max(0, current / total))

/** Everything in progress now: calls, agent steps, anything that starts and ends. */
export class ProgressBoard extends Context.Tag("tollgate/tool/ProgressBoard")<
  ProgressBoard,
  {
    readonly start: (progress: NewProgress) => Effect.Effect<string>
    /** Nothing where it is done already. A total makes an indeterminate one determinate. */
    readonly update: (id: string, update: ProgressUpdate) => Effect.Effect<void>
    readonly done: (id: string) => Effect.Effect<void>
    /** False where it is done already or cannot be cancelled. */
    readonly cancel: (id: string) => Effect.Effect<boolean>
    readonly active: Effect.Effect<ReadonlyArray<Running>>
    /** What is under way, then as it changes. */
    readonly changes: Stream.Stream<ReadonlyArray<Running>>
  }
>() {
  /** Beyond the capacity what starts is not shown. */
  static readonly layer = (options: { readonly capacity?: number } = {}): Layer.Layer<ProgressBoard> =>
    Layer.effect(
      ProgressBoard,
      Effect.map(Ids, (ids) => make(ids, Math.max(1, options.capacity ?? 256)))
    )
}

const kindOf = ({ kind, total }: NewProgress): ProgressKind =>
  kind ?? (total === undefined ? "indeterminate" : "determinate")

/** What is shown of something, and what it takes to stop it. */
interface Entry {
  readonly shown: Running
  readonly cancel: Effect.Effect<unknown> | undefined
}

const make = (ids: Ids["Type"], capacity: number): ProgressBoard["Type"] => {
  const running = new Map<string, Entry>()
  const moves = Latest.make(0)
  const moved = () => moves.set(moves.get() + 1)
  const list = () => [...running.values()].map(({ shown }) => shown)

  const begin = (id: string, progress: NewProgress) =>
    Effect.clockWith((clock) => {
      if (running.size >= capacity && !running.has(id)) return Effect.succeed(id)
      const now = clock.unsafeCurrentTimeMillis()
      const { cancel, label, total } = progress
      running.set(id, {
        cancel,
        shown: {
          id,
          label,
          kind: kindOf(progress),
          current: 0,
          ...(total === undefined ? {} : { total }),
          cancellable: cancel !== undefined,
          startedAt: now,
          updatedAt: now
        }
      })
      moved()
      return Effect.succeed(id)
    })
  return {
    start: (progress) =>
      progress.id === undefined
        ? Effect.flatMap(ids.next("progress"), (id) => begin(id, progress))
        : begin(progress.id, progress),
    update: (id, { current, label, total }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const known = running.get(id)
        if (known === undefined) return
        const { cancel, shown } = known
        running.set(id, {
          cancel,
          shown: {
            ...shown,
            ...(label === undefined ? {} : { label }),
            ...(current === undefined ? {} : { current }),
            ...(total === undefined ? {} : { total }),
            kind: shown.kind === "indeterminate" && total !== undefined ? "determinate" : shown.kind,
            updatedAt: now
          }
        })
        moved()
      }),
    done: (id) =>
      Effect.sync(() => {
        if (running.delete(id)) moved()
      }),
    cancel: (id) =>
      Effect.suspend(() => {
        const cancel = running.get(id)?.cancel
        return cancel === undefined ? Effect.succeed(false) : Effect.as(cancel, true)
      }),
    active: Effect.sync(list),
    changes: Stream.map(moves.changes, list)
  }
}
