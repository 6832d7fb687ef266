import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { describe, type Rule } from "../approval/Rule.ts"
import { RuleBook } from "../approval/RuleBook.ts"
import { RuleStore, type RuleStoreFailed } from "../approval/RuleStore.ts"
import { Configuration } from "../config/Configuration.ts"
import type { Trust } from "../config/Trust.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { makeVisible } from "../text/visible.ts"
import { projectConfig } from "./ProjectConfig.ts"

/** A rule and where it is from. */
export interface KnownRule {
  readonly rule: Rule
  /** The file that it is written in. */
  readonly source: string
  /** Somebody answered `always`; it can be revoked. */
  readonly saved: boolean
  /** Why it does not count, where it does not. */
  readonly ignored: string | undefined
}

/** Where relative path patterns start. */
export const workspace = (): string => process.cwd()

const ignoredFor = (rule: Rule, trusted: boolean): string | undefined =>
  rule.level === "project" && !trusted
    ? "the project is not trusted"
    : Either.match(RuleBook.make([rule], { root: workspace(), trusted }), {
        onLeft: ({ message }) => message,
        onRight: () => undefined
      })

/** Every rule of the project of the working directory: of the user, of its own file, and saved. */
export const all: Effect.Effect<
  ReadonlyArray<KnownRule>,
  RuleStoreFailed | DatabaseError,
  Configuration | RuleStore | Trust
> = Effect.gen(function* () {
  const { home, settings } = yield* Configuration
  const { file, project, trusted } = yield* projectConfig
  const saved = yield* (yield* RuleStore).list(project)
  const known =
    (source: string, saved: boolean) =>
    (rule: Rule): KnownRule => ({ rule, source, saved, ignored: ignoredFor(rule, trusted) })
  const brought = Option.match(file, {
    onNone: () => [],
    onSome: ({ file, settings }) =>
      (Option.getOrUndefined(Either.getRight(settings))?.approvals?.rules ?? []).map(known(file, false))
  })
  return [
    ...(settings.approvals?.rules ?? []).map(known(home.config, false)),
    ...brought,
    ...saved.map(known(home.database, true))
  ]
})

/** Text from a file on one line that shows all it holds. */
export const oneLine = (text: string): string => makeVisible(text.replaceAll(/\s+/gu, " "))

/** A rule as a person would say it, and why it does not count. */
export const said = ({ ignored, rule }: KnownRule): string =>
  oneLine(`${describe(rule)}${ignored === undefined ? "" : ` – does not count: ${ignored}`}`)

/** The beginning of an id that was made at random; any unique beginning names it. */
export const shortId = ({ rule: { id } }: KnownRule): string =>
  oneLine(id.replace(/^(rule_[0-9a-f]{8})[0-9a-f]+$/, "$1"))

/** A rule as one line of JSON. */
export const record = (known: KnownRule): string =>
  `${JSON.stringify({
    kind: "rule",
    ...known.rule,
    description: describe(known.rule),
    source: known.source,
    saved: known.saved,
    ...(known.ignored === undefined ? {} : { ignored: known.ignored })
  })}\n`
