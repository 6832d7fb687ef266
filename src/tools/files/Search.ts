import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { RE2JS } from "re2js"
import * as Pace from "../../system/Pace.ts"
import type { Budget } from "./Budget.ts"

/** The pattern of a search cannot be read. */
export class PatternInvalid extends Schema.TaggedError<PatternInvalid>()("PatternInvalid", {
  pattern: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return (
      `${JSON.stringify(this.pattern)} is not a usable regular expression: ${this.reason}. The syntax is RE2's, without ` +
      "look-around and back-references; escape what is meant literally with a backslash"
    )
  }
}

const maxPattern = 1000

/** Says whether a line matches, in time linear in its length. */
export type LineMatcher = (line: string) => boolean

export const matcher = (pattern: string, ignoreCase: boolean): Either.Either<LineMatcher, PatternInvalid> => {
  const invalid = (reason: string) => new PatternInvalid({ pattern: pattern.slice(0, 200), reason })
  if (pattern === "") return Either.left(invalid("it is empty and would match every line"))
  if (pattern.length > maxPattern) return Either.left(invalid(`it is longer than ${maxPattern} characters`))
  return Either.try({
    try: () => {
      const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
      return (line: string) => compiled.test(line)
    },
    catch: (cause) => invalid(cause instanceof Error ? cause.message.replace("error parsing regexp: ", "") : "unknown")
  })
}

/** Of a line, in UTF-16 units: what is searched, and what is shown. */
const searched = 16 * 1024
const displayed = 400

/** UTF-16 units between two yields to the event loop; a line counts some more than its length. */
const slice = 16 * 1024
const perLine = 256

const display = (line: string): string => {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line
  return text.length <= displayed ? text : `${text.slice(0, displayed)} …`
}

/** The matching lines of one text as `name:12:line`, those around them as `name-11-line`, with `--` between groups. */
export const searchText = Effect.fnUntraced(function* (
  name: string,
  text: string,
  matches: LineMatcher,
  context: number,
  budget: Budget
) {
  const pace = Pace.make()
  const out: Array<string> = []
  const recent: Array<string> = []
  let printed = 0
  let until = 0
  let work = 0
  const print = (index: number, sign: ":" | "-", line: string): void => {
    const said = `${name}${sign}${index + 1}${sign}${display(line)}`
    out.push(said)
    budget.text += said.length + 1
    printed = index + 1
  }
  for (let index = 0, start = 0, end = 0; start < text.length; index++, start = end + 1) {
    end = text.indexOf("\n", start)
    if (end === -1) end = text.length
    const line = text.slice(start, end)
    work += Math.min(line.length, searched) + perLine
    if (work > slice) {
      work = 0
      yield* pace
    }
    if (matches(line.length <= searched ? line : line.slice(0, searched))) {
      if (budget.spent !== undefined) break
      const from = Math.max(printed, index - recent.length)
      if (context > 0 && out.length > 0 && from > printed) out.push("--")
      for (let before = from; before < index; before++) print(before, "-", recent[before - index + recent.length] ?? "")
      print(index, ":", line)
      budget.found++
      until = index + context
    } else if (out.length > 0 && index <= until) print(index, "-", line)
    else if (index % 512 === 0 && budget.spent !== undefined) break
    if (context > 0) {
      recent.push(line)
      if (recent.length > context) recent.shift()
    }
  }
  return out
})
