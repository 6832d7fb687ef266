import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { Line } from "../../approval/rendering/Line.ts"
import { many } from "../../ui/Words.ts"
import { rowsOf } from "./approval/approvalRows.ts"
import { isCtrl, isEnter, isEscape, type Key } from "./Key.ts"
import { Keyboard } from "./Keyboard.ts"
import { fit } from "./Layout.ts"
import { showPages } from "./pages.ts"
import { alone, isQuiet, pausing, settling, untilQuiet } from "./quiet.ts"
import type { Region } from "./Region.ts"
import { Screen } from "./Screen.ts"

export interface Agree {
  readonly question: string
  /** What it is about, shown above the question, in pages where it does not fit. */
  readonly about?: ReadonlyArray<Line>
}

/** Keys that wait while one is handled; more only show that a person types. */
const keyLimit = 16

interface Parts {
  readonly screen: Screen["Type"]
  readonly region: Region["Type"]
  readonly keyboard: Keyboard["Type"]
  /** What Ctrl-C does, which may be to leave the question. */
  readonly interrupted: (leave: Effect.Effect<void>) => Effect.Effect<void>
}

/** Asks for a `y` that stands alone; Enter and leaving say no, and what is typed as part of something longer says neither. */
export const agreement = ({ interrupted, keyboard, region, screen }: Parts) => {
  const { style, width } = screen
  const paging = Context.make(Screen, screen).pipe(Context.add(Keyboard, keyboard))
  return ({ about = [], question }: Agree): Effect.Effect<boolean> =>
    region.lend((show) =>
      Effect.gen(function* () {
        const keys = yield* Queue.sliding<Key>(keyLimit)
        const left = yield* Deferred.make<boolean>()
        let said: "nothing" | "the keys" | "to pause" = "nothing"
        let isCut = false
        const keysText = () =>
          said === "nothing"
            ? ""
            : said === "to pause"
              ? "y or n · pause for a second to be asked again"
              : `y yes · n no${isCut ? " · d shows all" : ""}`
        const draw = show(() => {
          const rows = rowsOf(about, width() - 1, style).map(({ text }) => text)
          // Below them stand the question, its keys and the cursor.
          const room = Math.max(1, region.height() - 3)
          isCut = rows.length > room
          const shown = isCut ? rows.slice(0, room - 1) : rows
          const more = isCut ? [style.yellow(`… ${many(rows.length - shown.length, "more row")}: d shows all`)] : []
          const above = [...shown, ...more, style.bold(fit(question, width() - 1))]
          return { above, text: style.dim(fit(keysText(), width() - 1)), tall: true }
        })
        const isAlone = Effect.gen(function* () {
          const next = yield* Effect.timeoutOption(Queue.take(keys), alone)
          return Option.isNone(next) || (isEnter(next.value) && (yield* isQuiet(keys, alone)))
        })
        const turn = Effect.gen(function* (): Effect.fn.Return<boolean | undefined> {
          said = "the keys"
          yield* draw
          const key = yield* Queue.take(keys)
          if (isEnter(key)) return false
          const input = Option.getOrElse(key.input, () => "").toLowerCase()
          if (input === "d" && isCut) {
            return void (yield* Effect.provide(showPages({ lines: about, counted: 0 }), paging))
          }
          if ((input === "y" || input === "n") && (yield* isAlone)) return input === "y"
          said = "to pause"
          yield* draw
          return void (yield* untilQuiet(keys, pausing))
        })
        const answered = Effect.gen(function* () {
          yield* draw
          yield* untilQuiet(keys, settling)
          return yield* Effect.repeat(turn, { until: (given): given is boolean => given !== undefined })
        })
        return yield* Effect.raceFirst(answered, Deferred.await(left)).pipe(
          keyboard.focus((key) => {
            const leave = Effect.asVoid(Deferred.succeed(left, false))
            if (isCtrl(key, "c")) return interrupted(leave)
            if (isEscape(key) || isCtrl(key, "d")) return leave
            // What is pasted was written for something else.
            return key.key.name === "paste" ? Effect.void : Effect.asVoid(Queue.offer(keys, key))
          })
        )
      })
    )
}
