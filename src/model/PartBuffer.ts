import type { ModelPart } from "./ModelPart.ts"

/** Characters that one answer may have in text, reasoning and arguments together. */
export const maximumAnswer = 16 * 1024 * 1024

/** Calls of one answer; each fragment is searched for in all of them. */
export const maximumCalls = 1024

/** What a fragment counts beside its text, which bounds empty ones too. */
export const fragmentWeight = 16

const merged = (last: ModelPart | undefined, part: ModelPart): ModelPart | undefined => {
  if (last === undefined || !("text" in last) || !("text" in part)) return undefined
  const text = last.text + part.text
  if (last._tag === "ArgumentsDelta") {
    return part._tag === "ArgumentsDelta" && part.id === last.id ? { ...last, text } : undefined
  }
  return part._tag === last._tag ? { ...last, text } : undefined
}

/** Adds a part; neighbouring deltas of one kind, which came with one read of the network, become one. */
export const appendPart = (parts: Array<ModelPart>, part: ModelPart): void => {
  const joined = merged(parts.at(-1), part)
  if (joined === undefined) parts.push(part)
  else parts[parts.length - 1] = joined
}
