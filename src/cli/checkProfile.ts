import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { NoProfile } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import { ProfileNotFound } from "../model/Models.ts"
import type { RunOptions } from "./Run.ts"

/** Whether the profile of a new session, or the one that was asked for, is there; to be known before anything is made. */
export const checkProfile = ({
  last,
  profile,
  session
}: Pick<RunOptions, "profile" | "session" | "last">): Effect.Effect<void, NoProfile | ProfileNotFound, Configuration> =>
  Effect.gen(function* () {
    if (Option.isNone(profile) && (last || Option.isSome(session))) return
    const { preferred, profiles } = yield* Configuration
    const name = yield* preferred
    if (!Object.hasOwn(profiles, name)) {
      return yield* new ProfileNotFound({ profile: name, known: Object.keys(profiles) })
    }
  })
