import { Effect, Schema } from "effect"
import { backoff, DefaultStack, rateLimit, Tool, Toolset } from "tollgate"

class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {}) {
  readonly retryable = true
}

const Weather = Tool.make("weather", {
  description: "The weather of a city",
  parameters: Schema.Struct({ city: Schema.NonEmptyString }),
  success: Schema.Struct({ celsius: Schema.Number }),
  failure: Unreachable,
  readOnly: true, // a tool that is neither read-only nor idempotent cannot be given a retry: it does not compile
  retry: backoff({ maxAttempts: 3, initialDelay: "10 millis", multiplier: 2, maxDelay: "1 second", jitter: true }),
  handler: ({ city }, call) => (call.attempt < 2 ? new Unreachable() : Effect.succeed({ celsius: city.length }))
})

export const toolset = Effect.gen(function* () {
  const polite = yield* rateLimit({ permits: 10, per: "1 second" })
  return yield* Toolset.make([Tool.wrap(Weather, polite)], { middleware: DefaultStack.make({}) })
})
