import type { Literal } from "../Literal.ts"
import { unknownPart } from "./Step.ts"

export const plain: Literal = { value: "", bare: true, glob: false, tilde: false }
export const unknown: Literal = { ...plain, bare: false, value: unknownPart }

export const isKnown = ({ value }: Literal): boolean => !value.includes(unknownPart)

/** A word of which no more is known than what stands in front; one that can become several, or none, is marked twice. */
export const unknownWord = (text: string): Literal => {
  const [, front = "", quoted] = /^([\w./:@+-]*=?)("(?:[^"\\]|\\.|\$\([^)]*\))*")?/s.exec(text) ?? []
  const isOne = quoted !== undefined && front.length + quoted.length === text.length && !/\$@|\[@\]|\$\{@/.test(quoted)
  const isWhole =
    isOne || (text.startsWith('"') && text.endsWith('"') && !/\$@|\[@\]|\$\{@|"[^"()]*"\s*"/.test(text.slice(1, -1)))
  return { ...plain, bare: false, value: `${isWhole ? front : ""}${unknownPart}${isWhole ? "" : unknownPart}` }
}
