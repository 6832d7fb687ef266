import * as Effect from "effect/Effect"
import { Configuration } from "../../config/Configuration.ts"
import * as Frontend from "../Frontend.ts"
import { flagsOf } from "../flags.ts"
import { UsageError } from "../Outcome.ts"
import { Screen } from "../terminal/Screen.ts"
import * as Option from "effect/Option"
import { setUp } from "./setUp.ts"

/** Sets a model up, also where others are. */
export const configure = (options: { readonly screenReader: boolean }) =>
  Effect.gen(function* () {
    const { interactive } = yield* Screen
    if (!interactive) {
      return yield* new UsageError({
        reason: "tollgate configure asks in a terminal, and there is none. See tollgate config set --help."
      })
    }
    yield* setUp
  }).pipe(
    Effect.provide(Frontend.layer({ split: false, keys: true })),
    Effect.provide(Configuration.layer(flagsOf({ ...options, profile: Option.none() })))
  )
