import { mark } from "./Mark.ts"

/** Characters a shell or an interpreter acts on, and line breaks. */
export const acting = /([$();&|<>`\n\r\v\f\u0085\u2028\u2029])/

/** The text with a mark for each run between characters that act; blanks stay. */
export const maskRuns = (kind: string, text: string): string =>
  text
    .split(acting)
    .map((run, index) => (index % 2 === 1 || run.trim() === "" ? run : mark(kind)))
    .join("")

const marks = /\[redacted-([a-z0-9-]+)\]/
const endsMarked = /\[redacted-[a-z0-9-]+\]\s*$/

/** Tells piece by piece what is shown of a text with secrets, with all that acts in what their marks stand for. */
export const keepingActing = (): ((text: string, shown: string) => string) => {
  let last = "secret"
  /** Whether a mark stands for what came last, up to a character that acts. */
  let isMarked = false
  const covered = (text: string): string =>
    text
      .split(acting)
      .map((run, index) => {
        if (index % 2 === 0 && (isMarked || run.trim() === "")) return isMarked ? "" : run
        isMarked = index % 2 === 0
        return isMarked ? mark(last) : run
      })
      .join("")
  const told = (text: string, shown: string): string => {
    if (shown === text || !acting.test(text)) return shown
    const [before = "", , after = "", ...more] = shown.split(marks)
    const isOne = more.length === 0 && before.length + after.length <= text.length
    return isOne && text.startsWith(before) && text.endsWith(after)
      ? before + maskRuns(last, text.slice(before.length, text.length - after.length)) + after
      : maskRuns(last, text)
  }
  return (text, shown) => {
    // It belongs to what was marked before.
    if (shown === "") return covered(text)
    last = marks.exec(shown)?.[1] ?? last
    const all = told(text, shown)
    isMarked = endsMarked.test(all)
    return all
  }
}
