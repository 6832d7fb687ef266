import type { CallToolResult } from "@modelcontextprotocol/client"
import { untrusted } from "../redaction/untrusted.ts"
import { visibleLine } from "../text/visible.ts"
import { ToolResult } from "../tool/ToolResult.ts"

/** What a tool of a server gave. */
export type CallResult = CallToolResult

/** Words as a part of a result. */
export const textBlock = (text: string) => ({ type: "text" as const, text })

/** A result of words alone. */
export const textResult = (text: string, isError: boolean): CallResult => ({
  content: [textBlock(text)],
  ...(isError ? { isError } : {})
})

/** Bytes of base64 as people say them. */
const size = (data: unknown): string => `${typeof data === "string" ? Math.floor((data.length * 3) / 4) : 0} bytes`

type Block = CallResult["content"][number]

/** A block as a model reads it; what is no text is named and not fetched. */
const words = (block: Block): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
    case "audio":
      return `[${block.type} ${visibleLine(block.mimeType)}, ${size(block.data)}]`
    case "resource_link":
      return `[link ${visibleLine(block.uri)}${block.name === "" ? "" : ` ${visibleLine(block.name)}`}; not fetched]`
    case "resource":
      return "text" in block.resource
        ? block.resource.text
        : `[resource ${visibleLine(block.resource.uri)}, ${size(block.resource.blob)}]`
  }
}

/** The text of a result: its blocks, or its data where it has no block. */
const textOf = ({ content, structuredContent }: CallResult): string =>
  content.length > 0 || structuredContent === undefined
    ? content.map(words).join("\n")
    : JSON.stringify(structuredContent)

/** A result as a model reads it: data of a named source. The value is the result as it came. */
export const toolResult = (server: string, tool: string, result: CallResult): ToolResult => {
  const failed = result.isError === true ? { reason: "the tool reported an error" } : undefined
  return new ToolResult(result, untrusted(`MCP server ${server}, tool ${tool}`, textOf(result)), failed)
}
