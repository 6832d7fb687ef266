import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { effectFrom } from "./effectOf.ts"
import { catchOwnCrash } from "./endOf.ts"

/** Code of the user that `what` names has crashed, and nothing can take the place of what it would give; a defect. */
export class PartCrashed extends Data.TaggedError("PartCrashed")<{ readonly what: string; readonly cause: unknown }> {
  override get message() {
    return `the code that ${this.what} crashed`
  }
}

/** What a function of the user gives; where it throws, it is known of what. */
export const ofPart = <A>(what: string, ask: () => A): A => {
  try {
    return ask()
  } catch (cause) {
    throw new PartCrashed({ what, cause })
  }
}

/** The same for an effect of the user. */
export const ofPartEffect = <A, E, R>(what: string, ask: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  catchOwnCrash(effectFrom("it", ask), (cause) => Effect.die(new PartCrashed({ what, cause })))

/** Whose crash it is, for a person: that of code of the user, or of Tollgate. */
export const blameOf = (cause: Cause.Cause<unknown>): string =>
  Option.match(
    Chunk.findFirst(Cause.defects(cause), (defect) => defect instanceof PartCrashed),
    {
      onNone: () => "This is a bug in Tollgate",
      onSome: ({ what }) => `The code that ${what} crashed`
    }
  )
