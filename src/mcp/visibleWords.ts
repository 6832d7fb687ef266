import { makeVisible } from "../text/visible.ts"

/** What of a definition is there to be read alone; everything else is compared with parameters, or names them. */
const isRead = (key: string): boolean => key === "title" || key === "description"

/** A schema, or the annotations of a tool, whose titles and descriptions hide nothing. */
export const visibleWords = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(visibleWords) as A
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: readonly [string, unknown]) => [
      key,
      typeof one === "string" && isRead(key) ? makeVisible(one) : visibleWords(one)
    ])
  ) as A
}
