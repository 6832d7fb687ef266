import * as Ai from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RetryPolicy } from "../middleware/retry.ts"
import { isTaggedFailure } from "./taggedFailure.ts"
import * as Tool from "./Tool.ts"
import * as Touches from "./Touches.ts"

/** What may be said of a tool of a toolkit that its annotations do not say. */
export type Declared = Partial<
  Pick<
    Tool.Traits,
    "mode" | "risk" | "readOnly" | "idempotent" | "timeout" | "idleTimeout" | "resultLimit" | "label" | "category"
  > & {
    readonly approval: "never" | "always"
    /** What a call touches, by its encoded parameters; if unset a call is judged as a whole. */
    readonly touches: Touches.Configured
  }
> &
  Repeating

/** A retry policy, only where the same declaration makes the tool repeatable. */
type Repeating =
  | { readonly retry?: never }
  | { readonly retry: RetryPolicy; readonly readOnly: true }
  | { readonly retry: RetryPolicy; readonly idempotent: true }

/** A tool of a toolkit failed with something that does not say what it is; `failure` is its encoded form. */
export class ToolkitToolFailed extends Schema.TaggedError<ToolkitToolFailed>()("ToolkitToolFailed", {
  tool: Schema.String,
  failure: Schema.Unknown
}) {
  override get message() {
    const said = typeof this.failure === "string" ? this.failure : (JSON.stringify(this.failure) ?? "no reason given")
    return `${this.tool} failed: ${said}`
  }
}

/** The failure of a tool as it is where it has a `_tag` and a `message`, and inside `ToolkitToolFailed` where it has not. */
type FailureOf<F> = F extends Tool.FailureSchema ? F : typeof ToolkitToolFailed

/** The tool that a tool of a toolkit becomes; its schemas must not need services. */
export type FromAi<T> =
  T extends Ai.Tool<infer Name, infer Config, infer R>
    ? Tool.Tool<
        Name,
        Extract<Config["parameters"], Tool.AnySchema>,
        Extract<Config["success"], Tool.AnySchema>,
        FailureOf<Config["failure"]>,
        R
      >
    : never

/** The toolkit's own errors tell what they are. */
const isNamed = (failure: unknown): boolean =>
  typeof failure === "object" && failure !== null && "_tag" in failure && "message" in failure

type Tools = Record<string, Ai.Any>

/** A configuration names parameters as they are encoded. */
const encodedTouches = (
  given: Touches.Configured,
  encode: (params: unknown) => Option.Option<unknown>
): Touches.Declaration<unknown> => {
  const declared = Touches.configured(given)
  return declared === "none" ? declared : (params) => declared(Option.getOrUndefined(encode(params)))
}

const isFailure = <A>(result: { readonly isFailure: boolean; readonly result: A }): boolean => result.isFailure

/**
 * Puts a toolkit with its handlers behind the gate. A tool is read-only or idempotent if its annotations (`Readonly`,
 * `Idempotent`) or the declaration say so; one that is not read-only asks for approval unless declared otherwise.
 */
export const fromToolkit = <T extends Tools>(
  toolkit: Toolkit.Toolkit<T>,
  declared: { readonly [Name in keyof T]?: Declared } = {}
): Effect.Effect<ReadonlyArray<FromAi<T[keyof T]>>, never, Ai.HandlersFor<T>> =>
  Effect.map(toolkit, ({ handle, tools }) =>
    Object.entries<Ai.Any>(tools).map(([name, tool]) => {
      const { idempotent, readOnly, timeout, idleTimeout, touches, ...said }: Declared = declared[name] ?? {}
      const reads = readOnly ?? Context.get(tool.annotations, Ai.Readonly)
      const encode = Schema.encodeUnknown(tool.parametersSchema as unknown as Tool.AnySchema)
      const encodeNow = Schema.encodeUnknownOption(tool.parametersSchema as unknown as Tool.AnySchema)
      const tagged = isTaggedFailure(tool.failureSchema as Tool.AnySchema)
      const encodeFailure = Schema.encodeUnknownOption(tool.failureSchema as Tool.AnySchema)
      const failed = (failure: unknown): Tool.TaggedFailure =>
        tagged || isNamed(failure)
          ? (failure as Tool.TaggedFailure)
          : new ToolkitToolFailed({ tool: name, failure: Option.getOrElse(encodeFailure(failure), () => "unknown") })
      const label = Option.getOrUndefined(Context.getOption(tool.annotations, Ai.Title))
      return Tool.make(name, {
        ...(label !== undefined && { label }),
        approval: reads ? "never" : "always",
        ...(said as object),
        ...(touches && { touches: encodedTouches(touches, encodeNow) }),
        ...(timeout && { timeout }),
        ...(idleTimeout && { idleTimeout }),
        readOnly: reads,
        idempotent: idempotent ?? Context.get(tool.annotations, Ai.Idempotent),
        description: tool.description ?? "",
        parameters: tool.parametersSchema as unknown as Tool.AnySchema,
        success: tool.successSchema as Tool.AnySchema,
        failure: (tagged ? tool.failureSchema : ToolkitToolFailed) as Tool.FailureSchema,
        // The toolkit decodes for itself what the gate, or a middleware, has decided on.
        handler: (params) =>
          Effect.flatMap(
            Effect.mapError(
              Effect.flatMap(Effect.orDie(encode(params)), (raw) =>
                handle(name as keyof T, raw as never)
              ) as unknown as Effect.Effect<Ai.HandlerResult<Ai.Any>, Tool.TaggedFailure>,
              failed
            ),
            (ended) => (isFailure(ended) ? Effect.fail(failed(ended.result)) : Effect.succeed(ended.result))
          ) as Effect.Effect<never>
      })
    })
  ) as unknown as Effect.Effect<ReadonlyArray<FromAi<T[keyof T]>>, never, Ai.HandlersFor<T>>
