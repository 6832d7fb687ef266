import type { CommandNode } from "unbash"
import { ask, type Verdict } from "../Verdict.ts"

const reasons: Partial<Record<CommandNode["type"], string>> = {
  Function: "Defines a function, which can replace any command.",
  Coproc: "Starts a coprocess.",
  Subshell: "Runs commands in a subshell.",
  TestCommand: "`[[ … ]]` can run code in what it compares.",
  ArithmeticCommand: "`(( … ))` can run code in what it computes."
}

/** Why what is more than a list of commands is asked about. */
export const notAnalysed = (type: CommandNode["type"]): Verdict =>
  ask("shell/control-flow", reasons[type] ?? "Uses control flow, which is not analysed.")

/** What stands before the first and behind the last command of a group. */
export const groups = {
  Subshell: [/^\([ \t\n]*$/, /^[ \t]*[;\n]?[ \t\n]*\)$/],
  BraceGroup: [/^\{[ \t\n]+$/, /^[ \t]*[;\n][ \t\n]*\}$/]
} as const

/** A keyword that begins a list of commands, behind the end of another. */
export const behind = (keyword: string): RegExp => new RegExp(`^[ \\t]*[;\\n][ \\t\\n]*${keyword}[ \\t\\n]+$`)

/** A keyword behind the end of the last list. */
export const closing = (keyword: string): RegExp => new RegExp(`^[ \\t]*[;\\n][ \\t\\n]*${keyword}$`)

/** Names to which zsh gives a meaning: to `path` that of `PATH`, to `cdpath` that of `CDPATH`. */
const ofZsh = new Set(
  (
    "aliases argv builtins cdpath commands dirstack fignore fpath functions galiases histchars history keymaps mailpath " +
    "manpath modules nameddirs options parameters patchars path pipestatus prompt psvar reswords saliases signals status " +
    "termcap terminfo userdirs usergroups watch widgets"
  ).split(" ")
)

/** Whether neither a shell nor a program gives a variable a meaning. */
export const isLoopVariable = (name: string): boolean => /^[a-z][a-z0-9]{0,11}$/.test(name) && !ofZsh.has(name)
