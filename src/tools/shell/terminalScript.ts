import * as fs from "node:fs"
import type { ProcessCommand } from "../../process/ProcessCommand.ts"
import { systemProgram } from "../../sandbox/systemProgram.ts"
import { quoted } from "../../text/ShellWord.ts"

/** Files of a private directory: what a terminal is given to run, and what that says of where it runs before it does. */
export const scriptIn = (directory: string): string => `${directory}/command`
const noteIn = (directory: string): string => `${directory}/place`

/** What the output of a script goes to; nothing where none was run. */
export const placeIn = (directory: string): "terminal" | "pipe" | undefined => {
  const note = noteIn(directory)
  if (!fs.existsSync(note)) return undefined
  return fs.readFileSync(note, "utf8").startsWith("terminal") ? "terminal" : "pipe"
}

/**
 * A script that becomes a command, to its last byte: with its environment and no other, without input. An editor that puts the words of a
 * program together to a line for a shell is thus given none of the command's.
 */
export const terminalScript = ({ args, cwd, env, file }: ProcessCommand, directory: string): string => {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = [systemProgram("env"), "-i", "--", ...variables, file, ...args]
  return [
    "place=pipe; [ -t 1 ] && place=terminal",
    `echo $place >${quoted(noteIn(directory))} || exit`,
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
