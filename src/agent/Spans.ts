import * as Effect from "effect/Effect"
import type { ModelService } from "../model/Model.ts"
import * as GenAi from "../telemetry/GenAi.ts"
import { traced } from "../telemetry/traced.ts"
import type { Answer } from "./Draft.ts"
import type { Meter } from "./Meter.ts"

/** Whether workers and model requests are spans, and whether these may say in what words one failed. */
export type Spans = boolean | "content"

interface Chat {
  readonly spans: Spans
  readonly sessionId: string
  readonly model: ModelService
}

const about = ({ model, sessionId }: Chat) => ({
  model: model.name,
  served: model.served,
  conversation: sessionId
})

/** One model request, with all of its attempts. */
export const chat = <E, R>(of: Chat, self: Effect.Effect<Answer, E, R>): Effect.Effect<Answer, E, R> =>
  of.spans === false
    ? self
    : traced({ ...GenAi.chat(about(of)), content: of.spans === "content" }, (span) =>
        Effect.tap(self, ({ finished }) => Effect.sync(() => span.annotate(GenAi.chatEnd(finished))))
      )

interface Agent extends Chat {
  readonly workerPath: ReadonlyArray<string>
  readonly meter: Meter
}

/** One worker and everything it does. */
export const invokeAgent = <A, E, R>(of: Agent, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  of.spans === false
    ? self
    : traced(
        {
          ...GenAi.invokeAgent({ ...about(of), workerPath: of.workerPath }),
          content: of.spans === "content"
        },
        (span) => Effect.onExit(self, () => Effect.sync(() => span.annotate(GenAi.agentEnd(of.meter.usage))))
      )
