import * as Schema from "effect/Schema"
import { ModelError } from "./ModelError.ts"
import { FinishReason, Usage } from "./ModelPart.ts"
import { Timespan } from "./Timespan.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** An error as a script writes it: only its tag is needed. */
const Failure = Schema.transform(
  Schema.Struct({
    _tag: Schema.Literal(...ModelError.members.map((member) => member._tag)),
    model: Schema.optionalWith(Schema.String, { default: () => "scripted" }),
    reason: Schema.optionalWith(Schema.String, { default: () => "the script says so" }),
    status: Schema.optionalWith(Schema.Int, { default: () => 503 }),
    silenceMillis: Schema.optionalWith(Schema.NonNegative, { default: () => 0 }),
    retryAfterMillis: optional(Schema.NonNegative)
  }),
  ModelError.annotations({ parseOptions: { onExcessProperty: "ignore" } }),
  { strict: false, decode: (fields) => fields, encode: (error) => error }
)

const Text = Schema.Union(Schema.String, Schema.Array(Schema.String))

const steps = {
  /** Text, or the chunks it comes in. */
  say: optional(Text),
  think: optional(Text),
  call: optional(
    Schema.Struct({
      name: Schema.NonEmptyString,
      id: optional(Schema.NonEmptyString),
      /** An object, or the raw text where it shall be broken. */
      arguments: optional(Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown })))
    })
  ),
  /** By the Clock. */
  wait: optional(Timespan),
  fail: optional(Failure),
  die: optional(Schema.String),
  usage: optional(Schema.partialWith(Usage, { exact: true })),
  /** The reason to stop for, instead of the one that follows from the calls. */
  finish: optional(FinishReason)
}

/** One thing a scripted model does. */
export const ScriptStep = Schema.Struct(steps).pipe(
  Schema.filter((step) => Object.keys(step).length === 1 || `expected exactly one of ${Object.keys(steps).join(", ")}`)
)
export type ScriptStep = typeof ScriptStep.Type

export const ScriptTurn = Schema.Struct({
  /** Only if the last message contains this text. */
  when: optional(Schema.String),
  /** Serves again and again instead of once. */
  repeat: optional(Schema.Boolean),
  steps: Schema.Array(ScriptStep)
})
export type ScriptTurn = typeof ScriptTurn.Type

/** A script as a file holds it. */
export const Script = Schema.Struct({
  /** The model's name, "scripted" by default. */
  model: optional(Schema.NonEmptyString),
  turns: Schema.Array(ScriptTurn)
})
export type Script = typeof Script.Type
