import { deny, type Verdict } from "../Verdict.ts"
import type { Call } from "./HardDenials.ts"
import { isSystemDirectory, type Reach } from "./Reach.ts"
import { commandName, commandText, evaluators, isInterpreter, shells } from "./Wrappers.ts"

/** What a command does with what flows through a pipe, as bits. */
export const Role = {
  /** Brings in unread bytes: from the network or by decoding. */
  source: 1,
  /** Runs its standard input as a program. */
  runner: 2,
  /** Carries a pipe over the network in both directions. */
  socket: 4,
  /** Reads shell text from a pipe or a person. */
  shell: 8,
  /** Names a directory of the system or what lies below it. */
  lister: 16,
  /** Deletes what a pipe names. */
  remover: 32
} as const

const downloads = new Set(
  "curl wget fetch http https aria2c lynx links ftp tftp scp nc ncat netcat socat telnet".split(" ")
)
const decodes = new Set("base64 base32 basenc uudecode openssl gpg".split(" "))
const sockets = new Set("nc ncat netcat socat telnet".split(" "))

const lists = new Set("find echo printf".split(" "))
const removes = new Set("rm shred unlink".split(" "))
const standardInput = /^\/+(?:dev\/+(?:stdin|fd\/+\d+)|proc\/+[^/]+\/+fd\/+\d+)$/

/** Programs that run the file of one of their options. */
const runsFile = /^(?:g?make|just|task|rake|ninja)$/
const ofInput = /^(?:-|-[A-Za-z]*-|(?:--?[\w-]+=|-[A-Za-z]+)(?:-|\/+(?:dev|proc)\/.*))$/

/** Options of interpreters that bring the program, a module or only a version. */
const bringsProgram = /^-(?:[a-zA-Z]*[cemEpVrhx]|-(?:command|eval|print|version|help|require|check).*)$/

/** Whether an interpreter takes its program from its standard input. */
export const readsProgram = ({ args, name }: Call): boolean => {
  if (evaluators.has(name)) return args.some((arg) => standardInput.test(arg))
  if (runsFile.test(name)) return args.some((arg) => standardInput.test(arg) || (arg !== "--" && ofInput.test(arg)))
  if (!isInterpreter(name)) return false
  if (args.some((arg) => arg === "-" || standardInput.test(arg))) return true
  const isShell = shells.has(name)
  if (isShell && args.some((arg) => /^-[a-z]*s/.test(arg))) return true
  // As `xargs` leaves it, which puts what it reads there.
  if (isShell && /^(?:\{\})?$/.test(commandText(args) ?? "-")) return true
  return args.every((arg, index) =>
    isShell
      ? (/^[-+]/.test(arg) && !/^-[a-z]*c/.test(arg)) || /^[-+][a-z]*[oO]$/.test(args[index - 1] ?? "")
      : arg.startsWith("-") && !bringsProgram.test(arg)
  )
}

const isReverseDump = ({ args, name }: Call): boolean => name === "xxd" && args.some((arg) => /^-{1,2}r/.test(arg))

export const roles = (call: Call, reach: Reach): number => {
  const { args, name } = call
  const runs = readsProgram(call)
  return (
    (downloads.has(name) || decodes.has(name) || isReverseDump(call) ? Role.source : 0) |
    (sockets.has(name) || (name === "openssl" && args[0] === "s_client") ? Role.socket : 0) |
    (runs ? Role.runner | (shells.has(name) || evaluators.has(name) ? Role.shell : 0) : 0) |
    (lists.has(name) && args.some((arg) => isSystemDirectory(arg, reach)) ? Role.lister : 0) |
    (name === "xargs" && args.some((arg) => removes.has(commandName(arg))) ? Role.remover : 0)
  )
}

export const downloaded = deny("shell/download-and-run", "It runs downloaded or decoded text that no one has read.")
export const reverseShell = deny("shell/reverse-shell", "It hands a shell to a network connection.")
const removesFound = deny(
  "shell/remove-found",
  "It deletes the files it finds in a system directory or the home directory."
)

/** Why a stage of a pipe must not follow those before it, if so. */
export const pipeDenied = (before: number, stage: number): Verdict | undefined => {
  if ((before & Role.source) !== 0 && (stage & Role.runner) !== 0) return downloaded
  if ((before & Role.lister) !== 0 && (stage & Role.remover) !== 0) return removesFound
  return (before & Role.shell) !== 0 && (stage & Role.socket) !== 0 ? reverseShell : undefined
}

/** Whether an interpreter is given a program by a substitution that downloads or decodes. */
export const evaluatesDownload = (argv: ReadonlyArray<string>, masks: ReadonlyArray<number>, all: number): boolean => {
  const name = commandName(argv[0] ?? "")
  if ((masks[0] ?? 0) & Role.source) return true
  if (!isInterpreter(name) && !evaluators.has(name)) return false
  const program = argv.findIndex((word, index) => index > 0 && !/^[-+]/.test(word))
  if (program < 0) return (all & Role.source) !== 0
  const runsWord = shells.has(name) || evaluators.has(name) || program > 1 || argv[program]?.startsWith("<(") === true
  return runsWord && ((masks[program] ?? 0) & Role.source) !== 0
}
