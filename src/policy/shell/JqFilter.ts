/** Words of jq that compute from their input alone and make little of much. */
const known = new Set(
  (
    "keys keys_unsorted length map map_values select has in contains inside startswith endswith type sort sort_by group_by unique " +
    "unique_by min max min_by max_by add any all flatten to_entries from_entries with_entries not empty null true false and or " +
    "if then elif else end as first last nth tostring tonumber tojson fromjson ascii_downcase ascii_upcase ltrimstr rtrimstr " +
    "join split test paths leaf_paths del reverse values nulls strings numbers booleans arrays objects iterables scalars index " +
    "rindex indices transpose floor sqrt round ceil abs utf8bytelength ascii explode todate fromdate"
  ).split(" ")
)

const token =
  /\s+|#[^\n]*|\$?[A-Za-z_]\w*|\d+(?:\.\d*)?|\.{1,2}|@(?:text|json|csv|tsv|html|uri|sh|base64)\b|[!=<>]=|\/\/=?|[|+-]?=|[|,:;?()[\]{}<>+-]|"/y

/**
 * A jq filter that only looks at its input, or prints it with other values: no files, modules, environment, definitions or loops, and
 * nothing that multiplies, such as an assignment to an index that makes a list as long.
 */
export const jqFilter = {
  test: (filter: string): boolean => {
    const scanner = new Scanner(filter)
    return (
      filter.trim() !== "" && scanner.code() && scanner.at === filter.length && !(scanner.assigns && index.test(filter))
    )
  }
}

const isVariable = (word: string): boolean => word !== "$ENV" && !word.startsWith("$__")

/** An index that may be a large number. */
const index = /\[(?!\s*(?:\]|\d{1,5}\s*\]|"[^"\\]*"\s*\]))|\.\.|paths/

class Scanner {
  at = 0
  assigns = false
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Reads code up to its end, or up to the parenthesis that closes an interpolation. */
  code(): boolean {
    const open: Array<string> = []
    let before = ""
    while (this.at < this.#text.length) {
      if (open.length === 0 && this.#text.charAt(this.at) === ")") return true
      token.lastIndex = this.at
      const found = token.exec(this.#text)?.[0]
      if (found === undefined) return false
      this.at += found.length
      // Newer versions take such a comment on to the next line, and older ones do not.
      if (found.startsWith("#") && /\\\r?$/.test(found)) return false
      if (/^(?:\s|#)/.test(found)) {
        if (before === ".") before = " "
        continue
      }
      if (/^(?:\/\/|[|+-])?=$/.test(found)) this.assigns = true
      if (found === '"') {
        if (!this.#string()) return false
      } else if (/^[([{]$/.test(found)) open.push(found)
      else if (/^[)\]}]$/.test(found)) {
        if (open.pop() !== { ")": "(", "]": "[", "}": "{" }[found]) return false
      } else if (/^\$?[A-Za-z_]/.test(found) && !this.#isName(found, before, open.at(-1))) {
        if (found.startsWith("$") ? !isVariable(found) : !known.has(found)) return false
        if (found === "if") open.push(found)
        else if (found === "end" && open.pop() !== "if") return false
      }
      before = found
    }
    return open.length === 0
  }

  /** A field, or a key of an object: newer versions have lists of values in there too, between `if` and `end`. */
  #isName(word: string, before: string, within: string | undefined): boolean {
    if (word.startsWith("$")) return false
    if (before === ".") return true
    return within === "{" && /^[{,]$/.test(before) && /^\s*[:,}]/.test(this.#text.slice(this.at))
  }

  #string(): boolean {
    for (; this.at < this.#text.length; this.at++) {
      const char = this.#text.charAt(this.at)
      if (char === '"') {
        this.at++
        return true
      }
      if (char !== "\\") continue
      this.at++
      if (this.#text.charAt(this.at) !== "(") continue
      this.at++
      if (!this.code() || this.#text.charAt(this.at) !== ")") return false
    }
    return false
  }
}
