/**
 * What goes between a frontend and a runtime: commands, events and envelopes, with the schemas that encode and decode them. It
 * needs nothing of Node, so that a browser can have it.
 *
 * @example
 * ```ts
 * import { Command, Envelope, SubmitPrompt } from "tollgate/protocol"
 * import * as Schema from "effect/Schema"
 *
 * const encode = Schema.encodeSync(Schema.parseJson(Command))
 * const text = encode(new SubmitPrompt({ session: "s", task: "t", prompt: "Hello" }))
 * const decode = Schema.decodeUnknown(Schema.parseJson(Envelope))
 * ```
 */

export * from "./agent/AgentEvent.ts"
export * from "./conversation/Message.ts"
export * from "./cost/CostEvent.ts"
export * from "./gate/CallEvent.ts"
export * from "./runtime/Command.ts"
export * from "./runtime/Envelope.ts"
export * from "./runtime/Event.ts"
export * from "./tool/ApprovalRequest.ts"
export * from "./tool/Preview.ts"
export * from "./tool/ToolEvent.ts"
