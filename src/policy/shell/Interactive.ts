import { forEachChild, type SyntaxNode } from "unbash"
import { subcommand } from "./GitPush.ts"
import { sorted } from "./CommandOptions.ts"
import { argumentsOf, valuesOf } from "./CommandWords.ts"
import { isFedNothing } from "./Documents.ts"
import { readsProgram } from "./PipeRoles.ts"
import { isTooComplex, isTooLong, read } from "./Source.ts"
import { commandName, commandStarts, shells } from "./Wrappers.ts"

/** Programs that take commands from whoever types, unless their words or a pipe bring them. */
const prompts: ReadonlyMap<string, RegExp> = new Map([
  ["psql", /^(?:-[cflV]|--(?:command|file|list|version|help))/],
  ["mysql", /^(?:-[eV]|--(?:execute|version|help))/],
  ["mariadb", /^(?:-[eV]|--(?:execute|version|help))/],
  ["mongosh", /^(?:--eval|--file|--version|-f)/],
  ["ipython", /^-[cm]/],
  ["irb", /^(?:-v|--version)/],
  ["ghci", /^-e/]
])

/** Programs that always take keys, some of which start a shell: editors, pagers, debuggers, monitors, file transfers, multiplexers. */
const takesKeys = new Set(
  (
    "vi vim nvim view vimdiff ex ed red nano pico emacs emacsclient jed joe mcedit micro hx kak less more most man info w3m lynx links " +
    "elinks gdb lldb cgdb pdb jdb dbx mdb bpython ptpython sftp ftp tftp lftp telnet nc ncat netcat socat minicom picocom cu top htop " +
    "btop atop nmon watch screen tmux byobu zellij mc ranger nnn lf vifm tig lazygit fzf dialog whiptail passwd chsh bc dc gnuplot " +
    "mutt crontab visudo script expect"
  ).split(" ")
)

/** Words by which a program of subcommands waits for keys. */
const interactive: ReadonlyMap<string, RegExp> = new Map([
  ["docker", /^(?:-[a-z]*i[a-z]*|--interactive|attach)$/],
  ["podman", /^(?:-[a-z]*i[a-z]*|--interactive|attach)$/],
  ["kubectl", /^(?:-[it]{1,2}|--stdin|--tty|edit|attach)$/],
  ["sudo", /^-[a-z]*[si]$/],
  ["npm", /^(?:init|login|adduser)$/]
])

const edits = new Set(
  "commit rebase add checkout reset restore stash clean merge tag notes mergetool difftool".split(" ")
)

/** Whether git opens an editor, or asks about one piece after the other. */
const gitPrompts = (args: ReadonlyArray<string>): boolean => {
  const [name = "", ...rest] = subcommand(args)
  if (!edits.has(name)) return false
  if (
    rest.some(
      (arg) => /^(?:-[a-z]*[ip]|--interactive|--patch|--edit)$/.test(arg) && !(name === "commit" && arg === "-i")
    )
  )
    return true
  if (name === "mergetool" || name === "difftool") return true
  return (
    name === "commit" &&
    !rest.some((arg) =>
      /^(?:-[a-z]*[mFC]|--(?:message|file|no-edit|reuse-message|fixup|squash)(?:=.*)?|--dry-run)/.test(arg)
    )
  )
}

const operandsOf = (args: ReadonlyArray<string>): number => sorted(args).operands.length

const asks = /^-[a-zA-Z]*i[a-zA-Z]*$/

/**
 * Whether a command opens a prompt for commands, which whoever holds its input types later without being judged: a shell
 * or an interpreter without a script, a client of a database without a query, `ssh` to a host without a command.
 */
export const opensPrompt = (command: ReadonlyArray<string>): boolean =>
  commandStarts(command).some((start) => {
    const name = commandName(command[start] ?? "")
    const args = command.slice(start + 1)
    if (args.length === 1 && /^--?(?:version|help|[Vvh])$/.test(args[0] ?? "")) return false
    if (takesKeys.has(name)) return !(name === "crontab" && args[0] === "-l")
    if (name === "git") return gitPrompts(args)
    if (name === "npm" && args.some((arg) => /^(?:-y|--yes)$/.test(arg))) return false
    if (interactive.get(name) !== undefined) return args.some((arg) => interactive.get(name)?.test(arg) === true)
    if (name === "ssh") return operandsOf(args) === 1
    if (name === "su" || name === "login") return !args.some((arg) => /^(?:-c|--command)/.test(arg))
    if (name === "sqlite3" || name === "redis-cli") return operandsOf(args) <= (name === "sqlite3" ? 1 : 0)
    const brings = prompts.get(name)
    if (brings !== undefined) return !args.some((arg) => brings.test(arg))
    return (
      readsProgram({ name, args }) ||
      (/^(?:python|node)[\d.]*$/.test(name) || shells.has(name) ? asks.test(args[0] ?? "") : false)
    )
  })

const maximumNodes = 1024

/** Where a prompt takes its commands from: whoever holds the input of the shell, or a pipe or a file. */
export type Input = "typed" | "fed"

/** The commands of a shell text that open a prompt by their words and their input, as they are written; of one that is not read, nothing is known. */
export const promptsIn = (
  text: string,
  opens: (command: ReadonlyArray<string>, input: Input) => boolean
): ReadonlyArray<string> => {
  if (isTooLong(text) || isTooComplex(text)) return []
  const found: Array<string> = []
  let seen = 0
  const visit = (node: SyntaxNode, fed: boolean): void => {
    if (++seen > maximumNodes) return
    if (node.type === "Pipeline") return node.commands.forEach((one, index) => visit(one, fed || index > 0))
    if (node.type === "Command") {
      const isFed = fed || node.redirects.some(({ operator }) => operator.startsWith("<"))
      const words = valuesOf(argumentsOf(node))
      if (words.length > 0 && !isFedNothing(node.redirects) && opens(words, isFed ? "fed" : "typed"))
        found.push(text.slice(node.pos, node.end))
    }
    forEachChild(node, (child) => visit(child, fed))
  }
  visit(read(text).script, false)
  return found
}
