import { isData } from "./ForeignCall.ts"
import type { Reading, ToolTable } from "./ToolTable.ts"

/** Calls that one call may hold; agents that run such a list run no more of it. */
const maximumCalls = 25

/** A call that stands in a list of them, with nothing else beside it. */
const callIn = (value: unknown) => {
  if (!isData(value) || Object.keys(value).length !== 2) return undefined
  const { parameters, tool } = value
  return typeof tool === "string" && isData(parameters) ? { tool, parameters } : undefined
}

/** Runs the calls of a list, each of which is judged as if it came by itself; not read where any of them is not. */
export const batch =
  (parameter: string, tools: ToolTable): Reading =>
  (input, cwd) => {
    const { [parameter]: list } = input
    if (!Array.isArray(list) || list.length === 0 || list.length > maximumCalls) return undefined
    const found = list.map((value: unknown) => {
      const call = callIn(value)
      if (call === undefined) return undefined
      const { parameters, tool } = call
      return tools
        .get(tool)?.(parameters, cwd)
        ?.map((deed) => ({ ...deed, input: parameters }))
    })
    return found.some((deeds) => deeds === undefined) ? undefined : found.flatMap((deeds) => deeds ?? [])
  }
