import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { errnoOf, errnoText } from "../system/errno.ts"
import type { Endpoint } from "./Endpoint.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import { CredentialsMissing, ProfileInvalid } from "./Models.ts"
import {
  apiKeyVariable,
  hosted,
  type HostedProfile,
  optionsOf,
  type Profile,
  type ScriptedProfile,
  takesImages,
  termsOf
} from "./Profile.ts"

/** Reads a variable of the environment. */
export type Environment = (name: string) => Option.Option<Redacted.Redacted>

type Opened = Effect.Effect<
  ModelService,
  CredentialsMissing | ProfileInvalid,
  HttpClient.HttpClient | FileSystem.FileSystem
>

/** Each provider is a module of its own, loaded when its first profile is opened. */
const load = <A>(profile: string, module: () => Promise<A>): Effect.Effect<A, ProfileInvalid> =>
  Effect.tryPromise({
    try: module,
    catch: (cause) => new ProfileInvalid({ profile, reason: `its provider cannot be loaded: ${String(cause)}` })
  })

/** What an HTTP header may be called, and hold. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/
const printable = /^[\u0020-\u007e]+$/

/** The key of a profile, if it needs one: there, without the white space around it, and fit to be sent like its headers. */
export const credentials = (
  name: string,
  profile: Profile,
  environment: Environment
): Effect.Effect<Redacted.Redacted | undefined, CredentialsMissing | ProfileInvalid> => {
  const headers = "headers" in profile ? Object.entries(profile.headers ?? {}) : []
  const wrong = headers.find(([header, value]) => !headerName.test(header) || !headerValue.test(value))
  if (wrong !== undefined) {
    const reason = `its header ${JSON.stringify(wrong[0])} has a character that HTTP forbids.`
    return Effect.fail(new ProfileInvalid({ profile: name, reason, key: "headers" }))
  }
  const variable = apiKeyVariable(profile)
  if (variable === undefined) return Effect.succeed(undefined)
  const key = Option.filter(environment(variable), (value) => Redacted.value(value).trim() !== "")
  return Option.match(key, {
    onNone: () => Effect.fail(new CredentialsMissing({ profile: name, variable })),
    onSome: (value) => {
      const text = Redacted.value(value).trim()
      const reason = `the environment variable ${variable} has a character that is not part of a key, such as … or a line break. Copy the whole key.`
      return printable.test(text)
        ? Effect.succeed(Redacted.make(text))
        : Effect.fail(new ProfileInvalid({ profile: name, reason }))
    }
  })
}

const scripted = (name: string, profile: ScriptedProfile): Opened =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const unreadable = (why: string) =>
      new ProfileInvalid({
        profile: name,
        key: "script",
        reason: `its script ${profile.script} cannot be read: ${why}.`
      })
    const text = yield* files.stat(profile.script).pipe(
      Effect.filterOrFail(
        ({ type }) => type === "File",
        () => unreadable("it is not a file")
      ),
      Effect.zipRight(files.readFileString(profile.script)),
      Effect.mapError((error) =>
        error._tag === "ProfileInvalid" ? error : unreadable(errnoText(errnoOf(error.cause)))
      )
    )
    const { fromJson } = yield* load(name, () => import("./Scripted.ts"))
    const model = yield* Effect.mapError(
      fromJson(text, profile.script),
      (error) => new ProfileInvalid({ profile: name, reason: error.message })
    )
    return profile.model === undefined ? model : { ...model, name: profile.model }
  })

const openHosted = (name: string, profile: HostedProfile, apiKey: Redacted.Redacted | undefined): Opened => {
  const endpoint: Endpoint = {
    ...profile,
    options: optionsOf(profile),
    baseUrl: profile.baseUrl ?? hosted[profile.provider].baseUrl,
    apiKey
  }
  return profile.provider === "openai"
    ? Effect.flatMap(
        load(name, () => import("./openai.ts")),
        ({ open }) => open(endpoint)
      )
    : Effect.flatMap(
        load(name, () => import("./anthropic.ts")),
        ({ open }) => open(endpoint)
      )
}

/** The request of a model that cannot see: the texts name the images that another was shown. */
const withoutImages = (request: ModelRequest): ModelRequest => ({
  ...request,
  messages: request.messages.map((stored) => {
    const { message } = stored
    if (message.role !== "user" || message.images === undefined) return stored
    const { images: _, ...text } = message
    return { ...stored, message: text }
  })
})

/** Opens a profile, once its credentials are known to be there. Nothing is sent. */
export const openProfile = (name: string, profile: Profile, environment: Environment): Opened =>
  Effect.map(opened(name, profile, environment), (model) => ({
    ...model,
    ...termsOf(name, profile),
    stream: takesImages(profile) ? model.stream : (request) => model.stream(withoutImages(request))
  }))

const opened = (name: string, profile: Profile, environment: Environment): Opened =>
  Effect.flatMap(credentials(name, profile, environment), (apiKey): Opened => {
    switch (profile.provider) {
      case "scripted":
        return scripted(name, profile)
      case "chat-completions":
        return Effect.flatMap(
          load(name, () => import("./ChatCompletions.ts")),
          ({ make }) => make({ ...profile, options: optionsOf(profile), apiKey })
        )
      default:
        return openHosted(name, profile, apiKey)
    }
  })
