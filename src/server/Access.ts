import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { Forbidden, TooManyRequests, Unauthorized } from "./ApiError.ts"

/** What a token may do: see everything, give work and stop it, decide on calls. Each stands alone. */
export const AccessScope = Schema.Literal("view", "operate", "approve")
export type AccessScope = typeof AccessScope.Type

/** Who sends a request: the name of a token, which decisions and the audit are told. */
export class Caller extends Context.Tag("tollgate/server/Caller")<
  Caller,
  { readonly name: string; readonly scopes: ReadonlyArray<AccessScope> }
>() {}

/** The name of the cookie of a browser, before the port of its server. */
export const cookieName = "tollgate"

const options = {
  failure: Schema.Union(Unauthorized, Forbidden, TooManyRequests),
  provides: Caller,
  security: {
    bearer: HttpApiSecurity.annotate(
      HttpApiSecurity.bearer,
      OpenApi.Description,
      "A token that the user has added, or that of the file which the server names as it starts."
    ),
    cookie: HttpApiSecurity.annotate(
      HttpApiSecurity.apiKey({ in: "cookie", key: cookieName }),
      OpenApi.Description,
      "What POST /v1/login gives a browser for a token; the port of the server follows its name: tollgate-4747."
    )
  }
} as const

/**
 * Wants a token with the scope `view`.
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class Viewing extends HttpApiMiddleware.Tag<Viewing>()("tollgate/server/Viewing", options) {}
/**
 * Wants a token with the scope `operate`.
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class Operating extends HttpApiMiddleware.Tag<Operating>()("tollgate/server/Operating", options) {}
/**
 * Wants a token with the scope `approve`.
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class Approving extends HttpApiMiddleware.Tag<Approving>()("tollgate/server/Approving", options) {}
/**
 * Wants any token; the handler looks at its scopes.
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class Known extends HttpApiMiddleware.Tag<Known>()("tollgate/server/Known", options) {}
