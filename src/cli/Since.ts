import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageError } from "./Outcome.ts"

const units: Readonly<Record<string, string>> = { m: "minutes", h: "hours", d: "days", w: "weeks" }

/** The time that `7d`, `12 hours` or `2026-11-20` names as the value of an option, in epoch milliseconds. */
export const parseSince = (text: string, option = "--since"): Effect.Effect<number, UsageError> =>
  Effect.gen(function* () {
    const [, count, unit = ""] = /^(\d{1,9}) ?([mhdw])$/.exec(text.trim()) ?? []
    const ago = Duration.decodeUnknown(count === undefined ? text.trim() : `${count} ${units[unit]}`)
    if (Option.isSome(ago)) return (yield* Clock.currentTimeMillis) - Duration.toMillis(ago.value)
    const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? DateTime.make(text) : Option.none()
    if (Option.isSome(date)) return DateTime.toEpochMillis(date.value)
    return yield* new UsageError({
      reason: `${option} takes how long ago (7d, 12 hours) or a date (2026-11-20), not ${JSON.stringify(text.slice(0, 80))}`
    })
  })
