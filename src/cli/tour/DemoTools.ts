import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { backoff } from "../../middleware/retry.ts"
import * as Tool from "../../tool/Tool.ts"
import { progress } from "../../tool/ToolCall.ts"

/** A connection that broke off; trying again helps. */
export class ConnectionReset extends Schema.TaggedError<ConnectionReset>()("ConnectionReset", {
  path: Schema.String
}) {
  readonly retryable = true
  override get message() {
    return `the connection was reset while reading ${this.path}`
  }
}

/** Fails once and then reads, as a share on a bad line does. */
export const FetchLedger = Tool.make("fetch_ledger", {
  description: "Reads the ledger from a shaky share.",
  parameters: Schema.Struct({ name: Schema.String }),
  success: Schema.String,
  failure: ConnectionReset,
  readOnly: true,
  touches: "none",
  retry: backoff({ maxAttempts: 3, initialDelay: "250 millis", multiplier: 2, maxDelay: "1 second", jitter: false }),
  handler: ({ name }, call) =>
    call.attempt < 2
      ? Effect.zipRight(Effect.sleep("120 millis"), new ConnectionReset({ path: name }))
      : Effect.succeed("bed,kilos\nbeans,14\ntomatoes,31\nsquash,9")
})

/** Says that it works and never ends. */
export const Forecast = Tool.make("forecast", {
  description: "Computes next year's harvest. It takes its time.",
  parameters: Schema.Struct({ years: Schema.Int }),
  success: Schema.String,
  readOnly: true,
  touches: "none",
  retry: backoff({ maxAttempts: 1, initialDelay: 0, multiplier: 1, maxDelay: 0, jitter: false }),
  timeout: Duration.millis(1200),
  handler: ({ years }, call) =>
    Effect.zipRight(
      Effect.forEach([1, 2, 3], (year) =>
        Effect.zipRight(
          progress(call, { label: "simulating", current: year, total: years }),
          Effect.sleep("300 millis")
        )
      ),
      Effect.never
    )
})

/** Has a bug. */
export const WeighSoil = Tool.make("weigh_soil", {
  description: "Weighs the soil of a bed.",
  parameters: Schema.Struct({ bed: Schema.String }),
  success: Schema.Number,
  readOnly: true,
  touches: "none",
  handler: ({ bed }) => Effect.sync((): number => bedsByName.get(bed)!.soil.kilos)
})

const bedsByName = new Map<string, { readonly soil: { readonly kilos: number } }>()
