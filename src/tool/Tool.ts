import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { stack, type Around, type Change, type Middleware } from "../middleware/Middleware.ts"
import type { RetryPolicy } from "../middleware/retry.ts"
import { lazy } from "../system/lazy.ts"
import { timeSpan, wholeNumber } from "../system/wholeNumber.ts"
import { decoder, jsonSchemaOf } from "./Parameters.ts"
import type { Preview } from "./Preview.ts"
import type { AnyTool, ToolCall } from "./ToolCall.ts"
import { encoder, type ResultFailure } from "./ToolResult.ts"
import type { Declaration } from "./Touches.ts"
import type {
  AnySchema,
  Approval,
  Asks,
  Codec,
  ExecutionMode,
  FailureSchema,
  Location,
  Risk,
  TaggedFailure,
  Traits
} from "./Traits.ts"

export type { AnyTool as Any } from "./ToolCall.ts"
export type * from "./Traits.ts"

/** A named Effect with a Schema at each end. */
export interface Tool<
  out Name extends string,
  Params extends AnySchema,
  Success extends AnySchema,
  Failure extends FailureSchema,
  out R,
  out Repeatable extends boolean = boolean,
  out Asking extends boolean = boolean
> extends Traits {
  readonly name: Name
  readonly parameters: Params
  readonly success: Success
  readonly failure: Failure
  readonly approval: Approval<Params["Type"], Failure["Type"], R>
  /** Whether it is read-only or idempotent, at the level of types. */
  readonly repeatable: Repeatable
  /** Whether a call may want a decision by the tool's own word. */
  readonly asks: Asking
  readonly touches: Declaration<Params["Type"]> | undefined
  readonly preview: ((params: Params["Type"]) => Effect.Effect<Preview, Failure["Type"], R>) | undefined
  readonly handler: (params: Params["Type"], call: ToolCall) => Effect.Effect<Success["Type"], Failure["Type"], R>
  readonly codec: Codec
  /** The tool's own middleware, inside the global one. */
  readonly middleware: undefined
}

/**
 * Any tool that needs no more than `R` and has no middleware of its own: a list of tools that are known only at run time can be
 * sealed as `ReadonlyArray<Tool.Needing<never>>`.
 */
export interface Needing<out R> extends AnyTool {
  readonly approval: Approval<never, TaggedFailure, R>
  readonly preview: ((params: never) => Effect.Effect<Preview, TaggedFailure, R>) | undefined
  readonly handler: (params: never, call: ToolCall) => Effect.Effect<unknown, TaggedFailure, R>
  readonly middleware: undefined
}

export type Failure<T> = T extends { readonly handler: (...args: never) => Effect.Effect<unknown, infer E, unknown> }
  ? E
  : never
export type Requirements<T> = T extends {
  readonly handler: (...args: never) => Effect.Effect<unknown, unknown, infer R>
}
  ? R
  : never

/** Whether a call of the tool may want a decision by the tool's own word. */
export type AskingOf<T> = T extends { readonly asks: infer Asking } ? Asking : boolean

/** Whether either declaration makes a tool repeatable: only the literal `true` does, not a `boolean` that may be false. */
export type IsRepeatable<ReadOnly extends boolean, Idempotent extends boolean> = [ReadOnly] extends [true]
  ? true
  : [Idempotent] extends [true]
    ? true
    : false

/** A word in place of a predicate. */
export type Need = "never" | "always" | undefined

/**
 * Whether a tool that declares `N` or a predicate that gives `B` may want a decision; one that says nothing does unless it is
 * read-only.
 */
export type IsAsking<N extends Need, B extends Asks, ReadOnly extends boolean> = [B] extends [never]
  ? N extends "never"
    ? false
    : [N] extends [undefined]
      ? [ReadOnly] extends [true]
        ? false
        : true
      : true
  : true

/** A type that no retry policy fits; its text is the compiler's message. */
export type NotRepeatable = "retry needs readOnly: true or idempotent: true; repeating other tools may do harm"

export interface Options<
  Params extends AnySchema,
  Success extends AnySchema,
  Failure extends FailureSchema,
  R,
  ReadOnly extends boolean,
  Idempotent extends boolean,
  N extends Need = Need,
  B extends Asks = Asks,
  /** What `approval` and `preview` need. */
  InApproval = R,
  InPreview = R
