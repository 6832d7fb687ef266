import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as path from "node:path"
import { Configuration } from "../config/Configuration.ts"
import { builtin, layerConfigured } from "../host/Host.ts"
import { models } from "../host/models.ts"
import { isLoopback } from "../server/Address.ts"
import { Listening } from "../server/Listening.ts"
import * as Server from "../server/Server.ts"
import * as TokenFile from "../server/TokenFile.ts"
import { newSecret } from "../server/Secret.ts"
import { type PolicyOptions, policyOf } from "./approvalPolicy.ts"
import { checkProfile } from "./checkProfile.ts"
import { flagsOf } from "./flags.ts"
import { hasTokens, listenAddress } from "./listenAddress.ts"
import { openInBrowser } from "./openInBrowser.ts"
import { Screen } from "./terminal/Screen.ts"

export interface ServeOptions extends PolicyOptions {
  readonly listen: Option.Option<string>
  readonly names: ReadonlyArray<string>
  readonly open: boolean
  readonly profile: Option.Option<string>
}

/** Serves the user's sessions until it is stopped. */
export const serve = (options: ServeOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { home } = yield* Configuration
    const listen = yield* listenAddress(options.listen)
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
