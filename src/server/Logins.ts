import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Caller } from "./Access.ts"
import { digestOf, newSecret } from "./Secret.ts"
import { Tokens } from "./Tokens.ts"

/** Browsers that are logged in at a time; the oldest login gives way. */
const maxLogins = 256

/** How long a login lasts. */
export const loginTime = Duration.days(30)

interface Login {
  /** The token that was exchanged; a login ends with it. */
  readonly token: string
  readonly until: number
}

/** The logins of browsers: a cookie stands for the token that it was exchanged for, and ends with this process. */
export class Logins extends Context.Tag("tollgate/server/Logins")<
  Logins,
  {
    /** A cookie for a token that counts. */
    readonly login: (token: string) => Effect.Effect<Redacted.Redacted>
    readonly find: (cookie: string) => Effect.Effect<Option.Option<Caller["Type"]>>
    readonly logout: (cookie: string) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<Logins, never, Tokens> = Layer.effect(
    Logins,
    Effect.map(Tokens, (tokens) => {
      const logins = new Map<string, Login>()
      const keyOf = (cookie: string): string => digestOf(cookie).toString("base64url")
      return {
        login: (token) =>
          Effect.zipWith(newSecret, Clock.currentTimeMillis, (cookie, now) => {
            const [oldest] = logins.keys()
            if (logins.size >= maxLogins && oldest !== undefined) logins.delete(oldest)
            logins.set(keyOf(Redacted.value(cookie)), { token, until: now + Duration.toMillis(loginTime) })
            return cookie
          }),
        find: (cookie) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const known = logins.get(keyOf(cookie))
            return known === undefined || known.until <= now ? Effect.succeedNone : tokens.find(known.token)
          }),
        logout: (cookie) => Effect.sync(() => void logins.delete(keyOf(cookie)))
      }
    })
  )
}
