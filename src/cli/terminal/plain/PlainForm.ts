import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { rowsOf } from "../approval/approvalRows.ts"
import { Form, type Pick } from "../Form.ts"
import { Interruptions } from "../Interruptions.ts"
import { Screen } from "../Screen.ts"
import { Lines, quoted } from "./Lines.ts"
import { type Reader, readLine } from "./readLine.ts"
import { isYes } from "../../../ui/isYes.ts"

/** Rows of a list; words find the others. */
const most = 20

/** Choices as numbered lines, one of which is typed. */
export const layer: Layer.Layer<Form, never, Screen | Lines | Interruptions> = Layer.effect(
  Form,
  Effect.gen(function* () {
    const screen = yield* Screen
    const { interrupt, isHeard } = yield* Interruptions
    const reader: Reader = {
      lines: yield* Lines,
      screen,
      interrupt: (leave) => (isHeard() ? leave : interrupt)
    }
    return Form.of({
      agree: ({ about = [], question }) =>
        Effect.gen(function* () {
          const rows = rowsOf(about, screen.width() - 1, screen.style).map(({ text }) => `${text}\n`)
          yield* screen.progress(rows.join(""))
          const line = yield* readLine(`${question} y/N: `, reader)
          return Option.exists(line, isYes)
        }),
      press: (keys, said) =>
        Effect.repeat(
          Effect.suspend(() => readLine(`${said()}: `, reader)),
          { until: (line) => Option.match(line, { onNone: () => true, onSome: (text) => keys.includes(text.trim()) }) }
        ).pipe(Effect.map(Option.map((text) => text.trim()))),
      whole: (self) =>
        Effect.flatMap(Deferred.make<void>(), (left) =>
          Effect.raceFirst(Effect.asSome(self), Effect.as(Deferred.await(left), Option.none())).pipe(
            reader.lines.focus(({ _tag }) => {
              const leave = Effect.asVoid(Deferred.succeed(left, undefined))
              return _tag === "Line" ? Effect.void : _tag === "End" ? leave : reader.interrupt(leave)
            })
          )
        ),
      line: ({ before = "", question }) =>
        Effect.map(
          readLine(`${question}${before === "" ? "" : ` (empty for ${before})`} `, reader),
          Option.map((text) => (text.trim() === "" ? before : text))
        ),
      pick: <A>({ filter, items, question }: Pick<A>) =>
        Effect.gen(function* () {
          let found = items
          for (;;) {
            const shown = found.slice(0, most)
            const rows = shown.map(({ row }, index) => `${index + 1}  ${row}\n`)
            const more = found.length > shown.length ? [`   ${found.length - shown.length} more\n`] : []
            yield* screen.progress(`${question === "" ? "" : `${question}\n`}${[...rows, ...more].join("")}`)
            const asked = filter === undefined ? "number: " : "number, or words to filter: "
            const line = yield* readLine(asked, reader)
            const text = Option.getOrElse(line, () => "").trim()
            if (text === "") return Option.none<A>()
            const picked = /^\d+$/.test(text) ? shown[Number(text) - 1] : undefined
            if (picked !== undefined) return Option.some(picked.value)
            const matching = filter?.(text) ?? []
            if (matching.length > 0) found = matching
            else yield* screen.progress(`${quoted(text)} is none of them\n`)
          }
        })
    })
  })
)
