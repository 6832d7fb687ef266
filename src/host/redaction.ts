import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ConfigFile from "../config/ConfigFile.ts"
import { home } from "../config/Home.ts"
import { hosted } from "../model/Profile.ts"
import { environmentSecrets } from "../redaction/EnvironmentSecrets.ts"
import { Redactor } from "../redaction/Redactor.ts"

const usual: ReadonlyArray<string> = Object.values(hosted).map(({ apiKeyVariable }) => apiKeyVariable)

/** The key variables that the profiles name, even if the configuration has other problems. */
const variables = (json: ConfigFile.Json): ReadonlyArray<string> => {
  const profiles = json["profiles"]
  return Object.values(ConfigFile.isRecord(profiles) ? profiles : {}).flatMap((profile: unknown) =>
    ConfigFile.isRecord(profile) && typeof profile["apiKeyVariable"] === "string" ? [profile["apiKeyVariable"]] : []
  )
}

const named = Effect.flatMap(home, ({ config }) => ConfigFile.read(config)).pipe(
  Effect.map(variables),
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)

/** The redactor of a host; knows the keys of the profiles and the secrets of the environment. */
export const layer = (env: Readonly<Record<string, string | undefined>>): Layer.Layer<Redactor> =>
  Layer.unwrapEffect(
    Effect.map(named, (names) => Redactor.layer({ secrets: environmentSecrets(env, [...usual, ...names]) }))
  )
