import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { NetworkRules } from "../../policy/network/NetworkRules.ts"
import type { HttpServer } from "../McpServer.ts"
import { type AuthorizeOptions, clientSecretOf } from "./authorize.ts"
import { guardedFetch } from "./guardedFetch.ts"
import type { Login } from "./Login.ts"

/** Tells the authorization server that the tokens of a login count no more (RFC 7009); false where it does not say that it knows. */
export const revoke = ({
  login: { accessToken, authority, client, refreshToken },
  rules,
  server,
  variable
}: {
  readonly server: HttpServer
  readonly login: Login
  readonly rules: NetworkRules
  readonly variable: AuthorizeOptions["variable"]
}): Effect.Effect<boolean> => {
  const { revocation_endpoint: endpoint } = authority
  if (endpoint === undefined) return Effect.succeed(false)
  const secret = Option.getOrElse(clientSecretOf(server, variable), () => client.client_secret)
  const body = new URLSearchParams({
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token",
    client_id: client.client_id,
    ...(secret === undefined ? {} : { client_secret: secret })
  })
  return Effect.tryPromise(() =>
    guardedFetch(new URL(server.url), rules)(endpoint, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body
    })
  ).pipe(
    Effect.map(({ ok }) => ok),
    Effect.orElseSucceed(() => false)
  )
}
