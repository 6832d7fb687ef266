import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration, inspect } from "../../config/Configuration.ts"
import { Screen } from "../terminal/Screen.ts"
import { setUp } from "./setUp.ts"

/** Sets a model up where none is configured; gives the configuration to go on with, or none where the person leaves. */
export const firstStart = Effect.gen(function* () {
  const { progress, style } = yield* Screen
  const before = yield* Configuration
  yield* progress(
    `${style.bold("tollgate")}${style.dim(" · no model is configured yet · keys stay in the environment")}\n\n`
  )
  const chosen = yield* setUp
  if (Option.isNone(chosen)) return Option.none()
  const { name, profile } = chosen.value
  const screenReader = before.settings.screenReader === true
  const { configuration } = yield* inspect(
    {
      profile: { flag: "first start", value: name },
      ...(screenReader ? { screenReader: { flag: "--screen-reader", value: true } } : {})
    },
    { [name]: profile }
  )
  yield* progress("\n")
  return Option.some(configuration)
})
