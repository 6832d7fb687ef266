/**
 * Models behind Anthropic's Messages API.
 *
 * @example
 * ```ts
 * import { Models } from "tollgate"
 * import * as Anthropic from "tollgate/anthropic"
 * import { Config, Effect, Layer } from "effect"
 *
 * const models = Layer.unwrapEffect(
 *   Effect.gen(function* () {
 *     const apiKey = yield* Config.redacted("ANTHROPIC_API_KEY")
 *     const main = yield* Anthropic.open({ model: "claude-sonnet-4-5", baseUrl: "https://api.anthropic.com", apiKey })
 *     return Models.layerOf({ main })
 *   })
 * )
 * ```
 */

export { open } from "./model/anthropic.ts"
export type { Endpoint } from "./model/Endpoint.ts"

// The types that inferred types of the above refer to, for declarations.
export type { FunctionDefinition, ModelRequest, ModelService } from "./model/Model.ts"
export type * from "./model/ModelError.ts"
export type * from "./model/ModelPart.ts"
export type { Served } from "./telemetry/Served.ts"
