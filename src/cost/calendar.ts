import * as DateTime from "effect/DateTime"

const zone = DateTime.zoneMakeLocal()

let known = { minute: -1, day: "" }

/** The day of a time, in epoch milliseconds, on the calendar of this machine: `2026-11-22`. */
export const dayOf = (time: number): string => {
  const minute = Math.floor(time / 60_000)
  if (minute !== known.minute) {
    known = { minute, day: DateTime.formatIsoDate(DateTime.unsafeMakeZoned(time, { timeZone: zone })) }
  }
  return known.day
}

/** When a day begins, in epoch milliseconds. */
export const beginOf = (day: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const found = DateTime.makeZoned(day, { timeZone: zone, adjustForTimeZone: true })
  return found._tag === "Some" ? DateTime.toEpochMillis(found.value) : undefined
}
