import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { withFallback } from "./Fallback.ts"
import type { ModelService } from "./Model.ts"
import { Models, ProfileNotFound, type ProfileError } from "./Models.ts"
import { openProfile, type Environment } from "./OpenProfile.ts"
import type { Profile } from "./Profile.ts"
import { retried } from "./RetryPolicy.ts"
import { router, type Router, type RoutingHook } from "./Routing.ts"

export interface Options {
  /** Hooks that may send a request for one profile to another. */
  readonly routing?: ReadonlyArray<RoutingHook>
  /** The profiles of weights, by their names. */
  readonly weights?: Readonly<Record<string, string>>
  /** What routing hooks receive besides the profiles. */
  readonly context?: Readonly<Record<string, unknown>>
}

/**
 * The models of these profiles: opened when first asked for, kept, retried as the profile says, and backed by its
 * fallbacks. What could not be opened is tried again the next time.
 */
export const layer = (
  profiles: Readonly<Record<string, Profile>>,
  preferred: string,
  environment: Environment,
  options: Options = {}
): Layer.Layer<Models, never, HttpClient.HttpClient | FileSystem.FileSystem> =>
  Layer.effect(
    Models,
    Effect.gen(function* () {
      const context = yield* Effect.context<HttpClient.HttpClient | FileSystem.FileSystem>()
      const opening = yield* Effect.makeSemaphore(1)
      const opened = new Map<string, ModelService>()
      const known = Object.keys(profiles)

      const find = (name: string): Effect.Effect<Profile, ProfileNotFound> => {
        const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
        return profile === undefined
          ? Effect.fail(new ProfileNotFound({ profile: name, known }))
          : Effect.succeed(profile)
      }

      const open = Effect.fn("Models.open")(
        function* (name: string) {
          const profile = yield* find(name)
          const kept = opened.get(name)
          if (kept !== undefined) return kept
          const { maxAttempts } = profile
          const model = retried(maxAttempts === undefined ? {} : { maxAttempts })(
            yield* openProfile(name, profile, environment)
          )
          opened.set(name, model)
          return model
        },
        opening.withPermits(1),
        Effect.provide(context)
      )

      const get = Effect.fn("Models.get")(function* (name: string) {
        const { fallback = [] } = yield* find(name)
        const model = yield* open(name)
        return withFallback(fallback.map((other): Effect.Effect<ModelService, ProfileError> => open(other)))(model)
      })

      const { routing = [], weights = {} } = options
      if (routing.length === 0 && Object.keys(weights).length === 0) return { profiles: known, preferred, get }
      const decide = router(routing, weights)
      const route: Router = (request) =>
        decide({ ...request, context: { ...options.context, preferred, profiles: known, ...request.context } })
      return { profiles: known, preferred, get, route }
    })
  )
