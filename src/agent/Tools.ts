import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Foresee } from "../approval/Ahead.ts"
import { withoutSpan } from "../telemetry/traced.ts"
import type { FunctionDefinition } from "../model/Model.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type * as Tool from "../tool/Tool.ts"
import type { CallRequest } from "../gate/CallRequest.ts"
import type { ToolResult } from "../tool/ToolResult.ts"
import type { Toolset } from "../gate/Toolset.ts"

/** What every error that a call can fail with has. */
export interface CallError {
  readonly _tag: string
  readonly message: string
}

/** The sealed toolset of an agent, with everything that its tools require. */
export class Tools extends Context.Tag("tollgate/agent/Tools")<
  Tools,
  {
    readonly tools: ReadonlyMap<string, Tool.Any>
    readonly call: (request: CallRequest) => Effect.Effect<ToolResult, CallError>
    /** What a person would be asked about a call by now, if anything. */
    readonly foresee: (request: CallRequest, foresee: Foresee) => Effect.Effect<ApprovalRequest | undefined>
    /** The tools that a model may know of: not the manual ones, and of the client's only what it has declared. */
    readonly functions: (declared: ReadonlySet<string>) => ReadonlyArray<FunctionDefinition>
  }
>() {
  static readonly layer = <E extends CallError, R>(toolset: Toolset<E, R>): Layer.Layer<Tools, never, R> =>
    Layer.effect(
      Tools,
      Effect.map(Effect.context<R>(), (context) => ({
        tools: toolset.tools,
        call: (request) => Effect.provide(toolset.call(request), withoutSpan(context)),
        foresee: (request, foresee) => Effect.provide(toolset.foresee(request, foresee), withoutSpan(context)),
        functions: functionsOf(toolset.tools)
      }))
    )

  /** Seals and provides in one step. */
  static readonly layerEffect = <E extends CallError, R, E2, R2>(
    seal: Effect.Effect<Toolset<E, R>, E2, R2>
  ): Layer.Layer<Tools, E2, R | R2> => Layer.unwrapEffect(Effect.map(seal, Tools.layer))
}

const definition = (tool: Tool.Any): FunctionDefinition => ({
  name: tool.name,
  description: tool.description,
  get parameters() {
    return tool.codec.jsonSchema()
  }
})

const functionsOf = (tools: ReadonlyMap<string, Tool.Any>) => {
  const known = [...tools.values()].filter((tool) => tool.mode !== "manual")
  const definitions = new Map(known.map((tool) => [tool, definition(tool)]))
  return (declared: ReadonlySet<string>): ReadonlyArray<FunctionDefinition> =>
    known.flatMap((tool) =>
      tool.location === "client" && !declared.has(tool.name) ? [] : (definitions.get(tool) ?? [])
    )
}
