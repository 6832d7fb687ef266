import type { Literal } from "../Literal.ts"
import { testPaths } from "../Test.ts"
import { isHarmlessFor, isOwnName } from "./Environment.ts"
import { does, type Step, type Touch, unknownPart, unread, type Unread } from "./Step.ts"

const none = does({})

const quiet = new Set("exit return break continue shift wait times umask".split(" "))
const name = /^[a-zA-Z_]\w*$/

/** What a command that is a part of the shell does; nothing where it is none, or not one that is known. */
export const shellBuiltin = (called: string, args: ReadonlyArray<Literal>): Step | Unread | undefined => {
  const values = args.map(({ value }) => value)
  if (called === ":" || called === "true" || called === "false") return none
  if (quiet.has(called)) {
    return values.every((value) => /^(?:-?\d+|%\d*|-[a-z])?$/.test(value))
      ? none
      : unread(called, "it is not known what it does with these words")
  }
  if (called === "jobs") return values.every((value) => /^(?:-[lnprs]+|%\w+)$/.test(value)) ? none : undefined
  if (called === "set") {
    return /^(?:[-+][euxo]{1,4}|pipefail| )+$/.test(values.join(" ")) && values.length > 0
      ? none
      : unread("set", "it changes how the shell reads, or shows every variable")
  }
  if (called === "shopt")
    return values.every((value) => /^-[su]$|^(?:globstar|nullglob|failglob|extglob)$/.test(value)) && values.length > 1
      ? none
      : undefined
  if (called === "unset") return values.every((value) => name.test(value) && isOwnName(value)) ? none : undefined
  if (
    called === "export" ||
    called === "local" ||
    called === "declare" ||
    called === "readonly" ||
    called === "typeset"
  ) {
    if (
      values.length === 0 ||
      values.some((value) => value.startsWith("-") && !(value === "-r" || value === "-x" || value === "-a"))
    )
      return unread(called, "it shows variables or changes what they are")
    const wrong = values.find((value) => {
      const [, variable = "", given] = /^([^=]*)(?:=(.*))?$/s.exec(value) ?? []
      if (value.startsWith("-")) return false
      if (!name.test(variable)) return true
      return called === "export"
        ? !isHarmlessFor(variable, given) && !/^[a-z][a-z0-9]*$/.test(variable)
        : !isOwnName(variable)
    })
    return wrong === undefined ? none : unread(called, "the variable changes what programs do")
  }
  if (called === "read") {
    return values.every(
      (value, index) =>
        /^-[rs]+$/.test(value) ||
        /^(?:-[pd])$/.test(values[index - 1] ?? "") ||
        /^-[pd]$/.test(value) ||
        (name.test(value) && isOwnName(value))
    )
      ? none
      : undefined
  }
  if (called === "mapfile" || called === "readarray")
    return values.every((value) => value === "-t" || (name.test(value) && isOwnName(value))) ? none : undefined
  return undefined
}

const comparesNumbers = /^-(?:eq|ne|lt|le|gt|ge)$/

/** What `test` and `[` do: tests that can run code in what they compare are not known. */
export const testDoes = (called: string, args: ReadonlyArray<Literal>): Step | Unread => {
  if (called === "test" && args.length === 0) return none
  const paths = testPaths(called, args)
  if (!("decision" in paths)) {
    const isNumber = (value: string) => /^-?\d+$/.test(value)
    const odd = args.some(
      ({ value }, index) =>
        comparesNumbers.test(value) &&
        ![args[index - 1]?.value, args[index + 1]?.value].every((one) => isNumber(one ?? ""))
    )
    if (!odd) {
      const known = paths.filter(({ value }) => !value.includes(unknownPart))
      return does({ touches: known.map((word): Touch => ({ word, op: "list", by: called })) })
    }
  }
  return unread(called, "what it tests can run code")
}
