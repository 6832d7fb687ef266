/** A word whose value is known before the shell runs. */
export interface Literal {
  /** After quote removal. */
  readonly value: string
  /** Written without quotes or escapes. */
  readonly bare: boolean
  /** Has an unquoted `*`, `?` or `[`, each of them active; one that is not bare stands for each match in turn, as one word. */
  readonly glob: boolean
  /** Starts with an unquoted `~` that the shell replaces. */
  readonly tilde: boolean
  /** It is a pattern of which a match that begins with `-` is read as an option. */
  readonly leads?: true
}

/** The value of a variable, if known; `written` is `$x`, `${x}` or `$?`, and outside of quotes the shell would split it. */
export type Lookup = (name: string, written: string, quoted: boolean) => string | undefined

const plain = /^[\w\-./,+%@^:=]+$/
const globbed = /^[\w\-./,+%@^:=*?[\]!]+$/
const homely = /^~(?:\/[\w\-./,+%@^]*)?$/
const unquoted = /^[\w\-./,+%@^:=#\]~]$/u

/**
 * Reads the source of one word. It is a second reader beside the parser and knows less on purpose: what it does not
 * know (expansions, braces, extended globs, `$'…'`, line continuations) is not literal.
 */
export const literal = (source: string, lookup: Lookup = unknown): Literal | undefined => {
  // zsh puts the file of that program in its place.
  if (/^=[^=]/.test(source)) return undefined
  if (plain.test(source) || source === "[" || source === "!")
    return { value: source, bare: true, glob: false, tilde: false }
  if (globbed.test(source) && /[*?[]/.test(source)) return { value: source, bare: true, glob: true, tilde: false }
  if (homely.test(source)) return { value: source, bare: true, glob: false, tilde: true }
  if (source.startsWith("~")) return undefined
  const value = unquote(source, lookup)
  return value === undefined ? undefined : { value, bare: value === source, glob: false, tilde: false }
}

const unknown: Lookup = () => undefined

/** None where zsh takes what follows for a part or a change of it, or a letter for one of its name, and other shells for text: `$x[1]`, `$x:h`. */
const variable = /\$(?:([A-Za-z_]\w*(?![\w\u0080-\uffff])|\?)(?!\[|:[a-zA-Z&])|\{([A-Za-z_]\w*)\})/y

/** A variable at a place of a source, with where it ends. */
const variableAt = (
  source: string,
  at: number,
  quoted: boolean,
  lookup: Lookup
): { readonly value: string; readonly end: number } | undefined => {
  variable.lastIndex = at
  const found = variable.exec(source)
  const value = found === null ? undefined : lookup(found[1] ?? found[2] ?? "", found[0], quoted)
  return value === undefined ? undefined : { value, end: variable.lastIndex }
}

const unquote = (source: string, lookup: Lookup): string | undefined => {
  let value = ""
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at)
    if (char === "'") {
      const end = source.indexOf("'", at + 1)
      if (end < 0) return undefined
      value += source.slice(at + 1, end)
      at = end
    } else if (char === '"') {
      const quoted = doubleQuoted(source, at + 1, lookup)
      if (quoted === undefined) return undefined
      value += quoted.value
      at = quoted.end
    } else if (char === "\\") {
      const next = source.charAt(++at)
      if (next === "" || next === "\n") return undefined
      value += next
    } else if (value === "" && at > 0 && "~=".includes(char)) {
      // To zsh, empty quotes in front are nothing.
      return undefined
    } else if (char === "~" && "=:".includes(source.charAt(at - 1))) {
      return undefined
    } else if (char === "!" && "=".startsWith(source.charAt(at + 1))) {
      value += char
    } else if (char === "$" && at < source.length - 1) {
      const found = variableAt(source, at, false, lookup)
      if (found === undefined) return undefined
      value += found.value
      at = found.end - 1
    } else if (unquoted.test(char) || char > "\u007f" || (char === "$" && at === source.length - 1)) {
      value += char
    } else {
      return undefined
    }
  }
  return value
}

const doubleQuoted = (
  source: string,
  start: number,
  lookup: Lookup
): { readonly value: string; readonly end: number } | undefined => {
  let value = ""
  for (let at = start; at < source.length; at++) {
    const char = source.charAt(at)
    const next = source.charAt(at + 1)
    if (char === '"') return { value, end: at }
    if (char === "`" || (char === "\\" && next === "\n")) return undefined
    if (char === "$" && !'" |)'.includes(next)) {
      const found = variableAt(source, at, true, lookup)
      if (found === undefined) return undefined
      value += found.value
      at = found.end - 1
      continue
    }
    if (char === "\\" && next !== "" && '$`"\\'.includes(next)) {
      value += next
      at++
    } else {
      value += char
    }
  }
  return undefined
}
