import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { foreignDecoder } from "../tool/JsonSchema.ts"
import { type CallResult, textBlock } from "./ServerResult.ts"

/** Looks after the data of a result; where they are not as promised, an error says so and has the rest of it. */
export type Fitting = (result: CallResult) => CallResult

/** Holds results to the output schema of their tool; throws where nothing can be checked by it. */
export const fitting = (outputSchema: unknown): Fitting => {
  if (!Predicate.isReadonlyRecord(outputSchema)) return (result) => result
  const decode = foreignDecoder(outputSchema)
  return (result) => {
    const { content, structuredContent, ...rest } = result
    if (result.isError === true) return result
    const found = structuredContent === undefined ? undefined : decode(structuredContent)
    if (found !== undefined && Either.isRight(found)) return result
    const what =
      found === undefined
        ? "it has no structured content, which the output schema of the tool promises"
        : `its structured content does not fit the output schema of the tool: ${found.left
            .map(({ message, path }) => `${path === "" ? "it" : path} ${message}`)
            .join(", ")}`
    const data =
      found === undefined || content.some(({ type }) => type === "text")
        ? []
        : [textBlock(JSON.stringify(structuredContent))]
    return {
      ...rest,
      content: [textBlock(`The tool has run, but its result cannot be used as data: ${what}.`), ...content, ...data],
      isError: true
    }
  }
}
