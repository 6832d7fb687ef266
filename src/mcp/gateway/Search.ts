import type { OfferedTool } from "./Offered.ts"

/** Characters that tokens of definitions have on average. */
const perToken = 4

export const tokensOf = (tools: ReadonlyArray<OfferedTool>): number =>
  Math.round(tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0) / perToken)

const words = (text: string): ReadonlyArray<string> =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

/** The tools whose names and descriptions have most of the words, those with them in the name first. */
export const search = (tools: ReadonlyArray<OfferedTool>, query: string, most = 10): ReadonlyArray<OfferedTool> => {
  const wanted = new Set(words(query))
  const scored = tools.map((tool) => {
    const [name, said] = [new Set(words(tool.name)), new Set(words(`${tool.title ?? ""} ${tool.description}`))]
    const score = [...wanted].reduce((sum, word) => sum + (name.has(word) ? 3 : 0) + (said.has(word) ? 1 : 0), 0)
    return { tool, score }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ tool }) => tool)
}

export const searchTools: OfferedTool = {
  name: "search_tools",
  description: "Finds tools by words of their names and descriptions, and gives their definitions.",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  annotations: { readOnlyHint: true }
}

/** The two tools that stand for all where their definitions would take too much of a context. */
export const standIns: ReadonlyArray<OfferedTool> = [
  searchTools,
  {
    name: "call_tool",
    description: "Calls a tool that search_tools has found, with arguments that fit its definition.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, arguments: { type: "object" } },
      required: ["name"]
    }
  }
]
