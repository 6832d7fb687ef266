import * as DateTime from "effect/DateTime"

/** A time in epoch milliseconds as `2026-11-22T08:30:00Z`, to the second. */
export const isoTime = (millis: number): string =>
  DateTime.formatIso(DateTime.unsafeMake(millis)).replace(/\.\d+Z$/, "Z")
