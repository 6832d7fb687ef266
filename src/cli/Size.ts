import * as Effect from "effect/Effect"
import { UsageError } from "./Outcome.ts"

const units: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

/** The bytes that `500kB`, `10 MB` or `1GiB` name. */
export const parseSize = (text: string): Effect.Effect<number, UsageError> => {
  const [, count = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?) ?([a-z]*)$/i.exec(text.trim()) ?? []
  const factor = units[unit.toLowerCase().replace("ib", "b")]
  return count === "" || factor === undefined
    ? new UsageError({
        reason: `--larger-than takes a size (500kB, 10MB, 1GB), not ${JSON.stringify(text.slice(0, 80))}`
      })
    : Effect.succeed(Math.round(Number(count) * factor))
}
