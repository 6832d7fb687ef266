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
