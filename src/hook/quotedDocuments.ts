import { forEachChild, type Script, type SyntaxNode } from "unbash"
import { isTooComplex, isTooLong, read } from "../policy/shell/Source.ts"

/** A part of a text, from a character up to another. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The documents of a shell text in which nothing is expanded, such as that of `<<'EOF'`: prose or programs, not words. */
export const quotedDocuments = (script: Script): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  const visit = (node: SyntaxNode | Script): void => {
    if (node.type === "HereDoc" && node.delimiter?.quoted === true)
      found.push({ from: node.body.pos, to: node.body.end })
    forEachChild(node as SyntaxNode, visit)
  }
  visit(script)
  return found
}

/** A shell text without them. */
export const withoutDocuments = (text: string): string => {
  if (!text.includes("<<") || isTooLong(text) || isTooComplex(text)) return text
  let left = ""
  let at = 0
  for (const { from, to } of quotedDocuments(read(text).script)) {
    if (from < at) continue
    left += text.slice(at, from)
    at = to
  }
  return left + text.slice(at)
}
