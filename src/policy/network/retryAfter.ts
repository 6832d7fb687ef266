import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

/**
 * The server's own word on when to come again, in milliseconds from `now`: `retry-after-ms`, or seconds or a date in
 * `retry-after` (RFC 9110, 10.2.3).
 */
export const retryAfterMillis = (
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  now: number
): number | undefined => {
  const value = (name: string) => [headers[name] ?? ""].flat()[0]?.trim() ?? ""
  const millis = value("retry-after-ms")
  if (millis !== "" && Number.isFinite(Number(millis))) return Math.max(0, Number(millis))
  const after = value("retry-after")
  if (after === "") return undefined
  if (Number.isFinite(Number(after))) return Math.max(0, Number(after) * 1000)
  return Option.match(DateTime.make(after.replace(/ GMT$/, "")), {
    onNone: () => undefined,
    onSome: (date) => Math.max(0, DateTime.toEpochMillis(date) - now)
  })
}
