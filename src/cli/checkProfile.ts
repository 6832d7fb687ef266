import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { NoProfile } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import { type ProfileError, ProfileNotFound } from "../model/Models.ts"
import { credentials } from "../model/OpenProfile.ts"

/** Which model and which session were asked for. */
export interface Chosen {
  readonly profile: Option.Option<string>
  readonly session: Option.Option<string>
  readonly last: boolean
}

/**
 * Whether the profile of a new session, or the one that was asked for, is there and has its credentials; to be known
 * before anything is made.
 */
export const checkProfile = ({
  last,
  profile,
  session
}: Chosen): Effect.Effect<void, NoProfile | ProfileError, Configuration> =>
  Effect.gen(function* () {
    if (Option.isNone(profile) && (last || Option.isSome(session))) return
    const { preferred, profiles, secret } = yield* Configuration
    const name = yield* preferred
    const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    if (found === undefined) return yield* new ProfileNotFound({ profile: name, known: Object.keys(profiles) })
    yield* credentials(name, found, secret)
  })
