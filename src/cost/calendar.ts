import * as DateTime from "effect/DateTime"

let known = { minute: -1, day: "" }

const padded = (part: number): string => String(part).padStart(2, "0")

/** The day of a time, in epoch milliseconds, on the calendar of this machine: `2026-11-22`. A time zone of `Intl` takes ten times as long to make. */
export const dayOf = (time: number): string => {
  const minute = Math.floor(time / 60_000)
  if (minute !== known.minute) {
    const local = DateTime.toDateUtc(DateTime.unsafeMake(time))
    const day = `${local.getFullYear()}-${padded(local.getMonth() + 1)}-${padded(local.getDate())}`
    known = { minute, day }
  }
  return known.day
}

/** When a day begins, in epoch milliseconds. */
export const beginOf = (day: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const found = DateTime.makeZoned(day, { timeZone: DateTime.zoneMakeLocal(), adjustForTimeZone: true })
  return found._tag === "Some" ? DateTime.toEpochMillis(found.value) : undefined
}
