import * as Headers from "@effect/platform/Headers"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { AccessScope, Caller, Known } from "./Access.ts"
import { Unauthorized } from "./ApiError.ts"
import { ownCookie, recognised } from "./Authorization.ts"
import { base } from "./Base.ts"
import { Listening } from "./Listening.ts"
import { Logins, loginTime } from "./Logins.ts"
import { Tokens } from "./Tokens.ts"

const Posted = Schema.Struct({ token: Schema.String.pipe(Schema.maxLength(200)) })

export const group = HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("login", "/v1/login")
      .setPayload(Posted)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Unauthorized)
      .annotate(
        OpenApi.Description,
        "Exchanges a token for the cookie of a browser, which no script can read and no other site can send."
      )
  )
  .add(
    HttpApiEndpoint.del("logout", "/v1/login")
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(OpenApi.Description, "Ends the login of this browser.")
  )
  .add(
    HttpApiEndpoint.get("me", "/v1/me")
      .addSuccess(Schema.Struct({ name: Schema.String, scopes: Schema.Array(AccessScope) }))
      .annotate(OpenApi.Description, "The name of the token and what it may do.")
      .middleware(Known)
  )

const cookieOptions = (secure: boolean) => ({
  httpOnly: true,
  sameSite: "strict" as const,
  path: "/",
  secure
})

const isSecure = (headers: Headers.Headers): boolean =>
  Option.exists(Headers.get(headers, "origin"), (origin) => origin.startsWith("https:"))

export const live = HttpApiBuilder.group(base.add(group), "login", (handlers) =>
  handlers
    .handleRaw("login", ({ request }) =>
      Effect.gen(function* () {
        const { token } = yield* Effect.mapError(
          Effect.flatMap(request.json, Schema.decodeUnknown(Posted)),
          () => new HttpApiDecodeError({ message: "The body must be an object with a token.", issues: [] })
        )
        yield* recognised((yield* Tokens).find(token), new Unauthorized({ message: "This token is not valid." }))
        const cookie = yield* (yield* Logins).login(token)
        const { port } = yield* Listening
        return HttpServerResponse.unsafeSetCookie(
          HttpServerResponse.empty({ status: 204 }),
          ownCookie(port),
          Redacted.value(cookie),
          { ...cookieOptions(isSecure(request.headers)), maxAge: loginTime }
        )
      })
    )
    .handleRaw("logout", ({ request }) =>
      Effect.gen(function* () {
        const { port } = yield* Listening
        const name = ownCookie(port)
        const cookie = request.cookies[name]
        if (cookie !== undefined) yield* (yield* Logins).logout(cookie)
        return HttpServerResponse.unsafeSetCookie(HttpServerResponse.empty({ status: 204 }), name, "", {
          ...cookieOptions(isSecure(request.headers)),
          maxAge: 0
        })
      })
    )
    .handle("me", () => Caller)
)
