import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Something is wrong with the text of a file that is imported. */
export class ImportProblem extends Schema.TaggedError<ImportProblem>()("ImportProblem", {
  /** In a sentence without its end. */
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

/** Refuses what is read; for readers, which are called by `reading`. */
export const refuse = (problem: string): never => {
  throw new ImportProblem({ problem })
}

export const isProblem = Schema.is(ImportProblem)

/** Runs a step of a reader. */
export const reading = <A>(step: () => A): Effect.Effect<A, ImportProblem> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(step())
    } catch (error) {
      return isProblem(error) ? Effect.fail(error) : Effect.die(error)
    }
  })

/** The file could not be imported; nothing was. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.file}: ${this.problem}. Nothing was imported.`
  }
}
