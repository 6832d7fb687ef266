import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { RetryPolicy } from "../middleware/retry.ts"
import type { Decode } from "./Parameters.ts"
import type { Encode } from "./ToolResult.ts"

export type Location = "server" | "client"
export type ExecutionMode = "llm" | "manual" | "both"
export type Risk = "low" | "medium" | "high"

/** A schema that needs no services and whose JSON form is `I`. */
export type AnySchema = Schema.Schema.AnyNoContext

/** A failure that tells a model, a person and a log what happened; an instance of a `Schema.TaggedError` is one. */
export interface TaggedFailure {
  readonly _tag: string
  readonly message: string
}

/** The schema of what a tool may fail with; `Schema.Never` for one that cannot. */
export type FailureSchema = (AnySchema & { readonly Type: TaggedFailure }) | typeof Schema.Never

/**
 * Whether a call needs a decision: `contained` where it does, but all that it touches lies plainly inside the workspace and
 * is not protected, and `confined` where the sandbox holds it to that whatever it does, so that a mode may let it pass; `true`
 * asks in every mode but the one that allows everything.
 */
export type Asks = boolean | "contained" | "confined"

/**
 * Whether a call needs a decision; a predicate decides on the decoded parameters. An effect can look at the present
 * state, and its failure refuses the call before anything is shown.
 */
export type Approval<Params, E, R> = "never" | "always" | ((params: Params) => Asks | Effect.Effect<Asks, E, R>)

/** What a tool declares besides its schemas and its handler. */
export interface Traits {
  readonly name: string
  readonly description: string
  /** Where the handler runs. */
  readonly location: Location
  /** Who may invoke the tool. */
  readonly mode: ExecutionMode
  readonly risk: Risk
  /** It changes nothing, so it may run again at any time. */
  readonly readOnly: boolean
  /** Running it twice with the same parameters is the same as running it once. */
  readonly idempotent: boolean
  /** Adjacent calls of it in one answer may run side by side although it is not read-only. */
  readonly concurrent: boolean
  /** The deadline of each attempt; `0` disables it. Default: that of the stack. */
  readonly timeout: Duration.Duration | undefined
  /** The longest silence of an attempt. */
  readonly idleTimeout: Duration.Duration | undefined
  /** Bytes of UTF-8 after which the result is cut; unset if the tool bounds itself. */
  readonly resultLimit: number | undefined
  readonly retry: RetryPolicy | undefined
  readonly label: string
  readonly category: string
}

/** The compiled schemas of a tool, made on first use and then kept. */
export interface Codec {
  /** The JSON Schema of the parameters as the model sees it. */
  readonly jsonSchema: () => Readonly<Record<string, unknown>>
  readonly decode: () => Decode
  readonly encode: () => Encode
}
