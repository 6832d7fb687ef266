import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as ConfigFile from "../config/ConfigFile.ts"
import { home } from "../config/Home.ts"
import { hosted } from "../model/Profile.ts"
import { environmentSecrets } from "../redaction/EnvironmentSecrets.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { Surroundings } from "./Surroundings.ts"

const usual: ReadonlyArray<string> = Object.values(hosted).map(({ apiKeyVariable }) => apiKeyVariable)

const records = (value: unknown): ReadonlyArray<ConfigFile.Json> =>
  Object.values(Predicate.isReadonlyRecord(value) ? value : {}).filter(Predicate.isReadonlyRecord)

/** The variables that MCP servers get, by the references to them. */
const givenToServers = (json: ConfigFile.Json): ReadonlyArray<string> =>
  records(ConfigFile.at(json, ["mcp", "servers"])).flatMap(({ env, headers }) =>
    [env, headers].flatMap((some) =>
      Object.values(Predicate.isReadonlyRecord(some) ? some : {}).flatMap((reference) => {
        const [, name] = /env:(\w+)$/.exec(String(reference)) ?? []
        return name === undefined ? [] : [name]
      })
    )
  )

/** The key variables that the profiles and servers name, even if the configuration has other problems. */
const variables = (json: ConfigFile.Json): ReadonlyArray<string> => [
  ...records(json["profiles"]).flatMap(({ apiKeyVariable }) =>
    typeof apiKeyVariable === "string" ? [apiKeyVariable] : []
  ),
  ...givenToServers(json)
]

const named = Effect.flatMap(home, ({ config }) => ConfigFile.read(config)).pipe(
  Effect.map(variables),
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)

/** The redactor of a host; knows the keys of the profiles and the secrets of the environment. */
export const layer = (env: Readonly<Record<string, string | undefined>>): Layer.Layer<Redactor> =>
  Layer.unwrapEffect(
    Effect.map(named, (names) => Redactor.layer({ secrets: environmentSecrets(env, [...usual, ...names]) }))
  )

/** The same, by the environment of the context. */
export const layerHere = Layer.unwrapEffect(Effect.map(Surroundings, ({ env }) => layer(env)))
