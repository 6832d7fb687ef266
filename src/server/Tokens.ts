import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as crypto from "node:crypto"
import type { Caller } from "./Access.ts"
import { digestOf } from "./Secret.ts"
import { TokenStore } from "./TokenStore.ts"

/** Whoever has the token of the start, which is made anew each time, for those who can read the user's files. */
const startCaller: Caller["Type"] = { name: "local", scopes: ["view", "operate", "approve"] }

/** Whose a token is; tokens are compared by their digests, in constant time. One that has expired is nobody's. */
export class Tokens extends Context.Tag("tollgate/server/Tokens")<
  Tokens,
  { readonly find: (secret: string) => Effect.Effect<Option.Option<Caller["Type"]>> }
>() {
  /** The token of the start, and those that the user has added, as they are at each request. */
  static readonly layer = (start: Redacted.Redacted): Layer.Layer<Tokens, never, TokenStore> =>
    Layer.effect(
      Tokens,
      Effect.map(TokenStore, ({ list }) => {
        const own = digestOf(Redacted.value(start))
        return {
          find: (secret) =>
            Effect.gen(function* () {
              const given = digestOf(secret)
              if (crypto.timingSafeEqual(own, given)) return Option.some(startCaller)
              const now = yield* Clock.currentTimeMillis
              const found = (yield* list).find(
                ({ digest, expiresAt = Infinity }) =>
                  crypto.timingSafeEqual(Buffer.from(digest, "hex"), given) && now < expiresAt
              )
              return Option.map(Option.fromNullable(found), ({ name, scopes }) => ({ name, scopes }))
            }).pipe(
              Effect.catchAll(({ message }) =>
                Effect.as(Effect.logError("A token was refused", message), Option.none<Caller["Type"]>())
              )
            )
        }
      })
    )
}
