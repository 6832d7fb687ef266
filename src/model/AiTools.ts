import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anyObject, rooted } from "../tool/rooted.ts"
import type { FunctionDefinition } from "./Model.ts"

const toTool = (definition: FunctionDefinition): Tool.Any =>
  Tool.make(definition.name, {
    description: definition.description,
    parameters: {},
    success: Schema.Unknown,
    failure: Schema.Unknown,
    failureMode: "return"
  }).setParameters(anyObject.annotations({ jsonSchema: rooted(definition.parameters) }))

/** Tools that the model sees and that never run here: the runtime runs calls. */
export const toToolkit = (
  definitions: ReadonlyArray<FunctionDefinition>
): Toolkit.WithHandler<Record<string, Tool.Any>> => ({
  tools: Object.fromEntries(definitions.map((definition) => [definition.name, toTool(definition)])),
  handle: (name) => Effect.dieMessage(`The runtime runs the calls of ${name}.`)
})
