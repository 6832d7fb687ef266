import { makeVisible } from "../text/visible.ts"
import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk"

/** Characters of one text that an editor is shown. */
const maxText = 32 * 1024

/** A text that editors show as it is: no fence in it ends the one around it. */
export const fenced = (text: string): string => {
  const runs = text.match(/`{3,}/g) ?? []
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}

export const block = (text: string): ContentBlock => ({ type: "text", text })

/** A text as the content of a call. */
export const said = (text: string): ToolCallContent => ({ type: "content", content: block(text) })

/** What a tool has put out, its last characters where it is long. */
export const output = (text: string): ToolCallContent => {
  const visible = makeVisible(text)
  return said(
    fenced(
      visible.length > maxText
        ? `… ${visible.length - maxText} characters before …\n${visible.slice(-maxText)}`
        : visible
    )
  )
}
