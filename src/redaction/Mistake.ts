import * as Arr from "effect/Array"
import * as ParseResult from "effect/ParseResult"
import { redactText } from "./Redactor.ts"
import { secretName } from "./SecretName.ts"

/** A problem in one place of a JSON value, in words that show no secret. */
export interface Mistake {
  readonly path: ReadonlyArray<string>
  readonly problem: string
  /** The place has a name that is not known there. */
  readonly unknown: boolean
}

/** The problem of a place that has no value. */
export const missing = "it is missing"

const longest = 200

/** Places where people put credentials although they belong elsewhere. */
const hidden: ReadonlySet<string> = new Set(["headers", "options", "env", "apiKeyVariable"])

const isSecret = (path: ReadonlyArray<string>): boolean =>
  path.some((step) => hidden.has(step) || secretName(step) !== undefined)

const cut = (text: string, limit: number): string => (text.length > limit ? `${text.slice(0, limit)}…` : text)

const named: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  "a non empty string": "non-empty text",
  NonEmptyString: "non-empty text",
  BaseUrl: "an http or https URL"
}

const literals = /^(?:"[^"]*"|-?\d+|null)(?: \| (?:"[^"]*"|-?\d+|null))*$/

/** What is so unlike text that the text itself says nothing. */
const whole: ReadonlySet<string> = new Set(["an object", "a list"])

/** What a schema calls a type, as a person would. */
const kindsOf = (expected: string): ReadonlyArray<string> => {
  if (literals.test(expected)) return expected.split(" | ")
  if (/^(?:ReadonlyArray<|readonly \[)/.test(expected)) return ["a list"]
  if (/^(?:[({]|Struct\b)/.test(expected)) return ["an object"]
  return [named[expected] ?? cut(expected.replace(/^a string /, "text "), longest)]
}

const actualOf = (actual: string, path: ReadonlyArray<string>): string =>
  actual.startsWith("{")
    ? "an object"
    : actual.startsWith("[")
      ? "a list"
      : isSecret(path)
        ? "something else"
        : cut(redactText(actual), 80)

const either = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const sentence = (issues: ReadonlyArray<ParseResult.ArrayFormatterIssue>, path: ReadonlyArray<string>): string => {
  const messages = issues.map(({ message }) => message.replaceAll(/\s+/g, " "))
  if (issues.some(({ _tag }) => _tag === "Missing")) return missing
  if (issues.some(({ _tag }) => _tag === "Unexpected")) {
    const known = [...new Set(messages.flatMap((message) => message.match(/"[^"]*"/g) ?? []))]
    return known.length === 0
      ? "no name that can be used here"
      : `unknown key; known keys: ${known.join(", ").replaceAll('"', "")}`
  }
  const expected: Array<string> = []
  let actual: string | undefined
  for (const message of messages) {
    const [, type, value] = /^Expected (.*), actual (.*)$/.exec(message) ?? []
    if (type !== undefined && value !== undefined) {
      const kinds = kindsOf(type)
      expected.push(...kinds)
      actual = value.startsWith('"') && kinds.every((kind) => whole.has(kind)) ? "text" : actualOf(value, path)
    } else if (message.startsWith("expected ")) expected.push(message.slice("expected ".length))
    else return isSecret(path) ? "it cannot be used" : cut(redactText(message), longest)
  }
  return `expected ${either([...new Set(expected)])}${actual === undefined ? "" : `, is ${actual}`}`
}

type Issue = ParseResult.ParseIssue

const each = <A>(one: ParseResult.SingleOrNonEmpty<A>): Arr.NonEmptyReadonlyArray<A> =>
  Array.isArray(one) ? (one as unknown as Arr.NonEmptyReadonlyArray<A>) : [one as A]

/** What is wrong within a value; nothing where it is another kind of value as a whole. */
const within = (issue: Issue): ReadonlyArray<Issue> | undefined =>
  issue._tag === "Refinement" || issue._tag === "Transformation"
    ? within(issue.issue)
    : issue._tag === "Composite"
      ? each(issue.issues)
      : undefined

/** Keys that a form of a value must have or cannot have: the more of them, the less it is meant. */
const misfits = (issue: Issue): number =>
  (within(issue) ?? []).filter(
    (one) => one._tag === "Pointer" && (one.issue._tag === "Missing" || one.issue._tag === "Unexpected")
  ).length

/** Of the forms that a value may have, what is wrong with those that it comes closest to. */
const closest = (forms: Arr.NonEmptyReadonlyArray<Issue>): Arr.NonEmptyReadonlyArray<Issue> => {
  const known = forms.filter((one) => within(one) !== undefined)
  const meant = Arr.isNonEmptyReadonlyArray(known) ? known : forms
  const least = Math.min(...meant.map(misfits))
  return Arr.groupBy(meant, (one) => String(misfits(one)))[String(least)] ?? meant
}

/** The same without what is wrong with forms of values that are not meant. */
const narrowed = (issue: Issue): Issue => {
  switch (issue._tag) {
    case "Pointer":
      return new ParseResult.Pointer(issue.path, issue.actual, narrowed(issue.issue))
    case "Refinement":
      return new ParseResult.Refinement(issue.ast, issue.actual, issue.kind, narrowed(issue.issue))
    case "Transformation":
      return new ParseResult.Transformation(issue.ast, issue.actual, issue.kind, narrowed(issue.issue))
    case "Composite": {
      const found = each(issue.issues)
      const forms = issue.ast._tag === "Union" ? closest(found) : found
      return new ParseResult.Composite(issue.ast, issue.actual, Arr.map(forms, narrowed), issue.output)
    }
    default:
      return issue
  }
}

/** The same of issues whose values are gone: every form of a value counts. */
export const mistakesAmong = (found: ReadonlyArray<ParseResult.ArrayFormatterIssue>): ReadonlyArray<Mistake> => {
  const places = new Map<string, Array<ParseResult.ArrayFormatterIssue>>()
  for (const issue of found) {
    const place = JSON.stringify(issue.path.map(String))
    places.set(place, [...(places.get(place) ?? []), issue])
  }
  return [...places.values()].map((all) => {
    const telling = all.filter(({ _tag }) => _tag !== "Unexpected")
    const issues = telling.length > 0 ? telling : all
    const path = (issues[0]?.path ?? []).map(String)
    return { path, problem: sentence(issues, path), unknown: telling.length === 0 }
  })
}

/** The same of parameters, whose places are words: `to.name`, or nothing for all of them. */
export const mistakesIn = (
  issues: ReadonlyArray<{ readonly message: string; readonly path: string }>
): ReadonlyArray<Mistake> =>
  mistakesAmong(issues.map(({ message, path }) => ({ _tag: "Type", path: path === "" ? [] : [path], message })))

/** Every place at which a value is not what its schema says, in order, one sentence each. */
export const mistakesOf = (error: ParseResult.ParseError): ReadonlyArray<Mistake> =>
  mistakesAmong(ParseResult.ArrayFormatter.formatIssueSync(narrowed(error.issue)))
