import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "../../config/Configuration.ts"

/** Whether the terminal gets lines alone: it cannot do more, or the user wants no more. */
export const isPlain: Effect.Effect<boolean> = Effect.gen(function* () {
  if (Option.contains(yield* Effect.option(Config.string("TERM")), "dumb")) return true
  const configuration = yield* Effect.serviceOption(Configuration)
  if (Option.isSome(configuration)) return configuration.value.settings.screenReader === true
  return Option.contains(yield* Effect.option(Config.string("TOLLGATE_SCREEN_READER")), "true")
})
