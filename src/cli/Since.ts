import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { beginOf } from "../cost/calendar.ts"
import { UsageError } from "./Outcome.ts"

const units: Readonly<Record<string, string>> = { m: "minutes", h: "hours", d: "days", w: "weeks" }

/** The milliseconds of a time span: `7d`, `12h` or `12 hours`. */
export const spanOf = (text: string): Option.Option<number> => {
  const [, count, unit = ""] = /^(\d{1,9}) ?([mhdw])$/.exec(text.trim()) ?? []
  return Option.map(
    Duration.decodeUnknown(count === undefined ? text.trim() : `${count} ${units[unit]}`),
    Duration.toMillis
  )
}

const timeOf = (text: string): number | undefined =>
  beginOf(text) ??
  (/^\d{4}-\d{2}-\d{2}/.test(text)
    ? Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))
    : undefined)

/** The time that `7d`, `12 hours` or `2026-11-20` (its begin here) names as the value of an option, in epoch milliseconds. */
export const parseSince = (text: string, option = "--since"): Effect.Effect<number, UsageError> =>
  Effect.gen(function* () {
    const ago = spanOf(text)
    if (Option.isSome(ago)) return (yield* Clock.currentTimeMillis) - ago.value
    const time = timeOf(text)
    if (time !== undefined) return time
    return yield* new UsageError({
      reason: `${option} takes how long ago (7d, 12 hours) or a date (2026-11-20), not ${JSON.stringify(text.slice(0, 80))}`
    })
  })
