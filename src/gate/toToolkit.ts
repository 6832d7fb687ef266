import * as Ai from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { withoutSpan } from "../telemetry/traced.ts"
import { Ids } from "../tool/Ids.ts"
import { legible } from "../text/legible.ts"
import { anyObject } from "../tool/rooted.ts"
import type * as Tool from "../tool/Tool.ts"
import { silent } from "../tool/ToolCall.ts"
import type { ToolResult } from "../tool/ToolResult.ts"
import type { CallSink } from "./CallRequest.ts"
import type { Toolset } from "./Toolset.ts"

export interface ToToolkitOptions {
  readonly sessionId?: string
  readonly workerPath?: ReadonlyArray<string>
  readonly sink?: CallSink
}

/** It accepts any object: the gate decodes. */
const published = (tool: Tool.Any): Ai.Any =>
  Ai.make(tool.name, {
    description: tool.description,
    parameters: {},
    success: Schema.String,
    failure: Schema.String,
    failureMode: "return"
  })
    .setParameters(anyObject.annotations({ jsonSchema: tool.codec.jsonSchema() }))
    .annotate(Ai.Readonly, tool.readOnly)
    .annotate(Ai.Idempotent, tool.idempotent)

/**
 * A sealed toolset for any `LanguageModel`, which then runs its calls through the gate. A failed call gives its message
 * as the result, so that the model can go on; manual tools are left out.
 */
export const toToolkit = <E extends { readonly message: string }, R>(
  toolset: Toolset<E, R>,
  { sessionId = "toolkit", sink = silent, workerPath = ["root"] }: ToToolkitOptions = {}
): Effect.Effect<Toolkit.WithHandler<Record<string, Ai.Any>>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    const shown = [...toolset.tools.values()].filter(({ mode }) => mode !== "manual")
    const names = new Set(shown.map(({ name }) => name))
    const ended = (isFailure: boolean, text: string): Ai.HandlerResult<Ai.Any> => ({
      isFailure,
      // Success and failure are strings, which is what `Any` hides.
      result: text as never,
      encodedResult: text
    })
    const answer = (name: string, rawParams: unknown): Effect.Effect<Ai.HandlerResult<Ai.Any>> =>
      Effect.gen(function* () {
        const ids = yield* Ids
        const callId = yield* ids.next("call")
        const startedAt = yield* Clock.currentTimeMillis
        const call = { name, callId, sessionId, workerPath, rawParams, startedAt, sink }
        const asked: Effect.Effect<ToolResult, { readonly message: string }> = Effect.provide(
          toolset.call(call),
          withoutSpan(context)
        )
        return yield* Effect.match(asked, {
          onFailure: ({ message }) => ended(true, message),
          onSuccess: ({ text }) => ended(false, text)
        })
      })
    return {
      tools: Object.fromEntries(shown.map((tool) => [tool.name, published(tool)])),
      handle: (name: string, params: unknown) =>
        names.has(name)
          ? answer(name, params)
          : Effect.succeed(ended(true, `Unknown tool ${JSON.stringify(legible(name, 64))}.`))
    }
  })
