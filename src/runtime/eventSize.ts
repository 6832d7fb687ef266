import type { Envelope } from "./Envelope.ts"

/** Levels that the long texts of an event are found in. */
const depth = 6

const sizeOf = (value: unknown, left: number): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null || left === 0) return 0
  let size = 0
  for (const key in value) size += sizeOf((value as Readonly<Record<string, unknown>>)[key], left - 1)
  return size
}

/** Characters of the texts of an event, about. */
export const eventSize = ({ event }: Envelope): number => sizeOf(event, depth)
