import * as Either from "effect/Either"
import { parseJson } from "../text/Json.ts"
import { keepingActing, maskRuns } from "./Acting.ts"
import type { ExactValues } from "./ExactValues.ts"
import { mark } from "./Mark.ts"
import { redactJsonWith } from "./RedactJson.ts"
import { Scanner } from "./Scanner.ts"

/** Redacts what runs or has run: no mark stands for a character that acts or a line break, and none is shown of a secret. */
export interface Deeds {
  /** A text; one that is JSON is redacted as such, for nothing runs as JSON. */
  readonly deed: (text: string) => string
  /** A value whose texts have names. */
  readonly deedJson: (value: unknown) => unknown
}

const isJson = (text: string): boolean => /^\s*[[{]/.test(text) && Either.isRight(parseJson(text))

/** `plain` redacts what does not run. */
export const make = (exact: ExactValues, plain: (text: string) => string): Deeds => {
  const deed = (text: string): string => {
    const told = plain(text)
    if (told === text || isJson(text)) return told
    const known = exact.isEmpty ? text : exact.replaceWith(text, (value) => maskRuns("secret", value))
    return new Scanner(0, keepingActing()).whole(known)
  }
  const secret = (kind: string, value: unknown) => (typeof value === "string" ? maskRuns(kind, value) : mark(kind))
  return { deed, deedJson: (value) => redactJsonWith(deed, value, { secret }) }
}
