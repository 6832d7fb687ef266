import * as Schema from "effect/Schema"
import type * as Talk from "./Talk.ts"

/** A call that a client makes. */
export interface Wanted {
  readonly tool: string
  readonly parameters: unknown
  /** Who makes it, as the audit names them. */
  readonly by: string
  /** The call that its client comes back to, if it says so. */
  readonly task?: string | undefined
  /** Hears what its server says. */
  readonly listener: Talk.Listener
}

/** A call cannot be made. */
export class CallRefused extends Schema.TaggedError<CallRefused>()("CallRefused", {
  tool: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.tool} was not called: ${this.reason}`
  }
}

/** Says of a failure that it keeps a call from being made. */
export const refused =
  (tool: string) =>
  (error: { readonly message: string }): CallRefused =>
    new CallRefused({ tool, reason: error.message })
