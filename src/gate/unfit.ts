import { isTaggedFailure } from "../tool/taggedFailure.ts"
import { otherThanObject } from "../tool/rooted.ts"
import type * as Tool from "../tool/Tool.ts"

const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split("\n", 1)[0] ?? ""

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

/** Why a tool would fail in every call, or in every failure, as far as its schemas tell. */
export const unfit = (tool: Tool.Any): string | undefined =>
  unpublishable(tool) ??
  (isTaggedFailure(tool.failure)
    ? undefined
    : "its failure has no _tag or no message. Declare it with Schema.TaggedError.")
