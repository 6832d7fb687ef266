import type { Verdict } from "../Verdict.ts"
import type { Call } from "./HardDenials.ts"
import { protectedWord } from "./ProtectedWords.ts"
import { matchers, printers } from "./Wrappers.ts"

const givesPattern = /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file|expression)(?:=.*)?)$/
const usesKeys = new Set("ssh ssh-add ssh-copy-id ssh-keygen chmod".split(" "))
const copiesWithKey = new Set(["scp", "sftp", "rsync"])

/** What forbids names of protected files among the arguments of a command, wherever they stand; ssh may be told which key to use. */
export const protectedArguments = ({ args, name }: Call): ReadonlyArray<Verdict> => {
  if (printers.has(name)) return []
  const given = matchers.has(name) && !args.some((arg) => givesPattern.test(arg))
  const pattern = given ? args.find((arg) => !arg.startsWith("-")) : undefined
  return args.flatMap((arg, index) => {
    const found = arg === pattern ? undefined : protectedWord(arg)
    const usesKey = usesKeys.has(name) || (args[index - 1] === "-i" && copiesWithKey.has(name))
    return found === undefined || (found.rule === "shell/private-key" && usesKey) ? [] : [found]
  })
}
