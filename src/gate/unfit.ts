import { cutWords } from "../text/excerpt.ts"
import { isTaggedFailure } from "../tool/taggedFailure.ts"
import { withoutJsonForm } from "../tool/JsonForm.ts"
import { otherThanObject } from "../tool/rooted.ts"
import type * as Tool from "../tool/Tool.ts"

/** Characters of what a library says of a schema. */
const maxReason = 400

/** On one line; the library says in one what is wrong, and in the next ones where and what helps. */
const reasonOf = (cause: unknown): string =>
  cutWords(
    (cause instanceof Error ? cause.message : String(cause))
      .split("\n")
      .filter((line) => line.trim() !== "")
      .join("; "),
    maxReason
  )

/** Why the parameters cannot be described to a model. */
const unpublishable = ({ codec }: Tool.Any): string | undefined => {
  try {
    const other = otherThanObject(codec.jsonSchema())
    if (other !== undefined) return `its parameters are not an object but ${other}`
    codec.decode()
    return undefined
  } catch (cause) {
    return `its parameters have no usable JSON Schema: ${reasonOf(cause)}`
  }
}

/** Why no result can be told to a model. */
const untold = ({ success }: Tool.Any): string | undefined => {
  const found = withoutJsonForm(success)
  return found === undefined
    ? undefined
    : `its success has no JSON form: it contains ${found}. Declare it with a schema that encodes it, such as Schema.BigInt or Schema.Symbol.`
}

/** Why a tool would fail in every call, or in every failure, as far as its schemas tell. */
export const unfit = (tool: Tool.Any): string | undefined =>
  unpublishable(tool) ??
  untold(tool) ??
  (isTaggedFailure(tool.failure)
    ? undefined
    : "its failure has no _tag or no message. Declare it with Schema.TaggedError.")
