/**
 * Models behind OpenAI's Responses API.
 *
 * @example
 * ```ts
 * import { Models } from "tollgate"
 * import * as OpenAi from "tollgate/openai"
 * import { Config, Effect, Layer } from "effect"
 *
 * const models = Layer.unwrapEffect(
 *   Effect.gen(function* () {
 *     const apiKey = yield* Config.redacted("OPENAI_API_KEY")
 *     const main = yield* OpenAi.open({ model: "gpt-5", baseUrl: "https://api.openai.com/v1", apiKey })
 *     return Models.layerOf({ main })
 *   })
 * )
 * ```
 */

export type { Endpoint } from "./model/Endpoint.ts"
export { open } from "./model/openai.ts"

// The types that inferred types of the above refer to, for declarations.
export type { FunctionDefinition, ModelRequest, ModelService } from "./model/Model.ts"
export type * from "./model/ModelError.ts"
export type * from "./model/ModelPart.ts"
export type { Served } from "./telemetry/Served.ts"
