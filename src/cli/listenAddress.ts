import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parse, usual } from "../server/Address.ts"
import { tokenStore } from "../server/tokenFiles.ts"
import { TokenStore } from "../server/TokenStore.ts"
import { UsageError } from "./Outcome.ts"

/** The address that `--listen` says. */
export const listenAddress = (listen: Option.Option<string>) =>
  Option.match(listen, {
    onNone: () => Effect.succeed(usual),
    onSome: (text) => {
      const address = parse(text)
      return address === undefined
        ? new UsageError({
            reason: `--listen ${JSON.stringify(text.slice(0, 100))}: expected HOST:PORT, HOST or PORT, e.g. 127.0.0.1:4747, 0.0.0.0 or [::1]:8080`
          })
        : Effect.succeed(address)
    }
  })

/** Who reaches this machine from elsewhere has a token of their own. */
export const hasTokens = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const tokens = yield* (yield* TokenStore).list
  if (tokens.some(({ expiresAt = Infinity }) => now < expiresAt)) return
  return yield* new UsageError({
    reason:
      "Other machines could reach this address, and there is no token for them. Make one first: tollgate tokens add NAME --scope view"
  })
}).pipe(Effect.provide(tokenStore))
