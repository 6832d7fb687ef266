import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { Ids } from "./Ids.ts"
import * as Latest from "./Latest.ts"
import type { NoticeLevel } from "./ToolEvent.ts"

/** What a frontend offers to do about a notice; `command` is its to interpret, e.g. `/approvals`. */
export interface NoticeAction {
  readonly label: string
  readonly command: string
}

export interface NewNotice {
  readonly level: NoticeLevel
  readonly title: string
  readonly message: string
  /** How long it stays; 0 until dismissed. Default: 5 seconds, 10 for a warning or an error. */
  readonly duration?: Duration.DurationInput
  readonly action?: NoticeAction
}

export interface Notice {
  readonly id: string
  readonly level: NoticeLevel
  readonly title: string
  readonly message: string
  readonly durationMillis: number
  readonly action?: NoticeAction
  /** Epoch milliseconds. */
  readonly createdAt: number
}

const lasting = ({ duration, level }: NewNotice): number =>
  duration === undefined ? (level === "warning" || level === "error" ? 10_000 : 5_000) : Duration.toMillis(duration)

/** Notices in passing: a bounded list from which each goes when its time is over, it is dismissed or newer ones come. */
export class Notifications extends Context.Tag("tollgate/tool/Notifications")<
  Notifications,
  {
    /** Gives the id to dismiss it by. */
    readonly show: (notice: NewNotice) => Effect.Effect<string>
    /** False where it had gone already. */
    readonly dismiss: (id: string) => Effect.Effect<boolean>
    readonly current: Effect.Effect<ReadonlyArray<Notice>>
    /** The list as it is, then as it changes. */
    readonly changes: Stream.Stream<ReadonlyArray<Notice>>
  }
>() {
  static readonly layer = (options: { readonly capacity?: number } = {}): Layer.Layer<Notifications> =>
    Layer.scoped(
      Notifications,
      Effect.gen(function* () {
        const ids = yield* Ids
        const timers = yield* FiberMap.make<string>()
        const capacity = Math.max(1, options.capacity ?? 32)
        const list = Latest.make<ReadonlyArray<Notice>>([])

        const drop = (id: string) =>
          Effect.sync(() => {
            const left = list.get().filter((notice) => notice.id !== id)
            const found = left.length < list.get().length
            if (found) list.set(left)
            return found
          })
        const show = Effect.fn("Notifications.show")(function* (notice: NewNotice) {
          const id = yield* ids.next("notice")
          const createdAt = yield* Clock.currentTimeMillis
          const durationMillis = lasting(notice)
          const { action, level, message, title } = notice
          const all = [
            ...list.get(),
            { id, level, title, message, durationMillis, createdAt, ...(action === undefined ? {} : { action }) }
          ]
          const gone = all.slice(0, Math.max(0, all.length - capacity))
          list.set(all.slice(gone.length))
          yield* Effect.forEach(gone, (old) => FiberMap.remove(timers, old.id), { discard: true })
          if (durationMillis > 0)
            yield* FiberMap.run(timers, id, Effect.zipRight(Effect.sleep(durationMillis), drop(id)))
          return id
        })
        return {
          show,
          dismiss: Effect.fn("Notifications.dismiss")((id: string) =>
            Effect.zipLeft(drop(id), FiberMap.remove(timers, id))
          ),
          current: Effect.sync(list.get),
          changes: list.changes
        }
      })
    )
}
