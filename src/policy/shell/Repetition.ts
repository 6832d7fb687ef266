/** Copies of a part of an expression that may be made; matchers unroll counted repetitions. */
const maximumCopies = 2000

const counted = /\\?\{(\d*)(?:,(\d*))?\\?\}/y

/** Skips a bracket expression; returns the index after it. */
const bracketEnd = (pattern: string, start: number): number => {
  const first = pattern.charAt(start + 1) === "^" ? start + 2 : start + 1
  const end = pattern.indexOf("]", first + 1)
  return end < 0 ? pattern.length : end + 1
}

/**
 * Whether the counted repetitions of a regular expression multiply to more than is cheap to unroll, in any dialect: `x{1,99}{1,99}`
 * and `(x{99}){99}` do. A text that is no expression may be taken for one.
 */
export const isHeavy = (pattern: string): boolean => {
  if (!pattern.includes("{")) return false
  /** The size of each open group before its last part, and of that part. */
  const open: Array<{ before: number; last: number }> = [{ before: 0, last: 0 }]
  for (let at = 0; at < pattern.length;) {
    const top = open.at(-1)!
    counted.lastIndex = at
    const found = counted.exec(pattern)
    if (found !== null && found[0].length > 2) {
      const times = Math.max(Number(found[1] ?? 0), Number(found[2] ?? 0), 1)
      top.last *= times
      if (times > maximumCopies || top.last > maximumCopies) return true
      at = counted.lastIndex
      continue
    }
    const escaped = pattern.charAt(at) === "\\"
    const char = escaped ? pattern.charAt(at + 1) : pattern.charAt(at)
    at += escaped ? 2 : 1
    if (char === "(") {
      open.push({ before: 0, last: 0 })
    } else if (char === ")" && open.length > 1) {
      const { before, last } = open.pop()!
      const outer = open.at(-1)!
      outer.before += outer.last
      outer.last = before + last
    } else if (!/[*+?]/.test(char) || escaped) {
      top.before += top.last
      top.last = 1
      if (!escaped && char === "[") at = bracketEnd(pattern, at - 1)
    }
    if (open.reduce((sum, { before, last }) => sum + before + last, 0) > 2 * maximumCopies + pattern.length) return true
  }
  return open.length > 1 && /\{\d{3}/.test(pattern)
}
