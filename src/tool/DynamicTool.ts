import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RetryPolicy } from "../middleware/retry.ts"
import { decoder } from "./JsonSchema.ts"
import { lazy } from "../system/lazy.ts"
import { rooted } from "./rooted.ts"
import * as Tool from "./Tool.ts"
import type { ToolCall } from "./ToolCall.ts"
import * as Touches from "./Touches.ts"

/** A tool that failed; its message is what the tool itself said. */
export class DynamicToolFailed extends Schema.TaggedError<DynamicToolFailed>()("DynamicToolFailed", {
  tool: Schema.String,
  reason: Schema.String,
  retryable: Schema.Boolean
}) {
  override get message() {
    return this.reason
  }
}

/** What is known of a tool that is discovered at run time; what it does not declare is taken for the worst. */
export interface Options<R> extends Partial<
  Pick<
    Tool.Traits,
    "location" | "mode" | "risk" | "readOnly" | "idempotent" | "concurrent" | "resultLimit" | "label" | "category"
  >
> {
  readonly description: string
  /** Of the parameters, which are an object; sealing refuses a pattern with look-around or back-references. */
  readonly jsonSchema: Readonly<Record<string, unknown>>
  /** Default: `never` for a read-only tool, `always` for others. */
  readonly approval?: "never" | "always"
  /** Sealing refuses it on a tool that is neither read-only nor idempotent. */
  readonly retry?: RetryPolicy
  /** What a call touches, by its parameters as JSON; if unset a call is judged as a whole. */
  readonly touches?: Touches.Configured | Touches.Declaration<unknown>
  readonly timeout?: Parameters<typeof Tool.make>[1]["timeout"]
  /** The longest silence of an attempt; progress and output end it. */
  readonly idleTimeout?: Parameters<typeof Tool.make>[1]["idleTimeout"]
  readonly handler: (params: unknown, call: ToolCall) => Effect.Effect<unknown, DynamicToolFailed, R>
}

export type DynamicTool<R = never> = Tool.Tool<
  string,
  typeof Schema.Unknown,
  typeof Schema.Unknown,
  typeof DynamicToolFailed,
  R
>

/**
 * Makes a tool from a JSON Schema. It is not part of `Tool`, because its validator is large and most programs start without
 * such a tool.
 */
export const make = <R = never>(name: string, options: Options<R>): DynamicTool<R> => {
  const { jsonSchema, retry, touches, ...declared } = options
  const readOnly = options.readOnly === true
  const tool = Tool.make(name, {
    ...declared,
    ...(touches !== undefined && {
      touches: typeof touches === "function" || touches === "none" ? touches : Touches.configured(touches)
    }),
    parameters: Schema.Unknown,
    success: Schema.Unknown,
    failure: DynamicToolFailed,
    approval: options.approval ?? (readOnly ? "never" : "always"),
    risk: options.risk ?? (readOnly ? "low" : "high")
  } as Tool.Options<typeof Schema.Unknown, typeof Schema.Unknown, typeof DynamicToolFailed, R, boolean, boolean>)
  return {
    ...tool,
    retry,
    codec: { ...tool.codec, jsonSchema: lazy(() => rooted(jsonSchema)), decode: lazy(() => decoder(jsonSchema)) }
  }
}
