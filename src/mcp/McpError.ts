import * as Schema from "effect/Schema"
import { sentence } from "../text/sentence.ts"

/** A server cannot be used now. */
export class ServerUnavailable extends Schema.TaggedError<ServerUnavailable>()("ServerUnavailable", {
  server: Schema.String,
  /** What failed: `start`, `connect`, `list`. */
  operation: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return sentence(`MCP server ${this.server} cannot be used (${this.operation}): ${this.reason}`)
  }
}

/** A request to a server failed. */
export class ServerFailed extends Schema.TaggedError<ServerFailed>()("ServerFailed", {
  server: Schema.String,
  /** What was asked of it: `tools/call echo`. */
  operation: Schema.String,
  reason: Schema.String,
  /** The server had the request and may have carried it out. */
  unknown: Schema.Boolean
}) {
  override get message() {
    const { operation, reason, server, unknown } = this
    return unknown
      ? `${operation} of MCP server ${server}: outcome unknown (${reason}). It is not repeated; find out what was done before you call it again.`
      : `${operation} of MCP server ${server} failed: ${reason}`
  }
}

/** What a server offers is not what was approved. */
export class NotApproved extends Schema.TaggedError<NotApproved>()("NotApproved", {
  server: Schema.String,
  name: Schema.String,
  state: Schema.Literal("pending", "changed", "gone", "unknown")
}) {
  override get message() {
    const { name, server, state } = this
    const why = {
      pending: "it has not been approved",
      changed: "it is not what was approved",
      gone: "the server no longer has it",
      unknown: "what was approved cannot be read"
    }[state]
    return `${name} of MCP server ${server} was not called: ${why}. Only the user can approve it.`
  }
}

/** A server has answered a client's request with an error of the protocol, which the client gets as it came. */
export class ServerRefused extends Schema.TaggedError<ServerRefused>()("ServerRefused", {
  code: Schema.Number,
  reason: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {
  override get message() {
    return this.reason.trim() === "" ? `The server refused with the code ${this.code}.` : this.reason
  }
}
