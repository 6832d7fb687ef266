import * as DateTime from "effect/DateTime"

/** A time as ISO 8601 has it, in UTC. */
export const isoTime = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))
