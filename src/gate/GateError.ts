import * as Schema from "effect/Schema"
import type { ApprovalRefused } from "../approval/ApprovalError.ts"
import { duration } from "../text/duration.ts"
import { maxJsonDepth } from "../text/Json.ts"
import { legible } from "../text/legible.ts"
import type { ParametersInvalid } from "../tool/Parameters.ts"
import type { ResultInvalid } from "../tool/ToolResult.ts"

const named = (tool: string): string => JSON.stringify(legible(tool, 64))

/** A model asked for a tool that is not there. */
export class ToolNotFound extends Schema.TaggedError<ToolNotFound>()("ToolNotFound", {
  tool: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Unknown tool ${named(this.tool)}. Available: ${this.known.slice(0, 32).join(", ") || "none"}.`
  }
}

/** Someone other than the runtime named a `client.*` tool. */
export class ReservedToolName extends Schema.TaggedError<ReservedToolName>()("ReservedToolName", {
  tool: Schema.String
}) {
  override get message() {
    return `The tool name ${named(this.tool)} is reserved for the runtime and cannot be called or registered.`
  }
}

/** The arguments of a call are not the JSON object that they must be. */
export class ArgumentsMalformed extends Schema.TaggedError<ArgumentsMalformed>()("ArgumentsMalformed", {
  tool: Schema.String,
  reason: Schema.String,
  deep: Schema.optionalWith(Schema.Literal(true), { exact: true })
}) {
  override get message() {
    return this.deep === true
      ? `The arguments of ${legible(this.tool, 64)} are nested deeper than ${maxJsonDepth} levels. Call it again with flatter ones.`
      : `The arguments of ${legible(this.tool, 64)} are not a JSON object: ${this.reason}. Call it again with valid JSON.`
  }
}

/** The decoded parameters are not those that were decided on, by a middleware or by a schema that is not pure; nothing ran. */
export class ParametersChanged extends Schema.TaggedError<ParametersChanged>()("ParametersChanged", {
  tool: Schema.String,
  /** It had started in this call, with other ones. */
  started: Schema.optionalWith(Schema.Literal(true), { exact: true })
}) {
  override get message() {
    if (this.started === true)
      return `${named(this.tool)} has started in this call with other parameters, so it was not run with these. Middleware may replace rawParams until a call has started; after that, make another call.`
    return `The decoded parameters of ${named(this.tool)} differ from those that were approved, so it was not run. Middleware that changes parameters must replace rawParams, which are then validated and approved again. A schema must decode the same parameters to the same value every time.`
  }
}

/** What a tool says of a call before it is decided on. */
const Foretelling = Schema.Literal("approval", "preview")
export type Foretelling = typeof Foretelling.Type

const foretold = { approval: "saying whether it needs approval", preview: "showing what it would do" } as const

/** A tool looked at the world for too long before anyone could decide on its call; nobody was asked and nothing ran. */
export class NotForetold extends Schema.TaggedError<NotForetold>()("NotForetold", {
  tool: Schema.String,
  callId: Schema.String,
  what: Foretelling,
  afterMillis: Schema.Number
}) {
  override get message() {
    return `${named(this.tool)} was not run: ${foretold[this.what]} took longer than ${duration(this.afterMillis)}. See whether what it looks at answers, then try again.`
  }
}

/** Something in the stack asked a second time for a handler that must not run twice; it was started once. */
export class AlreadyRan extends Schema.TaggedError<AlreadyRan>()("AlreadyRan", { tool: Schema.String }) {
  override get message() {
    return `${named(this.tool)} was started once in this call and is not started again: it is neither readOnly nor idempotent. Declare it so, or remove the middleware that repeats it.`
  }
}

/** A middleware passed on a call that it made itself, or put another tool, session, task or worker into one; nothing ran. */
export class GateBypassed extends Schema.TaggedError<GateBypassed>()("GateBypassed", { tool: Schema.String }) {
  override get message() {
    return `A middleware passed on a different or ended call of ${named(this.tool)}, or ran its handler itself, so it was not run. Pass on the given call or a copy with the same tool, session, task and worker: next({ ...call }).`
  }
}

/** A set of tools that cannot be sealed; `reason` says what to change. */
export class ToolsetInvalid extends Schema.TaggedError<ToolsetInvalid>()("ToolsetInvalid", {
  tool: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Tool ${named(this.tool)} cannot be part of the toolset: ${this.reason}`
  }
}

/** Why a call did not get past the gate. */
export type Refused = ParametersInvalid | ParametersChanged | GateBypassed | NotForetold | ApprovalRefused

/** What a call of any tool can fail with. */
export type GateError = ToolNotFound | ReservedToolName | ArgumentsMalformed | Refused | AlreadyRan | ResultInvalid
