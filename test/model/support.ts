import { inspect } from "node:util"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Message } from "../../src/conversation/Message.ts"
import type { ModelRequest, ModelService } from "../../src/model/Model.ts"
import type { FunctionCalled, ModelPart } from "../../src/model/ModelPart.ts"

export const secret = "sk-secret-0123456789"

export const weather = {
  name: "weather",
  description: "Tells the weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
}

export const conversation = (...messages: ReadonlyArray<Message>): ModelRequest["messages"] =>
  messages.map((message, index) => ({ id: `m${index}`, message }))

export const hello: ModelRequest = { messages: conversation({ role: "user", content: "hello" }), functions: [weather] }

export const parts = (model: ModelService, request: ModelRequest = hello) =>
  Effect.map(Stream.runCollect(model.stream(request)), Chunk.toReadonlyArray)

export const textOf = (parts: ReadonlyArray<ModelPart>): string =>
  parts.map((part) => (part._tag === "TextDelta" ? part.text : "")).join("")

export const callsOf = (parts: ReadonlyArray<ModelPart>): ReadonlyArray<readonly [string, string]> =>
  parts
    .filter((part): part is FunctionCalled => part._tag === "FunctionCalled")
    .map((call) => [call.name, call.arguments])

/** What stands at a path inside of JSON. */
export const at = (json: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], json)

/** Everything an error could show of itself. */
export const shown = (error: Error): string =>
  [JSON.stringify(error), String(error), error.message, error.stack, inspect(error, { depth: 10 })].join("\n")

/** The error of an effect that must fail. */
export const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<E, never, R> =>
  Effect.orDieWith(Effect.flip(effect), (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`))
