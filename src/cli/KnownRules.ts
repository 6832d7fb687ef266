import * as Effect from "effect/Effect"
import { describe } from "../approval/Rule.ts"
import { type KnownRule, knownRules } from "../host/KnownRules.ts"
import { oneLine } from "../text/visible.ts"
import { place } from "./here.ts"

export type { KnownRule } from "../host/KnownRules.ts"

/** Every rule that a session begun here knows. */
export const all = Effect.flatMap(place, knownRules)

/** A rule as a person would say it, and why it does not count. */
export const said = ({ ignored, rule }: KnownRule): string =>
  oneLine(`${describe(rule)}${ignored === undefined ? "" : ` – ignored: ${ignored}`}`)

/** The beginning of an id that was made at random; any unique beginning names it. */
export const shortId = ({ rule: { id } }: KnownRule): string =>
  oneLine(id.replace(/^(rule_[0-9a-f]{8})[0-9a-f]+$/, "$1"))

/** A rule for programs. */
export const fields = (known: KnownRule) => ({
  kind: "rule",
  ...known.rule,
  description: describe(known.rule),
  source: known.source,
  saved: known.saved,
  ...(known.ignored === undefined ? {} : { ignored: known.ignored })
})

/** A rule as one line of JSON. */
export const record = (known: KnownRule): string => JSON.stringify(fields(known))
