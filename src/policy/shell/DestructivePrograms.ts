import { destroyedByQuery } from "./DestructiveData.ts"
import type { Destroys } from "./Destruction.ts"
import type { Call } from "./HardDenials.ts"
import { readsProgram } from "./PipeRoles.ts"
import { isInterpreter, shells } from "./Wrappers.ts"

const interpreters = /^(?:[gmn]awk|ts-node|tsx|irb|ipython\d*|py|jshell|groovy|scala|swift|dart|julia|elixir|erl|R)$/

/** Whether a command runs a program in a language of its own. */
const isLanguage = (name: string): boolean => !shells.has(name) && (isInterpreter(name) || interpreters.test(name))

const bringsText = /^-(?:[a-zA-Z]*[cepErx]|-(?:eval|print|command|exec)(?:=|$))/

const deletes =
  /\b(?:rmtree|removedirs|os\.(?:remove|unlink|rmdir|truncate)|unlink(?:Sync)?|rm(?:dir)?Sync|rimraf|removeSync|emptyDirSync|remove_(?:dir|entry|tree)\w*|remove_file|deltree|Remove-Item|Clear-Content)\b|\.(?:rm|rmdir|unlink|truncate)\s*\(|\b(?:FileUtils\.(?:rm|remove)|(?:File|Dir)\.(?:delete|unlink|rmdir))/

const starts =
  /\b(?:system|exec\w*|spawn\w*|popen\w*|Popen|subprocess|child_process|check_(?:call|output)|shell_exec|passthru|qx|run|Command|getline)\b|`|\|\s*"/

const maximumStrings = 24

/** The program that an interpreter of a language is given in its words or by its input. */
const programOf = ({ args, name }: Call, input: ReadonlyArray<string>): string =>
  [...(name.endsWith("awk") || args.some((arg) => bringsText.test(arg)) ? args : []), ...input].join("\n")

/** The texts in a program that it may hand to a shell. */
export const startedTexts = (call: Call, input: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!isLanguage(call.name)) return []
  const program = programOf(call, input)
  if (!starts.test(program)) return []
  const strings = [...program.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`$]*)`/gs)]
    .slice(0, maximumStrings)
    .map(([, double, single, back]) => double ?? single ?? back ?? "")
    .filter((text) => text.trim() !== "" && !/[$`]/.test(text))
  return [...new Set([...strings, strings.join(" ")])]
}

/** What a program in a language of its own deletes, or that a pipe brings it. */
export const destructiveProgram: Destroys = (call, { input, piped }) => {
  const { args, name } = call
  if (piped && (readsProgram(call) || (name === "ssh" && args.filter((arg) => !arg.startsWith("-")).length < 2))) {
    return "Runs code from a pipe"
  }
  if (!isLanguage(name)) return undefined
  const program = programOf(call, input)
  return deletes.test(program) ? "Runs a program that deletes files" : destroyedByQuery(program)
}

/** The command line behind `-m` or in the name of a script, e.g. `twine upload` of `python -m twine upload`. */
export const delegated = ({ args, name }: Call): Call | undefined => {
  if (!isLanguage(name)) return undefined
  const at = args[0] === "-m" ? 1 : args.findIndex((arg) => !arg.startsWith("-"))
  const script = args[at]
  return script === undefined
    ? undefined
    : { name: script.slice(script.lastIndexOf("/") + 1), args: args.slice(at + 1) }
}
