import * as Schema from "effect/Schema"

/** On whose account a model request goes. */
export const Payer = Schema.Struct({
  session: Schema.String,
  project: Schema.String,
  task: Schema.String,
  /** From the root worker to the one that asks. */
  worker: Schema.Array(Schema.String),
  iteration: Schema.Number
})
export type Payer = typeof Payer.Type
