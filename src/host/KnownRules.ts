import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Rule } from "../approval/Rule.ts"
import { RuleBook } from "../approval/RuleBook.ts"
import { RuleStore, type RuleStoreFailed } from "../approval/RuleStore.ts"
import { Configuration } from "../config/Configuration.ts"
import type { Trust } from "../config/Trust.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import type { Place } from "../runtime/Projects.ts"
import * as ProjectConfig from "./ProjectConfig.ts"
import { rooted } from "./rootedRule.ts"

/** A rule and where it is from. */
export interface KnownRule {
  readonly rule: Rule
  /** The file that it is written in. */
  readonly source: string
  /** Saved by answering `always`; it can be revoked. */
  readonly saved: boolean
  /** Why it does not count, where it does not. */
  readonly ignored: string | undefined
}

const ignoredFor = (rule: Rule, { root, trusted }: { readonly root: string; readonly trusted: boolean }) =>
  rule.level === "project" && !trusted
    ? "the project is not trusted"
    : Either.match(RuleBook.make([rule], { root, trusted }), {
        onLeft: ({ message }) => message,
        onRight: () => undefined
      })

/** Every rule of a project: of the user, of its own file, and saved. */
export const knownRules = (
  place: Place
): Effect.Effect<ReadonlyArray<KnownRule>, RuleStoreFailed | DatabaseError, Configuration | RuleStore | Trust> =>
  Effect.gen(function* () {
    const { directory: root, project } = place
    const { home, settings } = yield* Configuration
    const { file, trusted } = yield* ProjectConfig.read(project)
    const saved = yield* (yield* RuleStore).list(project)
    const known =
      (source: string, saved: boolean) =>
      (written: Rule): KnownRule => {
        const rule = saved ? written : rooted(place)(written)
        return { rule, source, saved, ignored: ignoredFor(rule, { root, trusted }) }
      }
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
