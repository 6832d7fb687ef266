import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConfigInvalid } from "../config/ConfigError.ts"
import { Configuration } from "../config/Configuration.ts"
import { credentials } from "../model/OpenProfile.ts"
import type { CredentialsMissing, ProfileInvalid } from "../model/Models.ts"
import { hosted } from "../model/Profile.ts"
import { Embeddings } from "../search/Embeddings.ts"
import * as ServerEmbeddings from "../search/ServerEmbeddings.ts"
import * as StaticEmbeddings from "../search/StaticEmbeddings.ts"

const invalid = (key: string, problem: string) =>
  new ConfigInvalid({ problems: [{ source: "search.embeddings provider", key, problem, mend: [] }] })

/** The embeddings that the configuration names. */
export const layer: Layer.Layer<
  Embeddings,
  ConfigInvalid | CredentialsMissing | ProfileInvalid,
  Configuration | HttpClient.HttpClient
> = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { profiles, secret, settings } = yield* Configuration
    const { embeddings = "static", model, profile: name } = settings.search ?? {}
    if (embeddings === "none") return Layer.succeed(Embeddings, undefined)
    if (embeddings === "static") return StaticEmbeddings.layer()
    if (name === undefined || !Object.hasOwn(profiles, name)) {
      return yield* invalid("search.profile", "must name a profile whose server embeds")
    }
    if (model === undefined) return yield* invalid("search.model", "must name an embedding model of that server")
    const profile = profiles[name]!
    if (profile.provider !== "openai" && profile.provider !== "chat-completions") {
      return yield* invalid("search.profile", `is a profile of ${profile.provider}, which has no embeddings`)
    }
    const { headers, silenceTimeout } = profile
    return ServerEmbeddings.layer({
      model,
      profile: name,
      baseUrl: profile.baseUrl ?? hosted.openai.baseUrl,
      apiKey: yield* credentials(name, profile, secret),
      headers,
      silenceTimeout
    })
  })
)
