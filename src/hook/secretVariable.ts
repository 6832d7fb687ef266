import { type Command, forEachChild, type Script, type Statement, type SyntaxNode } from "unbash"
import { isTooComplex, isTooLong, read } from "../policy/shell/Source.ts"
import { mayHoldSecret } from "../redaction/Assigned.ts"
import { quotedDocuments, type Range } from "./quotedDocuments.ts"

/** Where the text gives a variable a value of its own, by the variable. */
type Own = Map<string, Array<Range>>

/** The variables that a command surely gives values to, for what comes behind it; none where it may fail before it does. */
const givenBy = ({ name, prefix, redirects, suffix }: Command, inFunction: boolean): ReadonlyArray<string> => {
  if (redirects.length > 0) return []
  const given = (name === undefined ? prefix : suffix).map((part) =>
    part.type === "Assignment" ? part.name : undefined
  )
  const called = name?.value ?? ""
  if (called === "" || called === "export" || (called === "local" && inFunction))
    return given.every((one) => one !== undefined) ? given : []
  const words = suffix.map((part) => (part.type === "Word" ? part.value : ""))
  return called === "read" && words.every((word) => /^(?:-r|[A-Za-z_]\w*)$/.test(word)) ? words : []
}

const ownIn = (script: Script): Own => {
  const own: Own = new Map()
  const gives = (names: ReadonlyArray<string>, range: Range) => {
    for (const name of names) own.set(name, [...(own.get(name) ?? []), range])
  }
  let functions = 0
  const given = (command: Command) => givenBy(command, functions > 0)
  /** What a statement gives values to, however it ends: its first command does. */
  const givenFirst = ({ background, command }: Statement): ReadonlyArray<string> => {
    if (background === true) return []
    const first = command.type === "AndOr" ? command.commands[0] : command
    return first?.type === "Command" ? given(first) : []
  }
  /** What a clause gives values to counts in what runs behind it as well. */
  const block = (statements: ReadonlyArray<Statement>, to: number) => {
    for (const statement of statements) gives(givenFirst(statement), { from: statement.end, to })
  }
  const visit = (node: SyntaxNode | Script): void => {
    if (node.type === "Script" || node.type === "CompoundList") block(node.commands, node.end)
    else if (node.type === "If" || node.type === "While") block(node.clause.commands.slice(0, 1), node.end)
    else if (node.type === "For") gives([node.name.value], { from: node.body.pos, to: node.body.end })
    else if (node.type === "AndOr" && node.operators.every((operator) => operator === "&&")) {
      for (const one of node.commands) if (one.type === "Command") gives(given(one), { from: one.end, to: node.end })
    }
    if (node.type === "Function") functions++
    forEachChild(node as SyntaxNode, visit)
    if (node.type === "Function") functions--
  }
  visit(script)
  return own
}

/** Names that mean something else once a text defines a function that is called so. */
const redefines = /\b(?:export|local|read)\s*\(|\bfunction\s+(?:export|local|read)\b/

/** What reads words of its own as shell text. */
const rereads = /\b(?:\w*sh|eval|xargs|env|su|sudo|watch|parallel)\b/

/** The parts of a text that are in single quotes. */
const singleQuoted = (script: Script): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  const visit = (node: SyntaxNode | Script): void => {
    if (node.type === "SingleQuoted") found.push({ from: node.pos, to: node.end })
    forEachChild(node as SyntaxNode, visit)
  }
  visit(script)
  return found
}

const within = (ranges: ReadonlyArray<Range>, at: number): boolean =>
  ranges.some(({ from, to }) => from <= at && at < to)

/** Uses of variables by their names, and where they begin. */
const uses = (text: string) =>
  Array.from(text.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g), ({ index, 1: name = "" }) => ({ index, name }))

/** The first variable that a text uses of the environment and that is named for a secret. */
const usedIn = (text: string): string | undefined => {
  const secrets = uses(text).filter(({ name }) => mayHoldSecret(name))
  if (secrets.length === 0) return undefined
  if (isTooLong(text) || isTooComplex(text)) return secrets[0]?.name
  const { script } = read(text)
  const own = redefines.test(text) ? undefined : ownIn(script)
  const documents = quotedDocuments(script)
  // What is written small is a variable of another language as often.
  const quoted = rereads.test(text) ? [] : singleQuoted(script)
  return secrets.find(
    ({ index, name }) =>
      !within(documents, index) &&
      !within(own?.get(name) ?? [], index) &&
      !(/[a-z]/.test(name) && within(quoted, index))
  )?.name
}

/**
 * The name of a variable of the environment that a shell text uses, named for a secret, and that the text does not surely set
 * itself; also one whose name comes together only in a word of a command, which another shell may read.
 */
export const secretVariable = (text: string, words: ReadonlyArray<string>): string | undefined => {
  const seen = new Set(uses(text).map(({ name }) => name))
  const joined = words.filter((word) => uses(word).some(({ name }) => mayHoldSecret(name) && !seen.has(name)))
  return [text, ...joined].map(usedIn).find((name) => name !== undefined)
}
