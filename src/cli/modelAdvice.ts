import type { ModelError } from "../model/ModelError.ts"
import { apiKeyVariable, type Profile, type ScriptedProfile } from "../model/Profile.ts"

export type RemoteProfile = Exclude<Profile, ScriptedProfile>

/** The commands that mend what keeps a model from answering, the likeliest first. */
export const modelAdvice = (name: string, profile: RemoteProfile, error: ModelError): ReadonlyArray<string> => {
  const variable = apiKeyVariable(profile)
  const set = (key: string, value: string) => `tollgate config set profiles.${name}.${key} ${value}`
  switch (error._tag) {
    case "ModelUnauthorized":
      return variable === undefined ? [set("apiKeyVariable", "NAME_OF_A_VARIABLE")] : [`export ${variable}=…`]
    case "ModelUnreachable":
    case "ModelMalformed":
      // The provider's own address is right; the network is not.
      return profile.baseUrl === undefined ? [] : [set("baseUrl", "URL")]
    case "ModelRejected":
      return [...(profile.baseUrl === undefined ? [] : [set("baseUrl", "URL")]), set("model", "NAME")]
    case "ModelSilent":
      return [set("silenceTimeout", "'5 minutes'")]
    default:
      return []
  }
}
