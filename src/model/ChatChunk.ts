import * as Schema from "effect/Schema"

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const CallDelta = Schema.Struct({
  index: maybe(Schema.Number),
  id: maybe(Schema.String),
  function: maybe(Schema.Struct({ name: maybe(Schema.String), arguments: Schema.optional(Schema.Unknown) }))
})
export type CallDelta = typeof CallDelta.Type

/** Text as one string, or as the parts some servers make of it. */
const Content = Schema.Union(Schema.String, Schema.Array(Schema.Struct({ text: maybe(Schema.String) })))

const Delta = Schema.Struct({
  content: maybe(Content),
  refusal: maybe(Schema.String),
  reasoning_content: maybe(Schema.String),
  reasoning: maybe(Schema.String),
  tool_calls: maybe(Schema.Array(CallDelta))
})
export type Delta = typeof Delta.Type

/**
 * One event of a streamed Chat Completion, and likewise the whole of one that is not streamed (`message`). Lenient:
 * what servers leave out, set to null or add is no error.
 */
export const ChatChunk = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  error: Schema.optional(Schema.Unknown),
  /** Counts are read from it as they are: what is none voids no answer. */
  usage: Schema.optional(Schema.Unknown),
  choices: maybe(
    Schema.Array(
      Schema.Struct({
        index: maybe(Schema.Number),
        delta: maybe(Delta),
        message: maybe(Delta),
        finish_reason: maybe(Schema.String),
        error: Schema.optional(Schema.Unknown)
      })
    )
  )
})
export type ChatChunk = typeof ChatChunk.Type
