import { ask, type Verdict } from "../Verdict.ts"
import type { Literal } from "./Literal.ts"

const ofFile = new Set("-e -f -d -r -w -x -s -L -h -S -p -b -c -g -k -u -O -G -N".split(" "))
const ofText = new Set(["-n", "-z"])
const comparesText = new Set(["=", "==", "!="])
const comparesNumbers = new Set("-eq -ne -lt -le -gt -ge".split(" "))
const comparesFiles = new Set(["-nt", "-ot", "-ef"])
const integer = /^-?\d{1,15}$/

const notPlain = ask("shell/operand", "This test may do more than compare.")

/** The paths that `test …` or `[ … ]` looks at, or why it is not known to only look. */
export const testPaths = (name: string, words: ReadonlyArray<Literal>): ReadonlyArray<Literal> | Verdict => {
  if (words.some((word) => word.glob)) return notPlain
  const args = name === "[" ? words.slice(0, -1) : words
  if (name === "[" && words.at(-1)?.value !== "]") return notPlain
  const [first, second, third, fourth] = args
  if (first?.value === "!" && args.length > 1) return testPaths("test", args.slice(1))
  if (fourth !== undefined || first === undefined || second === undefined) return notPlain
  if (third === undefined) {
    if (ofFile.has(first.value)) return [second]
    return ofText.has(first.value) && !second.tilde ? [] : notPlain
  }
  if (comparesFiles.has(second.value)) return [first, third]
  if (comparesText.has(second.value) && !first.tilde && !third.tilde) return []
  return comparesNumbers.has(second.value) && integer.test(first.value) && integer.test(third.value) ? [] : notPlain
}
