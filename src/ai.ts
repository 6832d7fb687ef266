/**
 * What joins Tollgate to `@effect/ai`: its language models as ours, its toolkits behind the gate, our toolsets for its models.
 *
 * @example
 * ```ts
 * import { AiLanguageModel } from "tollgate/ai"
 * import { Models } from "tollgate"
 * import * as LanguageModel from "@effect/ai/LanguageModel"
 * import { Effect, Layer } from "effect"
 *
 * const models = Layer.unwrapEffect(
 *   Effect.map(LanguageModel.LanguageModel, (model) =>
 *     Models.layerOf({ main: AiLanguageModel.make(model, { name: "main" }) })
 *   )
 * )
 * ```
 */

export * as AiLanguageModel from "./model/AiLanguageModel.ts"
export * as AiEmbeddings from "./search/AiEmbeddings.ts"
export { fromToolkit, ToolkitToolFailed } from "./tool/fromToolkit.ts"
export { toToolkit } from "./gate/toToolkit.ts"

// The types that inferred types of the above refer to, for declarations.
export type { FunctionDefinition, ModelRequest, ModelService } from "./model/Model.ts"
export type * from "./model/ModelError.ts"
export type * from "./model/ModelPart.ts"
export type { Served } from "./telemetry/Served.ts"
export type { CallError } from "./agent/Tools.ts"
export type { ToToolkitOptions } from "./gate/toToolkit.ts"
export type { Declared, FromAi } from "./tool/fromToolkit.ts"
