/** Functions that compute from their arguments alone. */
const functions = new Set(
  "length substr index split sub gsub match tolower toupper sprintf int print printf if for in delete exit next".split(
    " "
  )
)
/** Loops, input and output, the environment and what chooses the files that are read. */
const refused = new Set(
  "while do function func getline system close fflush ENVIRON ARGV ARGC ARGIND PROCINFO SYMTAB FUNCTAB nextfile include load eval namespace BEGINFILE ENDFILE".split(
    " "
  )
)

/** Its brackets hold more than a `]`, which some awks take for the first character in them and some for their end. */
const pattern = /\/(?:[^/\\[\n]|\\[^\n]|\[(?!\^?\])\^?(?:\[:[a-z]+:\]|[^\]/\\[\n])+\])+\//y
const text = /"(?:[^"\\\n]|\\[^\n])*"/y
const word = /[A-Za-z_]\w*/y
const number = /\d+(?:\.\d+)?/y
const operator = /&&|\|\||[!=<>]=|\+\+|--|[-+%]=?|=|[~!<>?:,;$()[\]{}*]|\s+|#[^\n]*/y
/** Behind these a slash begins an expression, behind `value` it divides, and behind all else a program is not read. */
const beforePattern = /^(?:|[(,~!{};]|&&|\|\|)$/
const value = "value"
const keyword = "keyword"

/** Formats that make much of little. */
const wide = /%[-+ 0#]*(?:\*|\d{4,})|%[^a-zA-Z%]*\.(?:\*|\d{4,})/

/**
 * An awk program that only prints what it computes from its input: it writes no file, starts no program, reads no file but those
 * it is given and has no loop but that over an array.
 */
export const awkProgram = {
  test: (program: string): boolean => program.trim() !== "" && !wide.test(program) && isHarmless(program)
}

const isHarmless = (program: string): boolean => {
  const open: Array<string> = []
  let before = ""
  let at = 0
  const take = (expression: RegExp): string | undefined => {
    expression.lastIndex = at
    const found = expression.exec(program)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  while (at < program.length) {
    if (program.charAt(at) === "/") {
      if (before === value) {
        at++
        before = "/"
        continue
      }
      if (!beforePattern.test(before) || take(pattern) === undefined) return false
      before = value
      continue
    }
    if (take(text) !== undefined || take(number) !== undefined) {
      before = value
      continue
    }
    const name = take(word)
    if (name !== undefined) {
      const calls = /^\s*\(/.test(program.slice(at))
      if (refused.has(name) || (calls && !functions.has(name))) return false
      before = name === "if" || name === "for" ? name : functions.has(name) || name === "else" ? keyword : value
      continue
    }
    const found = take(operator)
    if (found === undefined) return false
    if (found.startsWith("#")) continue
    if (found.trim() === "") {
      if (found.includes("\n")) before = ";"
      continue
    }
    if (/^[({[]$/.test(found)) open.push(found === "(" && (before === "if" || before === "for") ? "if" : found)
    else if (/^[)}\]]$/.test(found)) {
      const opened = open.pop()
      if (opened !== { ")": opened === "if" ? "if" : "(", "]": "[", "}": "{" }[found]) return false
      before = found === "}" ? found : opened === "if" ? keyword : value
      continue
    } else if (found === ";" && (open.at(-1) === "(" || open.at(-1) === "if")) return false
    else if (found === ">" && namesFile(open)) return false
    before = found
  }
  return open.length === 0
}

/** Whether `>` writes a file: in an action, outside of parentheses. */
const namesFile = (open: ReadonlyArray<string>): boolean => {
  const action = open.slice(open.lastIndexOf("{"))
  return open.includes("{") && !action.includes("(") && !action.includes("if")
}
