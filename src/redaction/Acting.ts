import { firstMark, mark, markSource } from "./Mark.ts"

/** Characters a shell or an interpreter acts on, and line breaks. */
export const acting = /([$();&|<>`\n\r\v\f\u0085\u2028\u2029])/

const maskedBy = (sign: string, text: string): string =>
  text
    .split(acting)
    .map((run, index) => (index % 2 === 1 || run.trim() === "" ? run : sign))
    .join("")

/** The text with a mark for each run between characters that act; blanks stay. */
export const maskRuns = (kind: string, text: string): string => maskedBy(mark(kind), text)

const endsMarked = new RegExp(String.raw`${markSource}\s*$`)

/** Tells piece by piece what is shown of a text with secrets, with all that acts in what their marks stand for. */
export const keepingActing = (): ((text: string, shown: string) => string) => {
  let sign = mark("secret")
  /** Whether a mark stands for what came last, up to a character that acts. */
  let isMarked = false
  /** A piece that belongs to what was marked before. */
  const swallowed = (text: string): string => {
    const [first = "", ...others] = text.split(acting)
    const begun = isMarked ? "" : first
    return maskedBy(sign, [begun, ...others].join(""))
  }
  const marked = (text: string, shown: string): string => {
    const [before = "", after = "", ...more] = shown.split(firstMark)
    const isOne = more.length === 0 && before.length + after.length <= text.length
    return isOne && text.startsWith(before) && text.endsWith(after)
      ? before + maskedBy(sign, text.slice(before.length, text.length - after.length)) + after
      : maskedBy(sign, text)
  }
  return (text, shown) => {
    sign = firstMark.exec(shown)?.[0] ?? sign
    const told = shown === "" ? swallowed(text) : shown === text || !acting.test(text) ? shown : marked(text, shown)
    if (told !== "") isMarked = endsMarked.test(told)
    return told
  }
}
