import * as Schema from "effect/Schema"

/** A login did not succeed; nothing of it is kept. */
export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", {
  server: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `No login at MCP server ${this.server}: ${this.reason}.`
  }
}

/** A server wants a login that there is not, or not any more. */
export class LoginNeeded extends Schema.TaggedError<LoginNeeded>()("LoginNeeded", {
  server: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `${this.why}; tollgate mcp login ${this.server} logs you in`
  }
}

export const isLoginNeeded = Schema.is(LoginNeeded)

/** An address was not asked, or its answer not taken. */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {
  host: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.host}: ${this.reason}`
  }
}
