import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { PatternRejected, Rule } from "./Rule.ts"
import { RuleBook } from "./RuleBook.ts"
import type { RuleStore, RuleStoreFailed } from "./RuleStore.ts"

export interface RuleOptions {
  /** The user's own, and those of a project that is trusted. */
  readonly rules: ReadonlyArray<Rule>
  readonly trusted: boolean
  /** Where relative path patterns start. */
  readonly root: string
}

/** The rules that count in each project: the configured ones and what was answered with `always` there. */
export interface Books {
  /** What is known already; absent where it has to be loaded first. */
  readonly peek: (project: string) => RuleBook | undefined
  readonly get: (project: string) => Effect.Effect<RuleBook>
  /** Reads the saved rules again, e.g. after another process has revoked one. */
  readonly reload: (project: string) => Effect.Effect<void>
  readonly saved: (project: string) => Effect.Effect<ReadonlyArray<Rule>, RuleStoreFailed>
  readonly save: (project: string, rule: Rule) => Effect.Effect<void, RuleStoreFailed>
  readonly remove: (project: string, id: string) => Effect.Effect<boolean, RuleStoreFailed>
}

/** Fails where a configured rule is not usable; a saved one that is not is left out. */
export const make = (options: RuleOptions, store: RuleStore["Type"]): Effect.Effect<Books, PatternRejected> =>
  Effect.gen(function* () {
    const { root, trusted } = options
    const configured = yield* RuleBook.make(options.rules, { root, trusted })
    const books = new Map<string, RuleBook>()
    const withSaved = (saved: ReadonlyArray<Rule>): RuleBook => {
      const usable = saved.filter((rule) => Either.isRight(RuleBook.make([rule], { root, trusted })))
      return usable.length === 0
        ? configured
        : Either.getOrElse(RuleBook.make([...options.rules, ...usable], { root, trusted }), () => configured)
    }
    const load = (project: string) =>
      store.list(project).pipe(
        Effect.tapError((error) => Effect.logWarning(error.message)),
        Effect.orElseSucceed((): ReadonlyArray<Rule> => []),
        Effect.map((saved) => {
          const book = withSaved(saved)
          books.set(project, book)
          return book
        })
      )
    const reload = (project: string) => Effect.asVoid(load(project))
    return {
      peek: (project) => books.get(project),
      get: (project) =>
        Effect.suspend(() => {
          const book = books.get(project)
          return book === undefined ? load(project) : Effect.succeed(book)
        }),
      reload,
      saved: store.list,
      save: (project, rule) => Effect.zipRight(store.save(project, rule), reload(project)),
      remove: (project, id) => Effect.zipLeft(store.remove(project, id), reload(project))
    }
  })
