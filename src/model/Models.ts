import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ModelService } from "./Model.ts"
import type { Router } from "./Routing.ts"

export class ProfileNotFound extends Schema.TaggedError<ProfileNotFound>()("ProfileNotFound", {
  profile: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Unknown model profile ${this.profile}. ${
      this.known.length === 0 ? "None is configured." : `Known: ${this.known.join(", ")}.`
    }`
  }
}

export class CredentialsMissing extends Schema.TaggedError<CredentialsMissing>()("CredentialsMissing", {
  profile: Schema.String,
  /** The environment variable that would hold the key. */
  variable: Schema.String
}) {
  override get message() {
    return `Profile ${this.profile} has no credentials: set the environment variable ${this.variable}.`
  }
}

/** Any other reason why a configured profile cannot be used. */
export class ProfileInvalid extends Schema.TaggedError<ProfileInvalid>()("ProfileInvalid", {
  profile: Schema.String,
  reason: Schema.String,
  /** The key of the profile that is wrong, if it is one. */
  key: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return `Profile ${this.profile} cannot be used: ${this.reason}`
  }
}

export type ProfileError = ProfileNotFound | CredentialsMissing | ProfileInvalid

/** The configured models by the name of their profile. */
export class Models extends Context.Tag("tollgate/model/Models")<
  Models,
  {
    readonly profiles: ReadonlyArray<string>
    /** The profile used where none is named. */
    readonly preferred: string
    /** Opens a profile; credentials are checked before anything is sent. */
    readonly get: (profile: string) => Effect.Effect<ModelService, ProfileError>
    /** Which profile serves a task or a worker; the one that is asked for, if unset. */
    readonly route?: Router
  }
>() {
  /** These models under these names; the first is preferred unless another is named. */
  static readonly layerOf = (
    models: Readonly<Record<string, ModelService>>,
    preferred?: string
  ): Layer.Layer<Models> => {
    const profiles = Object.keys(models)
    return Layer.succeed(Models, {
      profiles,
      preferred: preferred ?? profiles[0] ?? "",
      get: (profile) => {
        const model = Object.hasOwn(models, profile) ? models[profile] : undefined
        return model === undefined
          ? Effect.fail(new ProfileNotFound({ profile, known: profiles }))
          : Effect.succeed(model)
      }
    })
  }
}
