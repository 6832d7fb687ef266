import type { ProcessCommand } from "../../process/ProcessCommand.ts"
import { systemProgram } from "../../sandbox/systemProgram.ts"
import { quoted } from "../../text/ShellWord.ts"

/** Files of a private directory: what a terminal is given to run, and what says that it was one. */
export const scriptIn = (directory: string): string => `${directory}/command`
export const noteIn = (directory: string): string => `${directory}/terminal`

/**
 * A script that becomes a command, to its last byte: with its environment and no other, without input. An editor that puts the words of a
 * program together to a line for a shell is thus given none of the command's.
 */
export const terminalScript = ({ args, cwd, env, file }: ProcessCommand, directory: string): string => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = [systemProgram("env"), "-i", "--", ...variables, file, ...args]
  return [
    `[ -t 1 ] && : >${quoted(noteIn(directory))}`,
    `cd -- ${quoted(cwd)} || exit`,
    `exec ${words.map(quoted).join(" ")} </dev/null`,
    ""
  ].join("\n")
}

/** How the script is run: nothing that the editor's environment has for a shell runs before it. */
export const programOf = ({ cwd }: ProcessCommand, directory: string) => ({
  file: systemProgram("bash"),
  args: ["--noprofile", "--norc", "-p", scriptIn(directory)],
  cwd
})
