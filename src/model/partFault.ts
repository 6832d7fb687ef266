import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Usage } from "../cost/Usage.ts"
import { lazy } from "../system/lazy.ts"
import { FinishReason, type ModelPart } from "./ModelPart.ts"

const text = { text: Schema.String }
const call = { id: Schema.String, name: Schema.String }
const optionalText = Schema.optional(Schema.String)

/** Whether a value can be written as JSON; nothing need not be. */
const hasJson = (value: unknown): boolean => {
  try {
    return value === undefined || (JSON.stringify(value) as string | undefined) !== undefined
  } catch {
    return false
  }
}

/** What is read of a part; the compiler has not seen the parts of every model. */
const read = lazy(() => {
  const either = (fields: Schema.Struct.Fields) => Schema.validateEither(Schema.Struct(fields))
  return {
    TextDelta: either(text),
    ReasoningDelta: either(text),
    ArgumentsDelta: either({ ...call, ...text }),
    FunctionCalled: either({ ...call, arguments: Schema.String }),
    AttemptFailed: either({
      attempt: Schema.Number,
      reason: Schema.String,
      delayMillis: Schema.Number,
      next: Schema.optional(Schema.Struct({ name: Schema.String, profile: optionalText }))
    }),
    Finished: either({
      reason: FinishReason,
      usage: Schema.Struct({ ...Usage.fields, cacheWriteTokens: Schema.optional(Schema.Number) }),
      model: optionalText,
      responseId: optionalText,
      provider: Schema.Unknown.pipe(Schema.filter(hasJson))
    })
  } satisfies Readonly<Record<ModelPart["_tag"], unknown>>
})

/** What is wrong with a part that is none by its type, by the names of its fields alone; nothing where it is one. */
export const partFault = (part: unknown): string | undefined => {
  const tag = typeof part === "object" && part !== null && "_tag" in part ? part._tag : undefined
  const known = read()
  if (typeof tag !== "string" || !Object.hasOwn(known, tag)) return "a part of its answer has no known _tag"
  const found = known[tag as ModelPart["_tag"]](part)
  if (Either.isRight(found)) return undefined
  const fields = ParseResult.ArrayFormatter.formatErrorSync(found.left).map(({ path }) => path.map(String).join("."))
  return `a part ${tag} of its answer has no proper ${[...new Set(fields)].join(", ")}`
}
