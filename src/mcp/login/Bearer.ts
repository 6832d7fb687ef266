import type { AuthProvider } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as path from "node:path"
import { lockFile } from "../../database/lockFile.ts"
import type { NetworkRules } from "../../policy/network/NetworkRules.ts"
import { identityOf, type KnownServer } from "../KnownServer.ts"
import type { HttpServer } from "../McpServer.ts"
import type { StateFile, StateUnusable } from "../StateFile.ts"
import { areTokens, clientSecretOf, kept } from "./authorize.ts"
import { guardedFetch } from "./guardedFetch.ts"
import type { Login } from "./Login.ts"
import { LoginNeeded } from "./LoginError.ts"

/** Milliseconds before its end from which a token is not used any more. */
const margin = 30_000

export interface BearerOptions {
  readonly known: KnownServer
  readonly server: HttpServer
  readonly login: StateFile<Login>
  readonly rules: NetworkRules
  readonly variable: (name: string) => Option.Option<Redacted.Redacted>
}

/**
 * The token of the user's login for every request to a server, renewed when it ends; it is read anew each time, so that a login
 * counts for what runs already. Processes renew it one at a time: a refresh token may count once.
 */
export const make = ({ known, login, rules, server, variable }: BearerOptions): Effect.Effect<AuthProvider> =>
  Effect.gen(function* () {
    const run = Runtime.runPromise(yield* Effect.runtime())
    const needed = (why: string) => new LoginNeeded({ server: known.name, why })
    const identity = identityOf(known)
    const stored: Effect.Effect<Login | undefined, StateUnusable> = Effect.map(login.read, (found) =>
      found?.identity === identity ? found : undefined
    )
    const isOver = ({ expiresAt }: Login): Effect.Effect<boolean> =>
      Effect.map(Clock.currentTimeMillis, (now) => expiresAt !== undefined && expiresAt - margin < now)

    /** A token in place of one that the server does not take. */
    const renewed = (used: string | undefined): Effect.Effect<string, LoginNeeded> =>
      Effect.gen(function* () {
        yield* lockFile(path.join(path.dirname(login.file), "login.lock"))
        const found = yield* stored
        if (found === undefined) return yield* needed("it wants a login")
        if (found.accessToken !== used && !(yield* isOver(found))) return found.accessToken
        const { authority, client, refreshToken, resource } = found
        if (refreshToken === undefined) return yield* needed("its login has ended")
        const secret = clientSecretOf(server, variable)
        const library = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
        const tokens = yield* Effect.tryPromise({
          try: () =>
            library.refreshAuthorization(authority.issuer, {
              metadata: authority,
              clientInformation: { ...client, ...(secret._tag === "Some" ? { client_secret: secret.value } : {}) },
              refreshToken,
              fetchFn: guardedFetch(new URL(server.url), rules),
              ...(resource === undefined ? {} : { resource })
            }),
          catch: () => needed("its login could not be renewed")
        })
        if (!areTokens(tokens)) return yield* needed("its login could not be renewed")
        const next = { ...found, ...kept(tokens, yield* Clock.currentTimeMillis) }
        yield* login.write(next)
        return next.accessToken
      }).pipe(
        Effect.scoped,
        Effect.mapError((error) => (error._tag === "LoginNeeded" ? error : needed(error.message)))
      )
    const current = Effect.gen(function* () {
      const found = yield* Effect.orElseSucceed(stored, () => undefined)
      if (found === undefined) return undefined
      return found.refreshToken !== undefined && (yield* isOver(found))
        ? yield* renewed(found.accessToken)
        : found.accessToken
    })
    /** Fails with the error itself, which whoever asked for the request is told of. */
    const given = <A>(effect: Effect.Effect<A, LoginNeeded>): Promise<A> =>
      run(Effect.either(effect)).then(Either.getOrThrowWith((error) => error))
    let used: string | undefined
    return {
      token: () => given(Effect.tap(current, (token) => Effect.sync(() => (used = token)))),
      onUnauthorized: () => given(Effect.asVoid(Effect.suspend(() => renewed(used))))
    }
  })
