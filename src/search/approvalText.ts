import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Asked = Schema.Struct({
  originalToolCall: Schema.Struct({ name: Schema.String }),
  message: Schema.String
})
const Answered = Schema.Struct({
  decision: Schema.Literal("approve", "deny"),
  outcome: Schema.String,
  by: Schema.String,
  scope: optional(Schema.String),
  reason: optional(Schema.String)
})
const decode = Schema.decodeUnknownOption(Schema.parseJson(Schema.Union(Asked, Answered)))

/** What a message of the approval protocol says, which is the JSON of a request or of its answer. */
export const approvalText = (json: string): string =>
  Option.match(decode(json), {
    onNone: () => "approval",
    onSome: (said) => {
      if ("message" in said) return `approval requested: ${said.originalToolCall.name}: ${said.message}`
      const { by, outcome, reason, scope } = said
      return [
        `approval ${outcome} by ${by}`,
        ...(scope === undefined ? [] : [scope]),
        ...(reason === undefined ? [] : [reason])
      ].join(" · ")
    }
  })
