import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { logCrash } from "../redaction/logCrash.ts"
import { ModelCrashed } from "./ModelError.ts"

/** Fails as a model whose code has crashed, with the cause in the log. */
export const modelCrash = (model: string, cause: Cause.Cause<unknown>): Effect.Effect<never, ModelCrashed> =>
  Effect.zipRight(logCrash(`Model ${model} crashed`, cause), new ModelCrashed({ model }))
