import * as Schema from "effect/Schema"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** What of the metadata of an authorization server (RFC 8414) counts after the login: nothing is looked up again to refresh. */
export const Authority = Schema.Struct({
  issuer: Schema.String,
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  revocation_endpoint: optional(Schema.String),
  response_types_supported: Schema.mutable(Schema.Array(Schema.String)),
  token_endpoint_auth_methods_supported: optional(Schema.mutable(Schema.Array(Schema.String)))
})
export type Authority = typeof Authority.Type

/** RFC 6749, A.12 and A.17. */
const Token = Schema.String.pipe(Schema.pattern(/^[\x20-\x7e]+$/))

export const isToken = Schema.is(Token)

/** A login at an MCP server, in a file that only the user can read. */
export const Login = Schema.Struct({
  version: Schema.Literal(1),
  /** Of the server that it is for; no other gets its tokens. */
  identity: Schema.String,
  authority: Authority,
  client: Schema.Struct({
    client_id: Schema.String,
    client_secret: optional(Schema.String),
    token_endpoint_auth_method: optional(Schema.String)
  }),
  /** The resource that the tokens are for (RFC 8707). */
  resource: optional(Schema.String),
  scope: optional(Schema.String),
  accessToken: Token,
  refreshToken: optional(Token),
  /** Epoch milliseconds. */
  expiresAt: optional(Schema.Number)
})
export type Login = typeof Login.Type
