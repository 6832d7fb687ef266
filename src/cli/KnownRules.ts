import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { describe, type Rule } from "../approval/Rule.ts"
import { RuleBook } from "../approval/RuleBook.ts"
import { RuleStore, type RuleStoreFailed } from "../approval/RuleStore.ts"
import { Configuration } from "../config/Configuration.ts"
import { makeVisible } from "../redaction/visible.ts"
import { project } from "./Project.ts"

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

/** The saved rules of the user. */
export const store: Layer.Layer<RuleStore, never, Configuration> = Layer.unwrapEffect(
  Effect.map(Configuration, ({ home }) => RuleStore.layerFile(home.rules))
)

/** Where relative path patterns start. */
export const workspace = (): string => process.cwd()

const ignoredFor = (rule: Rule): string | undefined =>
  rule.level === "project"
    ? "the project is not trusted"
    : Either.match(RuleBook.make([rule], { root: workspace(), trusted: false }), {
        onLeft: ({ message }) => message,
        onRight: () => undefined
      })

/** Every rule of the project of the working directory, the configured ones first. */
export const all: Effect.Effect<ReadonlyArray<KnownRule>, RuleStoreFailed, Configuration | RuleStore> = Effect.gen(
  function* () {
    const { home, settings } = yield* Configuration
    const saved = yield* (yield* RuleStore).list(yield* project)
    const known =
      (source: string, saved: boolean) =>
      (rule: Rule): KnownRule => ({ rule, source, saved, ignored: ignoredFor(rule) })
    return [...(settings.approvals?.rules ?? []).map(known(home.config, false)), ...saved.map(known(home.rules, true))]
  }
)

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
    ...known.rule,
    description: describe(known.rule),
    source: known.source,
    saved: known.saved,
    ...(known.ignored === undefined ? {} : { ignored: known.ignored })
  })}\n`