> {
  /** It changes nothing: it may run again at any time, and without asking if `approval` is unset. Default: false. */
  readonly readOnly?: ReadOnly
  /** Running it twice with the same parameters equals running it once. Default: false. */
  readonly idempotent?: Idempotent
  /** Adjacent calls of it in one answer may run side by side although it is not read-only. Default: false. */
  readonly concurrent?: boolean
  /** When a failed attempt is followed by another; only for a tool that is `readOnly: true` or `idempotent: true`. */
  readonly retry?: IsRepeatable<ReadOnly, Idempotent> extends true ? RetryPolicy : NotRepeatable
  /** What the tool does, for a model and for the person who decides. */
  readonly description: string
  /** The parameters: an object whose encoded side has a JSON Schema. */
  readonly parameters: Params
  /** What the handler gives; the model reads its encoded form. */
  readonly success: Success
  /** Whether a success reports a failure, e.g. a non-zero exit code; it is shown as one and still read by the model. */
  readonly failed?: (success: Success["Type"]) => ResultFailure | undefined
  /** What the handler may fail with. Default: `Schema.Never`. */
  readonly failure?: Failure
  /** Where the handler runs. Default: `server`. */
  readonly location?: Location
  /** Who may invoke the tool. Default: `llm`. */
  readonly mode?: ExecutionMode
  /**
   * When a call needs approval. Default: `never` for a read-only tool, `always` for others. An effect that takes longer than a
   * minute fails the call.
   */
  readonly approval?: N | ((params: Params["Type"]) => B | Effect.Effect<B, Failure["Type"], InApproval>)
  /**
   * What a call touches, as data that rules, grants and modes judge; `none` for a tool that touches nothing they could
   * name. If unset, a call is asked about wherever a rule by path, command or host could apply to it.
   */
  readonly touches?: Declaration<Params["Type"]>
  /** Default: `low` for a read-only tool, `medium` for others. */
  readonly risk?: Risk
  /** The deadline of each attempt; `0` disables it. Default: that of the stack. */
  readonly timeout?: Duration.DurationInput
  /** The longest silence of an attempt; progress and output end it. */
  readonly idleTimeout?: Duration.DurationInput
  /** Bytes of UTF-8 after which the result is cut. Default: that of the stack. */
  readonly resultLimit?: number
  /** What people read in place of the name. */
  readonly label?: string
  /** The group in which people see it. Default: `general`. */
  readonly category?: string
  /** What a call would do, shown to the person who decides on it; one that takes longer than a minute fails the call. */
  readonly preview?: (params: Params["Type"]) => Effect.Effect<Preview, Failure["Type"], InPreview>
  /** Runs a call; the second argument says which, and takes output and progress. */
  readonly handler: (params: Params["Type"], call: ToolCall) => Effect.Effect<Success["Type"], Failure["Type"], R>
}

const deadlineOf = (option: string, given: Duration.DurationInput | undefined): Duration.Duration | undefined =>
  given === undefined ? undefined : timeSpan(option, given)

/** Bytes; a number that is none would be reached by no result. */
const bytesOf = (option: string, given: number | undefined): number | undefined =>
  given === undefined ? undefined : wholeNumber(option, given, { least: 0, orInfinite: true })

/**
 * Makes a tool. `retry` is accepted only where `readOnly` or `idempotent` is the literal `true`: repeating anything else is a
 * compile-time error.
 */
export const make = <
  const Name extends string,
  Params extends AnySchema,
  Success extends AnySchema,
  R = never,
  Failure extends FailureSchema = typeof Schema.Never,
  ReadOnly extends boolean = false,
  Idempotent extends boolean = false,
  N extends Need = undefined,
  B extends Asks = never,
  InApproval = never,
  InPreview = never
>(
  name: Name,
  options: Options<Params, Success, Failure, R, ReadOnly, Idempotent, N, B, InApproval, InPreview>
): Tool<
  Name,
  Params,
  Success,
  // Where a tool is made inside an array of tools, its failure and needs are its own and not those of any tool.
  NoInfer<Failure>,
  R | NoInfer<InApproval> | NoInfer<InPreview>,
  IsRepeatable<ReadOnly, Idempotent>,
  IsAsking<N, B, ReadOnly>
> => {
  const readOnly = options.readOnly === true
  const idempotent = readOnly || options.idempotent === true
  const approval: Approval<Params["Type"], Failure["Type"], InApproval> =
    options.approval ?? (readOnly ? "never" : "always")
  return {
    name,
    description: options.description,
    parameters: options.parameters,
    success: options.success,
    failure: (options.failure ?? Schema.Never) as Failure,
    location: options.location ?? "server",
    mode: options.mode ?? "llm",
    approval,
    asks: (approval !== "never") as IsAsking<N, B, ReadOnly>,
    risk: options.risk ?? (readOnly ? "low" : "medium"),
    readOnly,
    idempotent,
    concurrent: options.concurrent === true,
    repeatable: idempotent as IsRepeatable<ReadOnly, Idempotent>,
    timeout: deadlineOf(`Tool ${name}: timeout`, options.timeout),
    idleTimeout: deadlineOf(`Tool ${name}: idleTimeout`, options.idleTimeout),
    resultLimit: bytesOf(`Tool ${name}: resultLimit`, options.resultLimit),
    retry: options.retry as RetryPolicy | undefined,
    label: options.label ?? name,
    category: options.category ?? "general",
    touches: options.touches,
    preview: options.preview,
    handler: options.handler,
    codec: {
      jsonSchema: lazy(() => jsonSchemaOf(options.parameters)),
      decode: lazy(() => decoder(options.parameters)),
      encode: lazy(() => encoder(options.success, options.failed))
    },
    middleware: undefined
  }
}

/** A call of this very tool. */
export type CallOf<T> = ToolCall & { readonly tool: T }

/** A call that may be repeated without harm. */
export type RepeatableCall = ToolCall & { readonly tool: { readonly repeatable: true } }

/** What a tool's own middleware changes. */
export type ChangeOf<T> = T extends { readonly middleware: Middleware<never, infer C> }
  ? C
  : // oxlint-disable-next-line typescript/no-empty-object-type -- no middleware changes nothing
    {}

export type Wrapped<T, C extends Change> = Omit<T, "middleware"> & {
  readonly middleware: Middleware<never, Around<C, ChangeOf<T>>>
}

/**
 * The tool with its own middleware, inside the stack of the toolset and outside any it had before. A middleware for
 * repeatable calls does not compile around a tool that is neither read-only nor idempotent.
 */
export const wrap = <T extends AnyTool, C extends Change>(
  self: T,
  middleware: Middleware<CallOf<T>, C>
): Wrapped<T, C> => ({
  ...self,
  middleware: (self.middleware === undefined
    ? middleware
    : stack(middleware, self.middleware as Middleware<never>)) as never
})
