import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import { builtin, layerConfigured } from "../host/Host.ts"
import { models } from "../host/models.ts"
import { isLoopback, Listening, parse, usual } from "../server/Listening.ts"
import * as Server from "../server/Server.ts"
import * as TokenFile from "../server/TokenFile.ts"
import { tokenStore } from "../server/tokenFiles.ts"
import { TokenStore } from "../server/TokenStore.ts"
import { newSecret } from "../server/Secret.ts"
import { type PolicyOptions, policyOf } from "./approvalPolicy.ts"
import { checkProfile } from "./checkProfile.ts"
import { flagsOf } from "./flags.ts"
import { UsageError } from "./Outcome.ts"
import { openInBrowser } from "./openInBrowser.ts"
import { Screen } from "./terminal/Screen.ts"

export interface ServeOptions extends PolicyOptions {
  readonly listen: Option.Option<string>
  readonly names: ReadonlyArray<string>
  readonly open: boolean
  readonly profile: Option.Option<string>
}

const addressOf = (listen: Option.Option<string>) =>
  Option.match(listen, {
    onNone: () => Effect.succeed(usual),
    onSome: (text) =>
      Either.match(parse(text), {
        onLeft: (problem) => new UsageError({ reason: `--listen ${JSON.stringify(text.slice(0, 100))}: ${problem}` }),
        onRight: (address) => Effect.succeed(address)
      })
  })

/** Who reaches this machine from elsewhere has a token of their own. */
const hasTokens = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const tokens = yield* (yield* TokenStore).list
  if (tokens.some(({ expiresAt = Infinity }) => now < expiresAt)) return
  return yield* new UsageError({
    reason:
      "Other machines could reach this address, and there is no token for them. Make one first: tollgate tokens add NAME --scope view"
  })
}).pipe(Effect.provide(tokenStore))

/** Serves the user's sessions until it is stopped. */
export const serve = (options: ServeOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { home } = yield* Configuration
    const listen = yield* addressOf(options.listen)
    const policy = yield* policyOf(options, true)
    yield* checkProfile({ ...options, session: Option.none(), last: false })
    if (!isLoopback(listen.host)) yield* hasTokens
    const token = yield* newSecret
    const served = Server.layer({ listen, names: options.names, token }).pipe(
      Layer.provideMerge(layerConfigured({ policy, attended: true }, builtin, models))
    )
    yield* Effect.gen(function* () {
      const { port, url } = yield* Listening
      const file = TokenFile.fileOf(path.dirname(home.database), port)
      yield* TokenFile.write(file, { url, token })
      const login = `${url}/#token=${Redacted.value(token)}`
      yield* screen.answer(`Listening on ${url}\n`)
      yield* screen.progress(
        `In a browser: ${screen.interactive ? login : url}\nThe token to log in with is kept in ${file}\n`
      )
      if (options.open) yield* openInBrowser(path.dirname(file), login)
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.provide(served))
  }).pipe(Effect.provide(Screen.layer({ split: false })), Effect.provide(Configuration.layer(flagsOf(options))))
