import type { MemoryKind } from "./MemoryEntry.ts"

/** What a text says that is worth keeping. */
export interface Extracted {
  readonly kind: MemoryKind
  readonly text: string
}

/** Characters that are looked at, and sentences that are kept of one text. */
const maxRead = 20_000
const maxKept = 8
/** Characters of a sentence; a longer one is no statement. */
const maxSentence = 500

const patterns: ReadonlyArray<readonly [MemoryKind, RegExp]> = [
  ["fact", /^(?:please\s+)?(?:remember|keep in mind|note)(?:\s+that\b|\s*:)\s*(\S.*)$/i],
  ["decision", /^((?:we|i)(?:'ve| have)?\s+(?:decided|agreed|settled)\s+(?:to|on|that)\b.+)$/i],
  ["preference", /^((?:from now on|in (?:the )?future)\b.+)$/i],
  ["preference", /^((?:we|i)\s+(?:always|never|usually|prefer|would rather)\b.+)$/i],
  ["preference", /^((?:always|never)\s+\p{L}.+)$/iu],
  ["fact", /^((?:this|our)\s+(?:project|repository|repo|team)\s+(?:uses?|has|is|needs?|runs?)\b.+)$/i],
  ["fact", /^(we\s+(?:use|run|deploy|target)\b.+)$/i]
]

const fence = /^ {0,3}(?:```|~~~)/

/** The sentences of a text that are neither code nor quoted. */
const sentencesOf = (text: string): ReadonlyArray<string> => {
  let isCode = false
  return text
    .slice(0, maxRead)
    .split("\n")
    .flatMap((line) => {
      if (fence.test(line)) isCode = !isCode
      return isCode || fence.test(line) || /^(?: {0,3}>| {4}|\t)/.test(line) ? [] : line.split(/(?<=[.!?])\s+/)
    })
    .map((sentence) => sentence.trim().replace(/^[-*+]\s+/, ""))
}

/** What a person states of themselves, their project or their wishes, in the words they used; no question is one. */
export const extract = (text: string): ReadonlyArray<Extracted> =>
  sentencesOf(text)
    .filter((sentence) => sentence.length <= maxSentence && !sentence.endsWith("?"))
    .flatMap((sentence): ReadonlyArray<Extracted> => {
      for (const [kind, pattern] of patterns) {
        const said = pattern.exec(sentence)?.[1]
        if (said !== undefined) return [{ kind, text: said }]
      }
      return []
    })
    .slice(0, maxKept)

/** A line of a model's list: `- preference: …`. */
const listed = /^[-*]\s+(fact|preference|decision):\s+(\S.*)$/i

/** What a model lists as `- KIND: TEXT`, line by line; anything else it says is nothing. */
export const extracted = (answer: string): ReadonlyArray<Extracted> =>
  answer
    .slice(0, maxRead)
    .split("\n")
    .flatMap((line): ReadonlyArray<Extracted> => {
      const [, kind = "", text = ""] = listed.exec(line.trim()) ?? []
      return text === "" || text.length > maxSentence ? [] : [{ kind: kind.toLowerCase() as MemoryKind, text }]
    })
    .slice(0, maxKept)
