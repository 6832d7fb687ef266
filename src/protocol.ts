/**
 * What goes between a frontend and a runtime: commands, events and envelopes, with the schemas that encode and decode them. It
 * needs nothing of Node, so that a browser can have it.
 *
 * @example
 * ```ts
 * import { Command, Envelope } from "tollgate/protocol"
 * import * as Schema from "effect/Schema"
 *
 * const encode = Schema.encodeSync(Schema.parseJson(Command.Command))
 * const text = encode(new Command.SubmitPrompt({ session: "s", task: "t", prompt: "Hello" }))
 * const decode = Schema.decodeUnknown(Schema.parseJson(Envelope.Envelope))
 * ```
 */

export * as Command from "./runtime/Command.ts"
export * as Envelope from "./runtime/Envelope.ts"
export * as Event from "./runtime/Event.ts"
export * as Message from "./conversation/Message.ts"
export * as ModelPart from "./model/ModelPart.ts"
export * as ToolEvent from "./tool/ToolEvent.ts"
export * as ApprovalRequest from "./tool/ApprovalRequest.ts"
